internal import HTTPModel

/// A record's `sys_id`: 32 hexadecimal digits, well spread, made from its table and its row number alone. So a
/// reference is stored as a row number and its `sys_id` needs no look-up.
struct SysID {
    /// The first 16 digits' value; different for every row of a table.
    var high: UInt64
    /// The last 16 digits' value.
    var low: UInt64

    /// The identifier of one row.
    init(table: UInt64, row: Int) {
        high = RandomSource.mixed(table ^ UInt64(truncatingIfNeeded: row))
        low = RandomSource.mixed(high ^ table)
    }

    /// The rows from 1 to `count` in the order of their identifiers.
    static func order(table: UInt64, count: Int) -> [Int] {
        (1..<count + 1).map { (SysID(table: table, row: $0).high, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Appends the 32 digits.
    func append(to bytes: inout [UInt8]) {
        for half in [high, low] {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                bytes.append(hexadecimalDigit(UInt8(truncatingIfNeeded: half >> shift) & 15))
            }
        }
    }

    /// The 32 digits.
    var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
