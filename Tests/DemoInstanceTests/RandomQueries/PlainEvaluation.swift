import Foundation

/// Evaluates encoded queries over the records as the Table API shows them: a second implementation of what the
/// instance's reference says, with a parser of its own and without SQL.
struct PlainEvaluation {
    let records: PlainRecords
    let calendar: PlainCalendar
    let table: String

    /// The `sys_id`s of the records that a query finds, ordered as it says; those that it leaves equal come by
    /// `sys_id`.
    func result(_ query: String) -> [String] {
        var groups: [[[String]]] = [[]]
        var orders: [(path: String, isDescending: Bool)] = []
        for part in query.components(separatedBy: "^") where !part.isEmpty {
            if part.hasPrefix("ORDERBYDESC") {
                orders.append((String(part.dropFirst(11)), true))
            } else if part.hasPrefix("ORDERBY") {
                orders.append((String(part.dropFirst(7)), false))
            } else if part == "EQ" {
                continue
            } else if part.hasPrefix("NQ") {
                groups.append([[String(part.dropFirst(2))]])
            } else if part.hasPrefix("OR"), !groups[groups.count - 1].isEmpty {
                let last = groups.count - 1
                groups[last][groups[last].count - 1].append(String(part.dropFirst(2)))
            } else {
                groups[groups.count - 1].append([part])
            }
        }
        let found = union(groups.compactMap(intersection)) ?? Array(repeating: true, count: records.count(table))
        return sorted(found.indices.filter { found[$0] }, orders).map { records.identifiers(table)[$0] }
    }

    /// `nil` where nothing of a group can be understood.
    private func intersection(_ terms: [[String]]) -> [Bool]? {
        let masks = terms.compactMap { union($0.compactMap(mask)) }
        guard var result = masks.first else { return nil }
        for mask in masks.dropFirst() {
            for index in result.indices where !mask[index] { result[index] = false }
        }
        return result
    }

    private func union(_ masks: [[Bool]]) -> [Bool]? {
        guard var result = masks.first else { return nil }
        for mask in masks.dropFirst() {
            for index in result.indices where mask[index] { result[index] = true }
        }
        return result
    }

    private func sorted(_ rows: [Int], _ orders: [(path: String, isDescending: Bool)]) -> [Int] {
        let columns = orders.compactMap { order in
            records.column(order.path, of: table).map { ($0, order.isDescending) }
        }
        return rows.sorted { left, right in
            for (column, isDescending) in columns {
                let (first, second) = (column.ranks[left], column.ranks[right])
                if first != second { return isDescending ? first > second : first < second }
            }
            return left < right
        }
    }

    // MARK: Conditions

    /// Operators, those first that begin with others.
    private static let operators = [
        "ISNOTEMPTY", "ISEMPTY", "EMPTYSTRING", "ANYTHING", "STARTSWITH", "ENDSWITH", "CONTAINS", "NOT LIKE", "NOTLIKE",
        "LIKE", "NSAMEAS", "SAMEAS", "GT_OR_EQUALS_FIELD", "LT_OR_EQUALS_FIELD", "GT_FIELD", "LT_FIELD", "MORETHAN",
        "LESSTHAN", "BETWEEN", "DATEPART", "RELATIVEGE", "RELATIVEGT", "RELATIVELE", "RELATIVELT", "RELATIVEEE",
        "INSTANCEOF", "IN_HIERARCHY", "NOTON", "ON", "NOT IN", "NOTIN", "IN", "!=", "!*", "<=", ">=", "<", ">", "=",
        "*", "%",
    ]

    private static let classes = ["task": ["incident", "problem", "change_request"], "cmdb_ci": ["cmdb_ci_server"]]

