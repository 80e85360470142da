import HTTPModel

/// A stretch of the keys of a table: those that are ≥ `lower` and < `upper`, in the instance's own order.
///
/// Bounds are numbers of 32 hexadecimal digits, so that they can be divided; keys need not be. Whatever order an instance
/// has for texts, as long as it has the digits in theirs, neighbouring ranges leave out no key and share none.
struct KeyRange: Sendable, Hashable {
    /// The first key; `nil` for no bound.
    var lower: UInt128?
    /// The first key behind; `nil` for no bound.
    var upper: UInt128?

    /// All keys.
    static let all = KeyRange(lower: nil, upper: nil)

    /// How many places there are to cut it at, give or take one.
    private var width: UInt128 { (upper ?? .max) - (lower ?? 0) }

    /// The share of all numbers of 32 hexadecimal digits that lies in it, give or take one.
    var share: Double { (Double(width) + 1) / Double(UInt128.max) }

    /// Whether there is a place to cut it at.
    var isDivisible: Bool { upper == nil ? width >= 1 : width >= 2 }

    /// Cuts it so that the front gets one of so many equal parts. It has to be divisible, and `parts` ≥ 2.
    func divided(into parts: Int) -> (front: KeyRange, rest: KeyRange) {
        let cut = (lower ?? 0) + max(1, width / UInt128(max(2, parts)))
        return (KeyRange(lower: lower, upper: cut), KeyRange(lower: cut, upper: upper))
    }
}

/// A bound as it is written in queries.
func keyText(_ bound: UInt128) -> String {
    let digits = String(bound, radix: 16)
    return String(repeating: "0", count: 32 - digits.utf8.count) + digits
}

/// The bound that a `sys_id` is; `nil` unless it is 32 hexadecimal digits.
func keyBound(_ text: String) -> UInt128? {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ hexadecimalValue($0) != nil }) else { return nil }
    return UInt128(text, radix: 16)
}
