/// The text on one line of at most `limit` characters, safe to print: control characters, line breaks and marks that
/// turn the direction of writing are shown by their number.
func printable(_ text: String, limit: Int = 500) -> String {
    var line = ""
    var room = limit
    for scalar in text.unicodeScalars {
        let needsEscape =
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        let piece = needsEscape ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
        room -= piece.unicodeScalars.count
        guard room >= 0 else { return line + "…" }
        line += piece
    }
    return line
}
