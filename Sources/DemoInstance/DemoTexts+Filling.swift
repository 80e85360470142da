extension String {
    /// The text with zeros in front, so that it has at least that many characters.
    func leftPadded(to width: Int) -> String {
        String(repeating: "0", count: Swift.max(0, width - utf8.count)) + self
    }
}

extension DemoTexts {
    /// A complaint with its subject in place of `%`; `%%` stands for a percent sign.
    static func filled(_ complaint: String, with subject: String) -> String {
        var text = ""
        var isEscape = false
        for character in complaint.unicodeScalars {
            if character == "%" {
                if isEscape { text += "%" }
                isEscape.toggle()
            } else {
                if isEscape { text += subject }
                isEscape = false
                text.unicodeScalars.append(character)
            }
        }
        return isEscape ? text + subject : text
    }
}
