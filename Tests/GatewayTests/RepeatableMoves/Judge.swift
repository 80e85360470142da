import HTTPModel

@testable import Gateway

/// Compares what clients hear with what a `SessionModel` of each session says that they must hear.
struct Judge {
    /// What came that should not have, or did not come.
    struct Difference: Error {
        var text: String
    }

    /// What an answer was.
    enum Outcome: CaseIterable, Hashable {
        case moved, readAhead, replayed, refetched, reset, stale, busy, refused, failed, expired
    }

    /// A session under test.
    struct Subject {
        var path: String
        var table: String
        var model: SessionModel
        /// The body with which its page was delivered.
        var body: [UInt8] = []
        var isGone = false

        var id: String { String(path.dropFirst("/sessions/".count)) }
    }

    /// That the instance failed.
    private struct Failed: Error {}

    private(set) var subjects: [Subject] = []
    private(set) var tally: [Outcome: Int] = [:]
    /// What the instance does wrong in this step, if anything.
    var fault: ChangingTables.Fault?
    private let memory: RandomMoves.Memory
    private let tables: ChangingTables
    private let log: WatchedSource.Log
    private let now: @Sendable () -> Duration
    private var usesFetch = false

    init(
        memory: RandomMoves.Memory, tables: ChangingTables, log: WatchedSource.Log,
        now: @escaping @Sendable () -> Duration
    ) {
        self.memory = memory
        self.tables = tables
        self.log = log
        self.now = now
    }

    /// Puts a new session at that place.
    mutating func open(_ index: Int, _ subject: Subject) {
        if index < subjects.count { subjects[index] = subject } else { subjects.append(subject) }
    }

    mutating func setFinishes(_ index: Int, _ value: Bool) { subjects[index].model.shouldFinish = value }

    /// Notes that a session was deleted. Whatever was under way for it comes to nothing.
    mutating func delete(_ index: Int) {
        subjects[index].isGone = true
        _ = log.takeFetches()
    }

    /// Looks whether the instance was asked for nothing that nobody needed.
    func endStep() throws {
        let left = log.takeFetches()
        try expect(left.isEmpty, "fetches that nobody needed: \(left)")
        let begun = log.begun + log.begunInBackground
        try expect(tables.requests <= begun, "\(tables.requests) requests for \(begun) fetches")
    }

    // MARK: Moves

    /// Judges the answer to a call, made from where the session stands by the model.
    ///
    /// - Parameters:
    ///   - isAlone: whether no other call was under way.
    ///   - subject: for a repeat that fetches: the session as it was when the call came.
    mutating func judge(
        _ call: RandomMoves.Call, _ answer: Answer, isAlone: Bool, repeating subject: Subject? = nil
    ) throws {
        do {
            if let subject { try judgeRepeat(call, answer, of: subject) } else { try judge(call, answer, isAlone) }
        } catch let difference as Difference {
            let status = answer.headers["Cache-Status"] ?? ""
            throw Difference(
                text: "\(call.text) was answered \(answer.status) \(status) \(answer.text): \(difference.text)")
        }
    }

    private mutating func judge(_ call: RandomMoves.Call, _ answer: Answer, _ isAlone: Bool) throws {
        let subject = subjects[call.subject]
        if subject.isGone {
            try expectProblem(answer, "session-expired", 410)
            return count(.expired)
        }
        if subject.model.isRepeat(call.move, from: call.start) { return try judgeRepeat(call, answer, of: subject) }
        if let start = call.start, start != subject.model.position {
            try expectProblem(answer, "position-stale", 412)
            try expectEqual(try answer["position"], .integer(subject.model.position), "position")
            return count(.stale)
        }
        usesFetch = false
        var model = subject.model
        do {
            guard let page = try model.make(call.move, ask: { try rows($0, of: subject.table, for: call.number) })
            else {
                try expectSession(answer, model, of: subject, isBusy: isAlone ? false : nil)
                subjects[call.subject].model = model
                log.giveUpAhead(by: call.number, subject.table)
                return count(.reset)
            }
            try expectPage(answer, page, of: subject, knowsLast: model.knowsLast)
            let status = answer.headers["Cache-Status"] ?? ""
            if usesFetch {
                try expect(status.hasPrefix("paginatord; fwd=miss") && !status.contains("detail"), status)
            } else {
                try expectEqual(status, "paginatord; hit; detail=read-ahead", "Cache-Status")
            }
            subjects[call.subject].model = model
            subjects[call.subject].body = answer.body
            if call.move != .next { log.giveUpAhead(by: call.number, subject.table) }
            count(usesFetch ? .moved : .readAhead)
        } catch let refusal as SessionModel.Refusal {
            try expectProblem(answer, refusal.rawValue, 409)
            guard case .object(let members)? = try answer["session"] else { throw Difference(text: "no session") }
            try expectSession(members, subject.model, of: subject, isBusy: isAlone ? false : nil)
            count(.refused)
        } catch is Failed {
            try expectFault(answer)
        }
    }

