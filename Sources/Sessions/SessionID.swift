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
    public init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard digits.count == 32 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for digit in digits {
            let value: UInt8
            switch digit {
            case 0x30...0x39: value = digit - 0x30
            case 0x61...0x66: value = digit - 0x57
            default: return nil
            }
            halves = (halves.0 << 4 | halves.1 >> 60, halves.1 << 4 | UInt64(value))
        }
        (high, low) = halves
    }

    /// 32 hexadecimal digits.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        let nibbles = [high, low].flatMap { half in
            stride(from: UInt64(60), through: 0, by: -4).map { digits[Int(half >> $0 & 15)] }
        }
        return String(decoding: nibbles, as: UTF8.self)
    }
}
