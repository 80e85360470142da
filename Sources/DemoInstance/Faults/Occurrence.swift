/// To which of the requests that a fault could happen to it happens.
public enum Occurrence: Sendable, Equatable {
    /// To all.
    case always
    /// To each Nth.
    case every(Int)
    /// To that share of them, 0…1, drawn by the seed.
    case ratio(Double)
    /// To the first N.
    case first(Int)

    /// Whether it happens to the request of that number; the first is 1.
    func includes(_ number: Int, seed: UInt64) -> Bool {
        switch self {
        case .always: true
        case .every(let interval): number % max(1, interval) == 0
        case .ratio(let ratio): RandomSource.fraction(seed ^ RandomSource.mixed(UInt64(number))) < ratio
        case .first(let count): number <= count
        }
    }
}

extension RandomSource {
    /// A number from 0 to below 1 that follows from another.
    static func fraction(_ value: UInt64) -> Double {
        Double(mixed(value) >> 11) * 0x1p-53
    }
}
