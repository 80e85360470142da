import Clocks
package import Pagination
package import Sessions

/// One thing that every session store does, as a check that any of them can be put through.
///
/// The store is a fresh one with its default limit of 1 MiB for a kept page. Run all of them with
/// `@Test(arguments: SessionStoreCheck.all)`; what needs a second handle, or a look behind the store, passes where the
/// `SessionStoreFixture` has none, as with a store that lives in its process.
public struct SessionStoreCheck: Sendable, CustomStringConvertible {
    /// What is checked, as a sentence.
    public let description: String
    private let body: @Sendable (SessionStoreFixture, Timestamp) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (any SessionStore, Timestamp) async throws -> Void) {
        self.init(description, with: { try await body($0.store, $1) })
    }

    /// A check of more than the one store.
    init(_ description: String, with body: @escaping @Sendable (SessionStoreFixture, Timestamp) async throws -> Void) {
        self.description = description
        self.body = body
    }

    /// Puts a store through the check.
    ///
    /// - Throws: `Failure` where the store does something else, or whatever the store throws.
    public func run(_ fixture: SessionStoreFixture) async throws {
        try await body(fixture, Timestamp(milliseconds: 1_796_000_000_000))
    }

    /// What a store did not do.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// What should have been true, and where that is written.
        public let description: String
    }

    /// Every check.
    public static let all: [SessionStoreCheck] = records + lives + limits + feeds + races + formats + replicas
}

/// Goes on only where something is as it should be.
func expect(_ what: String, _ isTrue: Bool, line: Int = #line) throws(SessionStoreCheck.Failure) {
    if !isTrue { throw SessionStoreCheck.Failure(description: "expected: \(what) (line \(line))") }
}

extension SessionStore {
    /// Adds a session with no limit in its way.
    func open(_ record: SessionRecord) async throws -> SessionRecord {
        try await create(record, limits: SessionLimits(perOwner: nil, total: .max))
    }

    /// The record of a session that has to be there.
    package func record(_ id: SessionID, line: Int = #line) async throws -> SessionRecord {
        guard case .live(let record) = try await read(id) else {
            throw SessionStoreCheck.Failure(description: "expected: the session is there (line \(line))")
        }
        return record
    }

    /// Makes a move by reading, changing and writing until nobody wrote in between, as a session does.
    func move(_ id: SessionID, by move: Move, answer: PageAnswer) async throws -> SessionRecord {
        while true {
            let (record, page) = try await record(id).moved(by: move, answer: answer)
            if try await replace(record, event: .page(page, record)) { return record }
        }
    }
}

extension SessionRecord {
    /// The record with its kept rows as text that starts at 0: where in which array they stand is a store's own affair.
    package var comparable: SessionRecord {
        var record = self
        if case .page(let page) = keptPage { record.keptPage = .page(page.comparable) }
        return record
    }
}

extension Page {
    /// The page with its rows as text that starts at 0.
    package var comparable: Page {
        var page = self
        page.rows = Rows(
            rows.blocks.map { block in
                let start = block.text.startIndex
                return Rows.Block(
                    text: Array(block.text)[...],
                    extents: block.extents.map { $0.lowerBound - start..<$0.upperBound - start })
            })
        return page
    }
}

extension SessionEvent {
    /// The event with its rows as text that starts at 0, and without the revision, which is a store's own affair.
    package var comparable: SessionEvent {
        func plain(_ record: SessionRecord) -> SessionRecord {
            var record = record.comparable
            record.revision = 0
            return record
        }
        switch self {
        case .page(let page, let record): return .page(page.comparable, plain(record))
        case .reset(let record): return .reset(plain(record))
        case .failure, .closed: return self
        }
    }
}
