/// Makes random encoded queries out of the fields and values of a table, with some that cannot be understood.
struct QueryGenerator: RandomNumberGenerator {
    private let records: PlainRecords
    private var state: UInt64

    init(records: PlainRecords, seed: UInt64) {
        self.records = records
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    /// The next 64 bits, by xorshift64* (Marsaglia 2003, Vigna 2016).
    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    /// A table and a query on it; `isOrdered` says whether the query puts every record into its one place.
    mutating func query() -> (table: String, text: String, isOrdered: Bool) {
        let table = pick(["incident", "incident", "incident", "change_request", "problem", "kb_knowledge", "sys_user"])
        var parts: [String] = []
        let groups = pick([1, 1, 1, 2, 3])
        for group in 0..<groups {
            for term in 0..<pick([0, 1, 1, 2, 3]) {
                for alternative in 0..<pick([1, 1, 1, 2, 3]) {
                    let prefix = alternative > 0 ? "OR" : group > 0 && term == 0 ? "NQ" : ""
                    parts.append(prefix + condition(table))
                }
            }
        }
        let isOrdered = chance(50)
        for _ in 0..<pick([0, 1, 1, 2]) { parts.append(order(path(table))) }
        if isOrdered { parts.append(order(chance(50) || table == "sys_user" ? "sys_id" : "number")) }
        if chance(5) { parts.insert("EQ", at: Int.random(in: 0...parts.count, using: &self)) }
        return (table, parts.joined(separator: "^"), isOrdered)
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    private mutating func order(_ path: String) -> String {
        (chance(50) ? "ORDERBYDESC" : "ORDERBY") + path
    }

    /// A field, up to three references away; now and then one that does not exist.
    private mutating func path(_ table: String) -> String {
        if chance(2) { return pick(["no_such_field", "number.name", "caller_id.no_such_field", "sys_id.x"]) }
        var path: [String] = []
        var table = table
        while true {
            let fields = (PlainKind.fields[table] ?? [:]).keys.sorted()
            let field = pick(fields)
            path.append(field)
            guard case .reference(let target)? = PlainKind.fields[table]?[field], path.count < 4, chance(60) else {
                return path.joined(separator: ".")
            }
            table = target
        }
    }

    private mutating func path(_ table: String, like kind: PlainKind) -> String {
        for _ in 0..<30 {
            let path = path(table)
            if records.column(path, of: table)?.kind == kind { return path }
        }
        return path(table)
    }

    private mutating func condition(_ table: String) -> String {
        let path = path(table)
        guard let column = records.column(path, of: table) else { return "\(path)=1" }
        if chance(1) { return path + pick(["VALCHANGES", "IN_HIERARCHYx", "", "DYNAMICx"]) }
        if chance(12) { return path + pick(["ISEMPTY", "ISNOTEMPTY", "ANYTHING", "EMPTYSTRING"]) }
        if chance(10) { return path + twoFields(table, column.kind) }
        switch column.kind {
        case .moment, .day: return path + moments(column)
        case .text, .reference: return path + texts(column)
        case .number, .flag: return path + values(column)
        }
    }

    private mutating func sample(_ column: PlainRecords.Column) -> String {
        let value = pick(column.values)
        // What parts queries and operands has no place in a value.
        return value.contains(where: { "^@,".contains($0) }) ? "" : value
    }

    private mutating func values(_ column: PlainRecords.Column) -> String {
        let value = chance(5) ? pick(["x", "", "99", "-1"]) : sample(column)
        let other = sample(column)
        return switch pick(["=", "!=", "<", "<=", ">", ">=", "IN", "NOT IN", "BETWEEN", "LIKE", "STARTSWITH"]) {
        case "IN": "IN\(value),\(other)"
        case "NOT IN": pick(["NOT IN", "NOTIN"]) + "\(value),\(other),7"
        case "BETWEEN": "BETWEEN\(value)@\(other)"
        case let name: name + value
        }
    }

    private mutating func texts(_ column: PlainRecords.Column) -> String {
        var value = sample(column)
        if case .reference = column.kind, chance(60) {
            value = String(decoding: pick(column.shown), as: UTF8.self)
            if value.contains(where: { "^@,".contains($0) }) { value = "a" }
        }
        if chance(30) { value = pick([value.lowercased(), value.uppercased()]) }
        let scalars = Array(value.unicodeScalars)
        let start = Int.random(in: 0...scalars.count, using: &self)
        let end = Int.random(in: start...min(scalars.count, start + 6), using: &self)
        let part = String(String.UnicodeScalarView(scalars[start..<end]))
        let names = [
            "=", "!=", "<", "<=", ">", ">=", "IN", "NOT IN", "BETWEEN", "LIKE", "*", "CONTAINS", "NOT LIKE", "!*",
            "STARTSWITH", "ENDSWITH", "%", "INSTANCEOF",
        ]
        return switch pick(names) {
        case "IN": "IN\(value),\(sample(column))"
        case "NOT IN": pick(["NOT IN", "NOTIN"]) + "\(value),\(sample(column))"
        case "BETWEEN": "BETWEEN\(sample(column))@\(value)"
        case "INSTANCEOF": "INSTANCEOF" + pick(["task", "incident", "cmdb_ci", "problem", "none"])
        case "STARTSWITH": "STARTSWITH" + String(String.UnicodeScalarView(scalars.prefix(3)))
        case "ENDSWITH": "ENDSWITH" + String(String.UnicodeScalarView(scalars.suffix(3)))
        case "%": "%" + String(String.UnicodeScalarView(scalars.suffix(1)))
        case "NOT LIKE": pick(["NOT LIKE", "NOTLIKE"]) + part
        case let name where ["LIKE", "*", "CONTAINS", "!*"].contains(name): name + part
        case let name: name + value
        }
    }

    private mutating func moment(_ column: PlainRecords.Column) -> String {
        switch pick(["value", "value", "day", "script", "script", "broken"]) {
        case "value": return sample(column)
        case "day": return String(sample(column).prefix(10))
        case "broken": return pick(["", "2025-02-30", "yesterday", "javascript:gs.getUserID()", "javascript:alert(1)"])
        default:
            let unit = pick(["minutes", "hours", "days", "months", "quarters", "years"])
            let call = pick([
                "\(unit)Ago\(pick(["", "Start", "End"]))(\(Int.random(in: -3...40, using: &self)))",
                pick(["beginning", "end"]) + "Of" + pick(["Last", "This", "Next"])
                    + pick(["Week", "Month", "Quarter", "Year"]) + "()",
                pick(["beginning", "end"]) + "Of" + pick(["Today", "Yesterday", "Tomorrow"]) + "()", "nowDateTime()",
                "now()",
                "dateGenerate('2025-03-0\(Int.random(in: 1...9, using: &self))','\(pick(["start", "12:30:00"]))')",
            ])
            return "javascript:gs." + call
        }
    }

    private mutating func moments(_ column: PlainRecords.Column) -> String {
        switch pick(["plain", "plain", "BETWEEN", "ON", "NOTON", "DATEPART", "RELATIVE", "STARTSWITH"]) {
        case "BETWEEN": return "BETWEEN\(moment(column))@\(moment(column))"
        case "ON": return pick(["ON\(moment(column))", "ONToday@\(moment(column))@\(moment(column))"])
        case "NOTON": return "NOTONThis@\(moment(column))@\(moment(column))"
        case "STARTSWITH": return pick(["STARTSWITH", "LIKE"]) + sample(column).prefix(pick([4, 6, 7]))
        case "RELATIVE":
            let unit = pick(["minute", "hour", "dayofweek", "week", "month", "quarter", "year", "century"])
            return "RELATIVE\(pick(["GT", "GE", "LT", "LE", "EE"]))@\(unit)@\(pick(["ago", "ahead"]))@"
                + "\(Int.random(in: 0...30, using: &self))"
        case "DATEPART":
            let (part, value) = pick([
                ("dayofweek", "monday"), ("dayofweek", "sunday"), ("month", "january"), ("month", "8"), ("hour", "12"),
                ("quarter", "2"), ("year", "2025"), ("moon", "1"),
            ])
            return "DATEPARTIt@javascript:gs.datePart('\(part)','\(value)','\(pick(["EE", "GE", "GT", "LE", "LT"]))')"
        default: return pick(["=", "!=", "<", "<=", ">", ">=", "IN"]) + moment(column)
        }
    }

    private mutating func twoFields(_ table: String, _ kind: PlainKind) -> String {
        let other = path(table, like: chance(90) ? kind : .text)
        if kind == .moment, chance(60) {
            return pick([
                "\(pick(["SAMEAS", "NSAMEAS"]))\(other)@\(pick(["minute", "hour", "day", "week", "month", "quarter", "year"]))",
                "\(pick(["MORETHAN", "LESSTHAN"]))\(other)@\(pick(["hour", "day", "week"]))@\(pick(["before", "after"]))"
                    + "@\(Int.random(in: 0...20, using: &self))",
            ])
        }
        let names = ["SAMEAS", "NSAMEAS", "GT_FIELD", "LT_FIELD", "GT_OR_EQUALS_FIELD", "LT_OR_EQUALS_FIELD"]
        return pick(names) + other
    }
}
