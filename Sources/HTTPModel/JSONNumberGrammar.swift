/// The grammar of one number.
struct JSONNumberGrammar {
    /// Whether signs, hexadecimal digits, bare points, and the names of what is no number are allowed.
    let json5: Bool

    /// Whether the whole text is a number that a `Double`, or for hexadecimal digits a `UInt`, can hold.
    func accepts(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        if rest.first == 0x2D || json5 && rest.first == 0x2B { rest = rest.dropFirst() }
        if json5 {
            if rest.elementsEqual("Infinity".utf8) || rest.elementsEqual("NaN".utf8) { return true }
            if rest.starts(with: "0x".utf8) || rest.starts(with: "0X".utf8) {
                let digits = rest.dropFirst(2)
                return digits.first != 0x2B && UInt(String(decoding: digits, as: UTF8.self), radix: 16) != nil
            }
        }
        let whole = digits(&rest)
        if whole.count > 1 && whole.first == 0x30 { return false }
        var fraction: ArraySlice<UInt8>?
        if rest.first == 0x2E {
            rest = rest.dropFirst()
            fraction = digits(&rest)
        }
        let hasDigits =
            json5 ? !whole.isEmpty || fraction?.isEmpty == false : !whole.isEmpty && fraction?.isEmpty != true
        guard hasDigits else { return false }
        var exponent: ArraySlice<UInt8> = []
        if rest.first == 0x65 || rest.first == 0x45 {
            // Foundation's JSON5 reader takes 0e5 for a number or for none, depending on which kind is asked for.
            if json5, fraction == nil, whole.elementsEqual([0x30]) { return false }
            rest = rest.dropFirst()
            if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
            exponent = digits(&rest)
            if exponent.isEmpty { return false }
        }
        guard rest.isEmpty else { return false }
        // Below 10^(200 + 99) nothing has to be converted to know that it is finite.
        if whole.count <= 200 && exponent.count <= 2 { return true }
        return Double(String(decoding: text.first == 0x2B ? text.dropFirst() : text, as: UTF8.self))?.isFinite ?? true
    }

    private func digits(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[digits.endIndex...]
        return digits
    }
}