    /// For each record whether the condition holds; `nil` where the condition cannot be understood.
    private func mask(_ condition: String) -> [Bool]? {
        guard let end = condition.firstIndex(where: { !($0.isLowercase || $0.isNumber || $0 == "." || $0 == "_") }),
            let name = Self.operators.first(where: { condition[end...].hasPrefix($0) }),
            let column = records.column(String(condition[..<end]), of: table)
        else { return nil }
        let operand = String(condition[end...].dropFirst(name.count))
        let isEmpty = { (row: Int) in column.values[row].isEmpty }
        switch name {
        case "IN_HIERARCHY": return nil
        case "ANYTHING": return all { _ in true }
        case "ISEMPTY", "EMPTYSTRING": return all(isEmpty)
        case "ISNOTEMPTY": return all { !isEmpty($0) }
        case "=": return oneOf(column, [operand])
        case "!=": return oneOf(column, [operand]).map { !$0 }
        case "IN": return oneOf(column, operand.components(separatedBy: ","))
        case "NOT IN", "NOTIN": return oneOf(column, operand.components(separatedBy: ",")).map { !$0 }
        case "INSTANCEOF":
            return column.kind == .text ? oneOf(column, [operand] + (Self.classes[operand] ?? [])) : nil
        case "<", "<=", ">", ">=": return ordered(column, name, operand)
        case "BETWEEN":
            let limits = operand.components(separatedBy: "@")
            guard limits.count == 2 else { return all { _ in false } }
            return intersectionOf(ordered(column, ">=", limits[0]), ordered(column, "<=", limits[1]))
        case "LIKE", "*", "CONTAINS": return texts(column) { contains($0, lowered(operand)) }
        case "NOT LIKE", "NOTLIKE", "!*": return texts(column) { contains($0, lowered(operand)) }.map { !$0 }
        case "STARTSWITH": return texts(column) { $0.starts(with: lowered(operand)) }
        case "ENDSWITH", "%": return texts(column) { $0.reversed().starts(with: lowered(operand).reversed()) }
        case "SAMEAS": return same(column, operand)
        case "NSAMEAS": return same(column, operand)?.map { !$0 }
        case "GT_FIELD", "LT_FIELD", "GT_OR_EQUALS_FIELD", "LT_OR_EQUALS_FIELD":
            return compared(column, name, operand)
        case "MORETHAN", "LESSTHAN": return span(column, operand, isMore: name == "MORETHAN")
        case "ON": return on(column, operand)
        case "NOTON": return on(column, operand)?.map { !$0 }
        case "DATEPART": return part(column, operand)
        default: return relative(column, String(name.dropFirst("RELATIVE".count)), operand)
        }
    }

    private func all(_ holds: (Int) -> Bool) -> [Bool] {
        (0..<records.count(table)).map(holds)
    }

    private func intersectionOf(_ left: [Bool], _ right: [Bool]) -> [Bool] {
        zip(left, right).map { $0 && $1 }
    }

    private func lowered(_ text: String) -> [UInt8] {
        Array(text.asciiLowercased.utf8)
    }

    private func texts(_ column: PlainRecords.Column, _ holds: ([UInt8]) -> Bool) -> [Bool] {
        all { !column.shown[$0].isEmpty && holds(column.shown[$0]) }
    }

