internal import HTTPModel
internal import SQLite

/// The places of a small table's rows in one term of ORDER BY: found once, they order whatever rows match a query by
/// counting, which takes a small part of the time that SQLite needs to sort them, or to meet them in an index's order.
struct Ranking {
    /// The rank of each row by its number, from 0; equal for rows that the term leaves equal.
    private let ranks: [Int32]
    private let last: Int
    private let isDescending: Bool

    /// Takes the ranks of the rows as they ascend.
    init(_ ranks: [Int32], isDescending: Bool) {
        self.ranks = ranks
        self.isDescending = isDescending
        last = Int(ranks.max() ?? 0)
    }

    /// Reads the ranks of the rows from 1 to `size` out of a statement that gives row numbers with the values that they
    /// are ordered by, in order.
    ///
    /// - Throws: `SQLiteError`.
    static func ranks(
        _ select: SQLFragment, size: Int, _ database: SQLiteDatabase
    ) throws(SQLiteError) -> [Int32] {
        var ranks = [Int32](repeating: 0, count: size + 1)
        var rank: Int32 = 0
        var previous: SQLiteValue?
        try database.query(select.text, select.values) { row in
            let value = row.value(at: 1)
            if let previous, !isSame(value, previous) { rank += 1 }
            previous = value
            ranks[Int(row.integer(at: 0))] = rank
        }
        return ranks
    }

    /// Orders rows by this term and leaves those as they are that it finds equal.
    func sorted(_ rows: [Int32]) -> [Int32] {
        var starts = [Int](repeating: 0, count: last + 2)
        for row in rows { starts[place(of: row) + 1] += 1 }
        for index in starts.indices.dropFirst() { starts[index] += starts[index - 1] }
        var sorted = rows
        for row in rows {
            let place = place(of: row)
            sorted[starts[place]] = row
            starts[place] += 1
        }
        return sorted
    }

    private func place(of row: Int32) -> Int {
        let rank = Int(ranks[Int(row)])
        return isDescending ? last - rank : rank
    }

    /// Whether SQLite finds two values equal: texts without regard to the case of ASCII letters.
    private static func isSame(_ left: SQLiteValue, _ right: SQLiteValue) -> Bool {
        if case (.text(let left), .text(let right)) = (left, right) { return equalIgnoringCase(left, right) }
        return left == right
    }
}
