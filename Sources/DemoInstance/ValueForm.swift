internal import HTTPModel
internal import SQLite

/// How a stored value becomes the text that the Table API shows.
enum ValueForm: Sendable {
    /// The text itself.
    case text
    /// The integer in decimal digits.
    case integer
    /// `true` for 1, else `false`.
    case boolean
    /// The moment as `yyyy-MM-dd HH:mm:ss` in UTC.
    case dateTime
    /// The day as `yyyy-MM-dd`.
    case date
    /// The label of a choice; the text itself where it has none.
    case textLabel([String: String])
    /// The label of a choice; the digits where it has none.
    case integerLabel([Int64: String])
    /// The `sys_id` of a row number in the storage of that seed.
    case identifier(UInt64)

    /// Appends a column's text as a JSON string in quotation marks; an empty one for NULL.
    func appendQuoted(_ row: borrowing SQLiteRow, _ column: Int, to bytes: inout [UInt8]) {
        bytes.append(0x22)
        append(row, column, to: &bytes)
        bytes.append(0x22)
    }

    /// Appends a column's text, escaped for JSON; nothing for NULL.
    func append(_ row: borrowing SQLiteRow, _ column: Int, to bytes: inout [UInt8]) {
        if case .text = self {
            let start = bytes.count
            if row.appendText(at: column, to: &bytes) { escape(&bytes, from: start) }
        } else if !row.isNull(at: column) {
            append(row.value(at: column), to: &bytes)
        }
    }

    /// Appends a value's text, escaped for JSON; nothing for `.null`.
    func append(_ value: SQLiteValue, to bytes: inout [UInt8]) {
        switch (self, value) {
        case (.identifier(let seed), .integer(let row)): SysID(table: seed, row: Int(row)).append(to: &bytes)
        case (.dateTime, .integer(let seconds)): DateText.append(seconds, to: &bytes)
        case (.date, .integer(let seconds)):
            DateText.append(seconds, to: &bytes)
            bytes.removeLast(9)
        case (.boolean, .integer(let number)): bytes += (number == 1 ? "true" : "false").utf8
        case (.integerLabel(let labels), .integer(let number)): appendEscaped(labels[number] ?? "\(number)", to: &bytes)
        case (_, .integer(let number)): bytes += String(number).utf8
        case (.textLabel(let labels), .text(let text)): appendEscaped(labels[text] ?? text, to: &bytes)
        case (_, .text(let text)): appendEscaped(text, to: &bytes)
        case (_, .null), (_, .real), (_, .blob): break
        }
    }

    private func appendEscaped(_ text: String, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes += text.utf8
        escape(&bytes, from: start)
    }

    /// Escapes what JSON does not allow in strings (RFC 8259 §7) in the bytes from there on.
    private func escape(_ bytes: inout [UInt8], from start: Int) {
        guard let first = bytes[start...].firstIndex(where: needsEscape) else { return }
        let tail = Array(bytes[first...])
        bytes.removeSubrange(first...)
        for byte in tail {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0x09: bytes += [0x5C, 0x74]
            case 0x0A: bytes += [0x5C, 0x6E]
            case 0x0D: bytes += [0x5C, 0x72]
            case 0..<0x20:
                bytes += [0x5C, 0x75, 0x30, 0x30, 0x30 + (byte >> 4), hexadecimalDigit(byte & 15)]
            default: bytes.append(byte)
            }
        }
    }

    private func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C
    }
}

extension FieldType {
    /// How a value is shown as it is.
    var valueForm: ValueForm {
        switch self {
        case .string, .choice, .foreignReference: .text
        case .integer, .integerChoice, .reference: .integer
        case .boolean: .boolean
        case .dateTime: .dateTime
        case .date: .date
        }
    }

    /// How a value is shown to a person.
    var displayForm: ValueForm {
        switch self {
        case .choice(let labels): .textLabel(labels)
        case .integerChoice(let labels): .integerLabel(labels)
        default: valueForm
        }
    }
}