    private func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        // Pointers, because this runs millions of times and tests are not optimised. Safe because no index passes the
        // counts, and neither pointer leaves its closure.
        text.withUnsafeBufferPointer { text in
            part.withUnsafeBufferPointer { part in
                var start = 0
                while start + part.count <= text.count {
                    var length = 0
                    while length < part.count, text[start + length] == part[length] { length += 1 }
                    if length == part.count { return true }
                    start += 1
                }
                return false
            }
        }
    }

    private func oneOf(_ column: PlainRecords.Column, _ operands: [String]) -> [Bool] {
        let wanted: [String] = operands.compactMap { operand in
            if operand.isEmpty { return "" }
            switch column.kind {
            case .text, .reference: return operand.asciiLowercased
            case .number: return Int(operand).map { String($0) }
            case .flag:
                return ["true": "true", "1": "true", "false": "false", "0": "false"][operand.asciiLowercased]
            case .moment: return calendar.moment(operand).map(calendar.text)
            case .day:
                let text = calendar.moment(operand).map(calendar.text)
                return text.flatMap { $0.hasSuffix("00:00:00") ? String($0.prefix(10)) : nil }
            }
        }
        return all { wanted.contains(column.values[$0].asciiLowercased) }
    }

    private func ordered(_ column: PlainRecords.Column, _ name: String, _ operand: String) -> [Bool] {
        func holds(_ comparison: Int) -> Bool {
            switch name {
            case "<": comparison < 0
            case "<=": comparison <= 0
            case ">": comparison > 0
            default: comparison >= 0
            }
        }
        switch column.kind {
        case .number, .flag:
            let flags = ["true": 1, "1": 1, "false": 0, "0": 0]
            guard let limit = column.kind == .flag ? flags[operand.asciiLowercased] : Int(operand) else {
                return all { _ in false }
            }
            return all { row in
                guard let value = Int(column.values[row]) ?? flags[column.values[row]] else { return false }
                return holds(value - limit)
            }
        case .moment, .day:
            guard let limit = calendar.moment(operand).map(calendar.text) else { return all { _ in false } }
            return all { row in
                let value = column.kind == .day ? column.values[row] + " 00:00:00" : column.values[row]
                return !column.values[row].isEmpty && holds(compare(Array(value.utf8), Array(limit.utf8)))
            }
        case .text, .reference:
            let limit = lowered(operand)
            return all { !column.shown[$0].isEmpty && holds(compare(column.shown[$0], limit)) }
        }
    }

    // MARK: Conditions on two fields

    private func isComparable(_ left: PlainKind, _ right: PlainKind) -> Bool {
        switch (left, right) {
        case (.reference(let left), .reference(let right)): left == right
        case (.text, .text), (.number, .number), (.flag, .flag), (.number, .flag), (.flag, .number): true
        case (.moment, .moment), (.day, .day), (.moment, .day), (.day, .moment): true
        default: false
        }
    }

    private func full(_ column: PlainRecords.Column, _ row: Int) -> String {
        column.kind == .day ? column.values[row] + " 00:00:00" : column.values[row]
    }

    private func same(_ column: PlainRecords.Column, _ operand: String) -> [Bool]? {
        let parts = operand.components(separatedBy: "@")
        guard let other = records.column(parts[0], of: table), isComparable(column.kind, other.kind), parts.count <= 2
        else { return nil }
        let isMoment = column.kind == .moment || column.kind == .day
        if parts.count == 2 {
            guard isMoment, ["minute", "hour", "day", "week", "month", "quarter", "year"].contains(parts[1]) else {
                return nil
            }
        }
        return all { row in
            guard !column.values[row].isEmpty, !other.values[row].isEmpty else { return false }
            if parts.count == 2, let left = calendar.date(full(column, row)),
                let right = calendar.date(full(other, row))
            {
                return calendar.start(left, parts[1]) == calendar.start(right, parts[1])
            }
            if isMoment { return full(column, row) == full(other, row) }
            if case .reference = column.kind { return column.values[row] == other.values[row] }
            return compare(column, row, other, row) == 0
        }
    }

    private func compared(_ column: PlainRecords.Column, _ name: String, _ operand: String) -> [Bool]? {
        guard let other = records.column(operand, of: table), isComparable(column.kind, other.kind) else { return nil }
        if case .reference = column.kind { return nil }
        return all { row in
            guard !column.values[row].isEmpty, !other.values[row].isEmpty else { return false }
            let isMoment = column.kind == .moment || column.kind == .day
            let comparison =
                isMoment
                ? compare(Array(full(column, row).utf8), Array(full(other, row).utf8))
                : compare(column, row, other, row)
            if comparison == 0 { return name.contains("EQUALS") }
            return name.hasPrefix("GT") == (comparison > 0)
        }
    }

    private func span(_ column: PlainRecords.Column, _ operand: String, isMore: Bool) -> [Bool]? {
        let parts = operand.components(separatedBy: "@")
        guard parts.count == 4, let other = records.column(parts[0], of: table),
            let length = ["minute": 60, "hour": 3600, "day": 86400, "week": 604_800][parts[1]],
            ["before", "after"].contains(parts[2]), let count = Int(parts[3]), count >= 0,
            [.moment, .day].contains(column.kind), [.moment, .day].contains(other.kind)
        else { return nil }
        return all { row in
            guard let own = calendar.date(full(column, row)), let others = calendar.date(full(other, row)) else {
                return false
            }
            let distance = Int(others.timeIntervalSince(own)) * (parts[2] == "before" ? 1 : -1)
            return isMore ? distance > count * length : (0..<count * length).contains(distance)
        }
    }

    // MARK: Conditions on moments

    private func within(_ column: PlainRecords.Column, _ start: Date, _ end: Date) -> [Bool] {
        let (start, end) = (calendar.text(start), calendar.text(end))
        return all { row in
            !column.values[row].isEmpty && full(column, row) >= start && full(column, row) <= end
        }
    }

    private func on(_ column: PlainRecords.Column, _ operand: String) -> [Bool]? {
        guard [.moment, .day].contains(column.kind) else { return nil }
        let parts = operand.components(separatedBy: "@")
        if parts.count == 1, let moment = calendar.moment(operand) {
            let start = calendar.start(moment, "day")
            return within(column, start, calendar.end(start, "day"))
        }
        guard parts.count == 3, let start = calendar.moment(parts[1]), let end = calendar.moment(parts[2]) else {
            return all { _ in false }
        }
        return within(column, start, end)
    }

    private func part(_ column: PlainRecords.Column, _ operand: String) -> [Bool]? {
        guard [.moment, .day].contains(column.kind),
            let match = operand.wholeMatch(of: /[^@]*@javascript:gs\.datePart\('(\w+)','(\w+)','(\w+)'\)/),
            ["dayofweek", "hour", "month", "quarter", "year"].contains(match.1)
        else { return nil }
        let names =
            match.1 == "dayofweek"
            ? ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
            : match.1 == "month" ? ["january", "february", "march", "april", "may", "june", "july", "august"] : []
        guard let limit = names.firstIndex(of: String(match.2)).map({ $0 + 1 }) ?? Int(match.2) else { return nil }
        let holds: (Int) -> Bool
        switch match.3 {
        case "EE": holds = { $0 == limit }
        case "GE": holds = { $0 >= limit }
        case "GT": holds = { $0 > limit }
        case "LE": holds = { $0 <= limit }
        case "LT": holds = { $0 < limit }
        default: return nil
        }
        return all { row in calendar.part(String(match.1), of: full(column, row)).map(holds) ?? false }
    }

    private func relative(_ column: PlainRecords.Column, _ name: String, _ operand: String) -> [Bool]? {
        let units = ["minute", "hour", "dayofweek", "day", "week", "month", "quarter", "year"]
        guard [.moment, .day].contains(column.kind),
            let match = operand.wholeMatch(of: /@(\w+)@(ago|ahead)@(\d+)/), units.contains(String(match.1)),
            let count = Int(match.3)
        else { return nil }
        let unit = String(match.1)
        let moment = calendar.shifted(calendar.present, unit, match.2 == "ago" ? -count : count)
        if name == "EE" {
            let start = calendar.start(moment, unit)
            return within(column, start, calendar.end(start, unit))
        }
        let limit = calendar.text(moment)
        return all { row in
            guard !column.values[row].isEmpty else { return false }
            let value = full(column, row)
            return switch name {
            case "GT": value > limit
            case "GE": value >= limit
            case "LT": value < limit
            default: value <= limit
            }
        }
    }

    // MARK: Comparisons

    /// Negative where the left value comes first; an empty one comes before all others.
    private func compare(_ left: PlainRecords.Column, _ row: Int, _ right: PlainRecords.Column, _ other: Int) -> Int {
        let (first, second) = (left.values[row], right.values[other])
        switch left.kind {
        case .number, .flag:
            let flags = ["true": 1, "false": 0]
            return (Int(first) ?? flags[first] ?? .min / 2) - (Int(second) ?? flags[second] ?? .min / 2)
        default: return compare(left.shown[row], right.shown[other])
        }
    }

    private func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        for (first, second) in zip(left, right) where first != second { return Int(first) - Int(second) }
        return left.count - right.count
    }
}
