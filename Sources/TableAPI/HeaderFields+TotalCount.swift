import HTTPModel

extension HeaderFields {
    /// The count of rows in `X-Total-Count`. It counts rows that access rules hide.
    ///
    /// `nil` where there is none that can be relied on: not a decimal number that fits, or several that differ.
    var totalCount: Int? {
        var count: Int?
        for value in values(of: "X-Total-Count").flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) })
        {
            guard let number = decimalNumber(value.trimmingSpaces), count ?? number == number else { return nil }
            count = number
        }
        return count
    }
}

/// The value of a text that is nothing but decimal digits, where it fits.
func decimalNumber(_ text: some StringProtocol) -> Int? {
    text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
}

/// The value of a text that is nothing but decimal digits, at least one; where it does not fit, as much as can be.
func saturatedNumber(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Int(text) ?? .max
}

extension Substring {
    /// The text without spaces and tabs around it.
    var trimmingSpaces: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text = text.dropLast() }
        return text
    }
}
