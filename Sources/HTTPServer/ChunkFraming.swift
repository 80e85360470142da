/// Whether a body's chunks are as RFC 9112, 7.1 has them, to the byte.
///
/// libmicrohttpd takes more, and ends bodies where others do not; it decodes, and this only says whether all would decode alike.
struct ChunkFraming {
    private enum State: Equatable {
        case size(Int, digits: Int)
        case chunkExtension(Int)
        case sizeEnd(Int)
        case data(Int)
        case dataEnd
        case dataLineFeed
        case trailerStart
        case trailer
        case trailerEnd
        case end
        case whole
        case wrong
    }
    private var state = State.size(0, digits: 0)

    /// Whether the last chunk has come, and the trailer's end, and nothing was wrong. What comes behind is not looked at.
    var isWhole: Bool { state == .whole }

    /// Takes the next bytes.
    mutating func take(_ bytes: some RandomAccessCollection<UInt8>) {
        var bytes = bytes[...]
        while let byte = bytes.first, state != .whole, state != .wrong {
            if case .data(let rest) = state, rest > 1 {
                let count = min(rest - 1, bytes.count)
                state = .data(rest - count)
                bytes = bytes.dropFirst(count)
            } else {
                state = Self.next(state, byte)
                bytes = bytes.dropFirst()
            }
        }
    }

    private static func next(_ state: State, _ byte: UInt8) -> State {
        switch (state, byte) {
        case (.size(let size, let digits), 0x0D) where digits > 0: .sizeEnd(size)
        case (.size(let size, let digits), 0x3B) where digits > 0: .chunkExtension(size)
        case (.size(let size, let digits), _):
            if let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80, size < 1 << 40 {
                .size(size << 4 + digit, digits: digits + 1)
            } else {
                .wrong
            }
        case (.chunkExtension(let size), 0x0D): .sizeEnd(size)
        case (.chunkExtension, _): isText(byte) ? state : .wrong
        case (.sizeEnd(0), 0x0A): .trailerStart
        case (.sizeEnd(let size), 0x0A): .data(size)
        case (.data(1), _): .dataEnd
        case (.dataEnd, 0x0D): .dataLineFeed
        case (.dataLineFeed, 0x0A): .size(0, digits: 0)
        case (.trailerStart, 0x0D): .end
        case (.trailerStart, _): isText(byte) && ![0x09, 0x20, 0x3A].contains(byte) ? .trailer : .wrong
        case (.trailer, 0x0D): .trailerEnd
        case (.trailer, _): isText(byte) ? .trailer : .wrong
        case (.trailerEnd, 0x0A): .trailerStart
        case (.end, 0x0A): .whole
        default: .wrong
        }
    }

    private static func isText(_ byte: UInt8) -> Bool {
        byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
    }
}
