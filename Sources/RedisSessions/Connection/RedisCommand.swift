/// A command as it goes over the wire: an array of strings, which may hold any bytes.
struct RedisCommand: Sendable {
    /// One of its strings.
    enum Argument: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        /// A text, in UTF-8.
        case text(String)
        /// Any bytes.
        case bytes([UInt8])
        /// A number, in digits.
        case integer(Int)

        /// The text as it is written.
        init(stringLiteral value: String) {
            self = .text(value)
        }

        /// The number as it is written.
        init(integerLiteral value: Int) {
            self = .integer(value)
        }
    }

    /// The encoded command.
    let encoded: [UInt8]

    /// Encodes a command.
    init(_ arguments: [Argument]) {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(arguments.reduce(16) { $0 + 24 + $1.sizeEstimate })
        encoded.append(prefix: 0x2A, count: arguments.count)
        for argument in arguments {
            switch argument {
            case .text(var text):
                text.withUTF8 { utf8 in
                    encoded.append(prefix: 0x24, count: utf8.count)
                    encoded.append(contentsOf: utf8)
                }
            case .bytes(let bytes):
                encoded.append(prefix: 0x24, count: bytes.count)
                encoded.append(contentsOf: bytes)
            case .integer(let value):
                let digits = String(value)
                encoded.append(prefix: 0x24, count: digits.utf8.count)
                encoded.append(contentsOf: digits.utf8)
            }
            encoded.append(contentsOf: [0x0D, 0x0A])
        }
        self.encoded = encoded
    }
}

extension RedisCommand.Argument {
    fileprivate var sizeEstimate: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .integer: 20
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(prefix: UInt8, count: Int) {
        append(prefix)
        append(contentsOf: String(count).utf8)
        append(contentsOf: [0x0D, 0x0A])
    }
}
