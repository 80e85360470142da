/// The generator SplitMix64 (Steele, Lea, Flood 2014): small, and the same on every machine.
struct RandomSource {
    private var state: UInt64

    /// Starts a sequence.
    init(seed: UInt64) {
        state = seed
    }

    /// Starts the sequence of one row of one table: rows do not depend on how many there are.
    init(table: UInt64, row: Int) {
        state = Self.mixed(table ^ Self.mixed(UInt64(row)))
    }

    /// The next 64 bits.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// A number from 0 to below `bound`, which has to be positive.
    mutating func below(_ bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// True in that many of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool {
        below(100) < percent
    }

    /// One element of a list that is not empty.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// Spreads the bits of a number over all 64; different numbers stay different.
    static func mixed(_ value: UInt64) -> UInt64 {
        var value = value &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
