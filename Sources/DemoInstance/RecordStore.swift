internal import Locks
internal import SQLite

/// The instance's records in SQLite, in memory, with the answers that it keeps.
final class RecordStore: Sendable {
    private let connection: SQLiteConnection
    private let sizes: [String: Int]
    private let counts = Lock(BoundedMemory<Int>(bound: 1 << 20))
    /// Lists, and the ranks that order them.
    private let lists = Lock(BoundedMemory<[Int32]>(bound: 4 << 20))
    /// Where walks through large tables end.
    private let boundaries = Lock(BoundedMemory<SQLiteValue>(bound: 1 << 16))
    private let smallTable: Int

    /// A list of a larger table is kept from its second page on where it is no longer than this.
    private var longestKeptList: Int { 10 * smallTable }

    /// Makes the tables, their rows and their indexes.
    ///
    /// - Parameter smallTable: a table with at most that many rows is listed as a whole where a scan is needed at all:
    ///   it then gives both the count and the page, and the pages behind it cost nothing.
    /// - Throws: `SQLiteError`, for one where memory does not suffice.
    init(_ tables: [StoredRows], smallTable: Int) async throws(SQLiteError) {
        self.smallTable = smallTable
        connection = try await SQLiteConnection.open(.memory)
        sizes = Dictionary(tables.map { ($0.schema.storage, $0.count) }) { first, _ in first }
        for table in tables { try await table.create(on: connection) }
        try await connection.run { (database) throws(SQLiteError) in
            // The planner has to know how selective the indexes are.
            try database.execute("PRAGMA analysis_limit = 1000")
            try database.execute("ANALYZE")
        }
    }

    /// Whether a table has too many rows to be listed as a whole.
    func isLarge(_ table: TableSchema) -> Bool {
        sizes[table.storage, default: 0] > smallTable
    }

    /// One page of a list.
    struct Page: Sendable {
        /// How many records match in all; `nil` where they were not to be counted.
        var total: Int?
        /// The body `{"result":[…]}`.
        var body: [UInt8]
        /// The number of rows in it.
        var rowCount: Int
    }

