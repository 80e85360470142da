public import HTTPModel
public import RecordFormats
public import TableAPI

/// Why a stream of all records is not whole, and where to go on.
public struct RecordsFailure: Error, Sendable {
    /// What went wrong, with `page` or `afterKey` among its members.
    public let problem: Problem

    /// A failure to fetch the next records. Pages are counted as they stand in `error`; without a place to go on from, it is
    /// the first page.
    public init(_ error: RecordsError) {
        self.init(Problem(error.problem), resume: error.resume)
    }

    init(_ problem: Problem, resume: RecordsStart) {
        var problem = problem
        switch resume {
        case .beginning: problem.members.append(("page", .integer(1)))
        case .page(let page): problem.members.append(("page", .integer(page)))
        case .afterKey(let key): problem.members.append(("afterKey", .string(key)))
        }
        self.problem = problem
    }

    /// The last line of the stream; empty in a format that has no place for it.
    public func line(_ encoder: RecordEncoder) -> [UInt8] {
        line(encoder, in: .english)
    }

    /// The last line of the stream, in a language.
    func line(_ encoder: RecordEncoder, in language: Language) -> [UInt8] {
        encoder.failure(problem.document(in: language))
    }
}
