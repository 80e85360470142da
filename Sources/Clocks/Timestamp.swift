internal import Glibc

/// A moment in UTC, to the millisecond.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds; years 0 to 9999 can be written.
    public var milliseconds: Int

    /// Makes a moment.
    public init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// Whether one is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Whether it can be written, and reckoned with: it lies in the years 0 to 9999. What comes from a store need not.
    public var isCommon: Bool { -62_167_219_200_000...253_402_300_799_999 ~= milliseconds }

    /// The moment that many seconds later.
    public func adding(seconds: Int) -> Timestamp {
        Timestamp(milliseconds: milliseconds + seconds * 1000)
    }

    /// The whole seconds from now until then, rounded up, at least 1: what a `Retry-After` says.
    public func secondsLater(than now: Timestamp) -> Int {
        max(1, Int(clamping: (Int128(milliseconds) - Int128(now.milliseconds) + 999) / 1000))
    }

    /// The present moment by the system's clock.
    public static func now() -> Timestamp {
        var time = timespec()
        // Safe because the call only writes to the value it is given.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
    }

    /// Appends the moment as in `2026-11-30T03:00:00.125Z` (RFC 3339 §5.6), 24 ASCII bytes.
    ///
    /// The date comes from the day's number by counting eras of 400 years that begin on 1 March, so that the leap day
    /// is the last of its year.
    public func write(to bytes: inout [UInt8]) {
        let second = floorDivided(milliseconds, by: 1000)
        let day = floorDivided(second, by: 86_400)
        let secondOfDay = second - day * 86_400

        let shifted = day + 719_468  // days since 0000-03-01
        let era = floorDivided(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)

        append(year, digits: 4, to: &bytes)
        bytes.append(0x2D)
        append(month, digits: 2, to: &bytes)
        bytes.append(0x2D)
        append(dayOfYear - (153 * marchMonth + 2) / 5 + 1, digits: 2, to: &bytes)
        bytes.append(0x54)
        append(secondOfDay / 3600, digits: 2, to: &bytes)
        bytes.append(0x3A)
        append(secondOfDay / 60 % 60, digits: 2, to: &bytes)
        bytes.append(0x3A)
        append(secondOfDay % 60, digits: 2, to: &bytes)
        bytes.append(0x2E)
        append(milliseconds - second * 1000, digits: 3, to: &bytes)
        bytes.append(0x5A)
    }
}

private func floorDivided(_ value: Int, by divisor: Int) -> Int {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
}

private func append(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
    var divisor = digits == 4 ? 1000 : digits == 3 ? 100 : 10
    while divisor > 0 {
        bytes.append(UInt8(truncatingIfNeeded: 0x30 + value / divisor % 10))
        divisor /= 10
    }
}
