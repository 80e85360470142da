/// The grammar of one number.
struct JSONNumberGrammar {
    /// Whether signs, hexadecimal digits, bare points, and the names of what is no number are allowed.
    let json5: Bool

    /// Whether the whole text is a number that a `Double`, or for hexadecimal digits a `UInt`, can hold.
    func accepts(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == 0x2D || json5 && rest.first == 0x2B { rest = rest.dropFirst() }
        if json5 {
            if rest.elementsEqual("Infinity".utf8) || rest.elementsEqual("NaN".utf8) { return true }
            if rest.starts(with: "0x".utf8) || rest.starts(with: "0X".utf8) {
                let digits = rest.dropFirst(2)
                return digits.first != 0x2B && UInt(Substring(digits), radix: 16) != nil
            }
        }
        let whole = digits(&rest)
        if whole.count > 1 && whole.first == 0x30 { return false }
        var fraction: Substring.UTF8View?
        if rest.first == 0x2E {
            rest = rest.dropFirst()
            fraction = digits(&rest)
        }
        let hasDigits =
            json5 ? !whole.isEmpty || fraction?.isEmpty == false : !whole.isEmpty && fraction?.isEmpty != true
        guard hasDigits else { return false }
        if rest.first == 0x65 || rest.first == 0x45 {
            rest = rest.dropFirst()
            if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
            if digits(&rest).isEmpty { return false }
        }
        return rest.isEmpty
            && (Double(json5 && text.hasPrefix("+") ? String(text.dropFirst()) : text)?.isFinite ?? true)
    }

    private func digits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[digits.endIndex...]
        return digits
    }
}