    /// Counts and reads a list.
    ///
    /// - Parameters:
    ///   - counts: whether to count.
    ///   - template: how to write the rows; `nil` for none, where only the head is wanted.
    /// - Throws: `SQLiteError`.
    func page(
        _ plan: ListPlan, limit: Int, offset: Int, counts: Bool, template: RowTemplate?
    ) async throws(SQLiteError) -> Page {
        try await connection.run { (database) throws(SQLiteError) in
            let (total, rows) = try self.rows(plan, limit: limit, offset: offset, counts: counts, database)
            var page = Page(total: counts ? total : nil, body: Array(#"{"result":["#.utf8), rowCount: rows.count)
            if let template {
                page.body.reserveCapacity(64 + rows.count * 2048)
                for row in rows {
                    if page.body.last == 0x7D { page.body.append(0x2C) }
                    try Self.write(Int64(row), template, database, to: &page.body)
                }
                page.body += "]}".utf8
            }
            return page
        }
    }

    /// How many records match.
    /// - Throws: `SQLiteError`.
    func count(_ plan: ListPlan) async throws(SQLiteError) -> Int {
        try await connection.run { (database) throws(SQLiteError) in try self.count(plan, database) }
    }

    /// The body `{"result":{…}}` of one record; `nil` where the table has none with that `sys_id`.
    /// - Throws: `SQLiteError`.
    func record(
        sysID: String, of table: TableSchema, template: RowTemplate
    ) async throws(SQLiteError) -> [UInt8]? {
        try await connection.run { (database) throws(SQLiteError) in
            let row = try database.first("SELECT id FROM \(table.storage) WHERE sys_id = ?", [.text(sysID)]) {
                $0.integer(at: 0)
            }
            guard let row else { return nil }
            var body = Array(#"{"result":"#.utf8)
            try Self.write(row, template, database, to: &body)
            return body + [0x7D]
        }
    }

    /// The total, where it is known or wanted, and the row numbers of a page.
    private func rows(
        _ plan: ListPlan, limit: Int, offset: Int, counts: Bool, _ database: SQLiteDatabase
    ) throws(SQLiteError) -> (total: Int?, rows: [Int32]) {
        let size = sizes[plan.storage, default: 0]
        var list = lists.withLock { $0.value(of: plan.all) }
        var total = list?.count
        if list == nil {
            let isSmall = size <= smallTable
            total = self.counts.withLock { $0.value(of: plan.count) }
            // Where the count costs little and an index has the order, the first page needs no scan.
            let isCheap = offset == 0 && plan.hasIndexedOrder && (plan.isSummarised || total != nil)
            if total == nil, isSmall ? isCheap : counts { total = try count(plan, database) }
            if isSmall ? !isCheap : offset > 0 && total ?? .max <= longestKeptList {
                let all =
                    try isSmall
                    ? ordered(plan, size: size, database)
                    // Few of many are not met by a walk through all of them.
                    : numbers(!plan.walksWithinIndex && total ?? size < size / 2 ? plan.allSorted : plan.all, database)
                lists.withLock { $0.keep(all, size: all.count, for: plan.all) }
                total = all.count
                list = all
            }
        }
        if let list {
            let start = min(offset, list.count)
            return (total, Array(list[start..<start + min(limit, list.count - start)]))
        }
        return (total, try walked(plan, limit: limit, offset: offset, total: total, size: size, database))
    }

    /// The row numbers of one page of a large table.
    private func walked(
        _ plan: ListPlan, limit: Int, offset: Int, total: Int?, size: Int, _ database: SQLiteDatabase
    ) throws(SQLiteError) -> [Int32] {
        guard let total,
            let reach = plan.reach(limit: limit, offset: offset, total: total, size: size, shortest: smallTable),
            let boundary = try boundary(plan, reach, database)
        else {
            return try numbers(plan.page(limit: limit, offset: offset, total: total, size: size), database)
        }
        let rows = try numbers(plan.page(limit: limit, offset: offset, upTo: boundary), database)
        if rows.count == min(limit, max(0, total - offset)) { return rows }
        return try numbers(plan.sortedPage(limit: limit, offset: offset), database)
    }

    private func boundary(
        _ plan: ListPlan, _ reach: Int, _ database: SQLiteDatabase
    ) throws(SQLiteError) -> SQLiteValue? {
        guard let select = plan.boundary(reach: reach) else { return nil }
        if let known = boundaries.withLock({ $0.value(of: select) }) { return known }
        let boundary = try database.first(select.text, select.values) { $0.value(at: 0) }
        guard let boundary, boundary != .null else { return nil }
        boundaries.withLock { $0.keep(boundary, size: 1, for: select) }
        return boundary
    }

    private func count(_ plan: ListPlan, _ database: SQLiteDatabase) throws(SQLiteError) -> Int {
        if let known = counts.withLock({ $0.value(of: plan.count) }) { return known }
        let count = try database.first(plan.count.text, plan.count.values) { Int($0.integer(at: 0)) } ?? 0
        counts.withLock { $0.keep(count, size: 1, for: plan.count) }
        return count
    }

    /// The row numbers of a small table's list. What matches is found in the order in which it is read fastest.
    private func ordered(
        _ plan: ListPlan, size: Int, _ database: SQLiteDatabase
    ) throws(SQLiteError) -> [Int32] {
        guard plan.hasOwnOrder else { return try numbers(plan.all, database) }
        var rows = try numbers(plan.matching, database)
        // A stable sort by the last term first.
        for term in plan.terms.reversed() {
            rows = Ranking(try ranks(plan, term, size: size, database), isDescending: term.isDescending).sorted(rows)
        }
        return rows
    }

    private func ranks(
        _ plan: ListPlan, _ term: OrderTerm, size: Int, _ database: SQLiteDatabase
    ) throws(SQLiteError) -> [Int32] {
        let select = plan.values(of: term)
        if let known = lists.withLock({ $0.value(of: select) }) { return known }
        let ranks =
            term.column == "id" ? Array(0...Int32(size)) : try Ranking.ranks(select, size: size, database)
        lists.withLock { $0.keep(ranks, size: ranks.count, for: select) }
        return ranks
    }

    private func numbers(_ select: SQLFragment, _ database: SQLiteDatabase) throws(SQLiteError) -> [Int32] {
        var rows: [Int32] = []
        try database.query(select.text, select.values) { rows.append(Int32(truncatingIfNeeded: $0.integer(at: 0))) }
        return rows
    }

    private static func write(
        _ row: Int64, _ template: RowTemplate, _ database: SQLiteDatabase, to bytes: inout [UInt8]
    ) throws(SQLiteError) {
        let values = template.select.values + [.integer(row)]
        try database.query(template.select.text, values) { template.write($0, to: &bytes) }
    }
}