    /// Judges the answer to a call that comes again: the page that it brought, and nothing moves.
    private mutating func judgeRepeat(_ call: RandomMoves.Call, _ answer: Answer, of subject: Subject) throws {
        guard var page = subject.model.kept else {
            try expectSession(answer, subject.model, of: subject, isBusy: nil)
            return count(.reset)
        }
        let bytes = page.rows.text.utf8.count
        if answer.headers["Cache-Status"] == "paginatord; hit; detail=replay" {
            try expect(mayKeep(bytes), "a page of \(bytes) bytes was kept")
            try expect(answer.body == subject.body, "the repeat is another page: \(answer.text)")
            try expectPage(answer, page, of: subject, knowsLast: subject.model.knowsLast)
            return count(.replayed)
        }
        try expect(mayLose(bytes), "a page of \(bytes) bytes was not kept")
        do {
            page.rows = try rows(subject.model.window(page.number), of: subject.table, for: call.number, isRepeat: true)
        } catch is Failed {
            return try expectFault(answer)
        }
        try expectPage(answer, page, of: subject, knowsLast: subject.model.knowsLast)
        let status = answer.headers["Cache-Status"] ?? ""
        try expect(status.hasPrefix("paginatord; fwd=miss") && status.hasSuffix("; detail=refetch"), status)
        count(.refetched)
    }

    /// Judges a call that may not wait, or whose caller was gone before its turn came.
    mutating func judgeBusy(_ answer: Answer) throws {
        try expectProblem(answer, "paginator-busy", 409)
        try expect(answer.headers["Retry-After"] != nil, "no Retry-After")
        count(.busy)
    }

    /// Judges a page asked for by its number.
    mutating func judgePage(_ index: Int, _ number: Int, by call: Int, _ answer: Answer) throws {
        let subject = subjects[index]
        if subject.isGone { return try expectProblem(answer, "session-expired", 410) }
        do {
            let page = try subject.model.look(at: number) { try rows($0, of: subject.table, for: call, isRepeat: true) }
            try expectPage(answer, page, of: subject, knowsLast: nil)
        } catch let refusal as SessionModel.Refusal {
            try expectProblem(answer, refusal.rawValue, 409)
        } catch is Failed {
            try expectFault(answer)
        }
    }

    /// Judges how a session is shown.
    func judgeSession(_ index: Int, _ answer: Answer, isBusy: Bool?) throws {
        let subject = subjects[index]
        if subject.isGone { return try expectProblem(answer, "session-expired", 410) }
        try expectSession(answer, subject.model, of: subject, isBusy: isBusy)
    }

    private mutating func count(_ outcome: Outcome) { tally[outcome, default: 0] += 1 }

    /// The rows that a move got: just now, or, for a move that is no repeat, at most 30 s ago.
    private mutating func rows(
        _ window: SessionModel.Window, of table: String, for call: Int, isRepeat: Bool = false
    ) throws -> SessionModel.Rows {
        if let fetch = log.takeFetch(by: call, table, window) {
            usesFetch = true
            guard fetch.succeeded == true else { throw Failed() }
            guard let now = tables.table(table, version: tables.version(of: table)) else { throw Failed() }
            return now.rows(window)
        }
        if !isRepeat, !usesFetch, let page = log.takePageAhead(by: call, table, window),
            page.time + .seconds(30) > now(),
            let then = tables.table(table, version: page.version)
        {
            return then.rows(window)
        }
        throw Difference(text: "rows that nobody fetched: \(window)")
    }

    private func mayKeep(_ bytes: Int) -> Bool {
        switch memory {
        case .ample: true
        case .smallPages: bytes <= RandomMoves.Memory.pageBytes
        case .shared: bytes <= RandomMoves.Memory.sharedBytes
        case .none: bytes == 0
        }
    }

    private func mayLose(_ bytes: Int) -> Bool {
        switch memory {
        case .ample: false
        case .smallPages: bytes > RandomMoves.Memory.pageBytes
        case .shared, .none: bytes > 0
        }
    }

    private mutating func expectFault(_ answer: Answer) throws {
        guard let problem = fault?.problem else { throw Difference(text: "a failure without a fault: \(answer.text)") }
        try expectProblem(answer, problem.name, problem.status)
        count(.failed)
    }
}
