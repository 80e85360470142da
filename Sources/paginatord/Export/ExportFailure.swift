import TableAPI

/// Why an export is not whole.
enum ExportFailure: Error, Sendable, Equatable {
    /// What had been written until then.
    struct Written: Sendable, Equatable {
        /// The records, all whole.
        var count = 0
        /// Whether something of the records behind them is there too.
        var isCut = false
        /// Whether what was written stays, although it is not all.
        var stays: Bool
        /// The records that were asked for at once.
        var itemsPerPage: Int
        /// Where to go on.
        var resume: RecordsStart
    }

    /// The output cannot be written at all.
    case cannotBegin(reason: String)
    /// The next records could not be read.
    case notRead(Written, problem: String, detail: String)
    /// They could not be written.
    case notWritten(Written, reason: String)

    /// How the process ends.
    var code: ExitCode {
        switch self {
        case .cannotBegin: .wrongUsage
        case .notRead, .notWritten: .incomplete
        }
    }

    /// One line for a person: what is missing, why, and how to go on.
    ///
    /// - Parameter signal: the cause in the place of the one that is known here.
    func text(of options: ExportOptions, because signal: String?) -> String {
        let written: Written
        let cause: String
        switch self {
        case .cannotBegin(let reason):
            return "--output: cannot write \(printable(options.output ?? "standard output")): \(reason)"
        case .notRead(let records, let problem, let detail):
            (written, cause) = (records, signal ?? "\(problem), \(printable(detail))")
        case .notWritten(let records, let reason): (written, cause) = (records, signal ?? reason)
        }
        let count = written.count == 1 ? "1 record" : "\(written.count) records"
        guard written.stays else {
            return
                "the export is not whole: \(cause), after \(count); \(printable(options.output ?? "")) is as it was, "
                + "begin again"
        }
        let cut = written.isCut ? ", and drop what the output holds behind them" : ""
        return "the export is not whole: \(cause), after \(count); \(written.remedy)\(cut)"
    }
}

extension ExportFailure.Written {
    /// How to get the rest.
    fileprivate var remedy: String {
        switch resume {
        case .beginning: "begin again"
        case .page(let page): "go on with --from-page \(page) --items-per-page \(itemsPerPage)"
        case .afterKey(let key): "go on with --after-key \(key)"
        }
    }
}

extension OutputError {
    /// In words.
    var reason: String {
        switch self {
        case .readerGone: "whoever read the output closed it"
        case .stopped: "whoever reads the output takes nothing"
        case .failed(let reason): reason
        }
    }
}
