import Pagination

/// SipHash-2-4 with 128 bits of output (Aumasson, Bernstein, 2012), under a fixed key: a digest that is the same in
/// every process, so that it may be stored. It tells rows apart; it is no protection against somebody who forges them.
package enum SipHash {
    /// The digest of a message.
    package static func digest(
        _ message: [UInt8], key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
    ) -> (first: UInt64, second: UInt64) {
        var state = State(
            a: key.0 ^ 0x736F_6D65_7073_6575, b: key.1 ^ 0x646F_7261_6E64_6F83, c: key.0 ^ 0x6C79_6765_6E65_7261,
            d: key.1 ^ 0x7465_6462_7974_6573)
        var word: UInt64 = 0
        for (index, byte) in message.enumerated() {
            word |= UInt64(byte) << UInt64(index % 8 * 8)
            if index % 8 == 7 {
                state.absorb(word)
                word = 0
            }
        }
        state.absorb(word | UInt64(message.count % 256) << 56)
        state.c ^= 0xEE
        for _ in 0..<4 { state.round() }
        let first = state.a ^ state.b ^ state.c ^ state.d
        state.b ^= 0xDD
        for _ in 0..<4 { state.round() }
        return (first, state.a ^ state.b ^ state.c ^ state.d)
    }

    private struct State {
        var a, b, c, d: UInt64

        mutating func absorb(_ word: UInt64) {
            d ^= word
            round()
            round()
            a ^= word
        }

        mutating func round() {
            a &+= b
            b = rotate(b, 13) ^ a
            a = rotate(a, 32)
            c &+= d
            d = rotate(d, 16) ^ c
            a &+= d
            d = rotate(d, 21) ^ a
            c &+= b
            b = rotate(b, 17) ^ c
            c = rotate(c, 32)
        }

        private func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
            word << bits | word >> (64 - bits)
        }
    }
}

extension RowsDigest {
    /// The digest of what identifies the rows.
    init(of identity: [UInt8]) {
        let (first, second) = SipHash.digest(identity)
        self.init(high: first, low: second)
    }
}
