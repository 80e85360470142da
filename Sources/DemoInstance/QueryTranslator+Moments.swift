internal import SQLite

/// Conditions on dates and times. On other fields they are invalid.
extension QueryTranslator {
    /// Parts of a date that conditions can compare, with SQL that takes them from seconds since 1970.
    private static let dateParts: [String: (before: String, after: String)] = [
        "dayofweek": ("(", " / 86400 + 3) % 7 + 1"), "hour": ("", " % 86400 / 3600"),
        "month": ("CAST(strftime('%m', ", ", 'unixepoch') AS INTEGER)"),
        "quarter": ("(CAST(strftime('%m', ", ", 'unixepoch') AS INTEGER) + 2) / 3"),
        "year": ("CAST(strftime('%Y', ", ", 'unixepoch') AS INTEGER)"),
    ]
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// `Today@start@end`, or one day.
    func on(_ field: ScopedField, _ operand: String) -> SQLFragment? {
        guard field.field.type.isMoment else { return nil }
        let parts = Self.parts(of: operand, by: 0x40)
        let script = DateScript(present: present)
        switch parts.count {
        case 1:
            guard let moment = script.moment(parts[0]) else { return .never }
            return within(field, CalendarUnit.day.start(of: moment), CalendarUnit.day.end(of: moment))
        case 3:
            guard let start = script.moment(parts[1]), let end = script.moment(parts[2]) else { return .never }
            return within(field, start, end)
        default: return .never
        }
    }

    /// `@unit@ago@number` or `@unit@ahead@number`.
    func relative(_ field: ScopedField, _ comparison: String, _ operand: String) -> SQLFragment? {
        let parts = Self.parts(of: operand, by: 0x40)
        guard field.field.type.isMoment, parts.count == 4, parts[0].isEmpty, let unit = CalendarUnit(name: parts[1]),
            ["ago", "ahead"].contains(parts[2]), let count = Int64(parts[3]), (0...100_000).contains(count)
        else { return nil }
        let moment = unit.shifted(present, by: parts[2] == "ago" ? -count : count)
        if comparison == "=" { return within(field, unit.start(of: moment), unit.end(of: moment)) }
        let value = field.expression
        return SQLFragment(text: "\(value.text) \(comparison) ?", values: value.values + [.integer(moment)])
    }

    /// `name@javascript:gs.datePart('month','january','EE')`.
    func datePart(_ field: ScopedField, _ operand: String) -> SQLFragment? {
        let parts = Self.parts(of: operand, by: 0x40)
        guard field.field.type.isMoment, parts.count == 2, parts[1].hasPrefix("javascript:"),
            let call = ScriptCall(parts[1].dropFirst("javascript:".count)), call.name == "datePart",
            call.arguments.count == 3, let part = Self.dateParts[call.arguments[0]],
            let value = partValue(call.arguments[1].lowercased(), of: call.arguments[0]),
            let comparison = ["EE": "=", "GE": ">=", "GT": ">", "LE": "<=", "LT": "<"][call.arguments[2]]
        else { return nil }
        let expression = field.expression.between("(" + part.before, part.after + ")")
        return SQLFragment(
            text: "\(expression.text) \(comparison) ?", values: expression.values + [.integer(value)])
    }

    private func partValue(_ text: String, of part: String) -> Int64? {
        let names = part == "dayofweek" ? Self.weekdays : part == "month" ? Self.months : []
        return names.firstIndex(of: text).map { Int64($0 + 1) } ?? Int64(text)
    }

    private func within(_ field: ScopedField, _ start: Int64, _ end: Int64) -> SQLFragment {
        let value = field.expression
        return SQLFragment(
            text: "\(value.text) BETWEEN ? AND ?", values: value.values + [.integer(start), .integer(end)])
    }
}
