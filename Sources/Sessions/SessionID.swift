/// A session's name: 128 random bits, so that nobody finds one by guessing.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// Draws a new one from the system's secure generator.
    public init() {
        var generator = SystemRandomNumberGenerator()
        high = generator.next()
        low = generator.next()
    }

    /// Reads one as it was written: exactly 32 hexadecimal digits in lower case. There is no second spelling.
    public init?(_ text: String) {
        guard text.utf8.count == 32 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for digit in text.utf8 {
            let value: UInt8
            switch digit {
            case 0x30...0x39: value = digit - 0x30
            case 0x61...0x66: value = digit - 0x57
            default: return nil
            }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(value)
        }
        (self.high, self.low) = (high, low)
    }

    /// Reads one from its 16 bytes; `nil` for any other number of bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Its 16 bytes, the first digits first.
    package var bytes: [UInt8] {
        (0..<16).map { index in
            UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(8 * (7 - index & 7)))
        }
    }

    /// 32 hexadecimal digits.
    public var description: String {
        // One pass: a name is written several times for each request.
        let digits = (0..<32).map { index in
            let half = index < 16 ? high : low
            let value = UInt8(truncatingIfNeeded: half >> UInt64(4 * (15 - index & 15)) & 15)
            return value < 10 ? 0x30 + value : 0x57 + value
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
