/// The moments that scripts in queries stand for, such as `javascript:gs.daysAgoStart(7)`: the date functions of
/// `gs`, the class GlideSystem, called with plain arguments. Other scripts are not run.
struct DateScript {
    /// The moment that counts as now, in seconds since 1970.
    let present: Int64

    /// No argument may be further from 0, so that no moment overflows.
    private static let furthest: Int64 = 100_000

    /// The moment that an operand stands for: a script, or a date as written. `nil` for anything else.
    func moment(_ operand: String) -> Int64? {
        guard operand.hasPrefix("javascript:") else { return DateText.seconds(operand) }
        guard let call = ScriptCall(operand.dropFirst("javascript:".count)) else { return nil }
        return moment(call)
    }

    private func moment(_ call: ScriptCall) -> Int64? {
        switch (call.name, call.arguments.count) {
        case ("now", 0): return CalendarUnit.day.start(of: present)
        case ("nowDateTime", 0), ("nowNoTZ", 0): return present
        case ("yesterday", 0): return CalendarUnit.day.shifted(present, by: -1)
        case ("dateGenerate", 1): return DateText.seconds(call.arguments[0])
        case ("dateGenerate", 2): return generated(call.arguments[0], call.arguments[1])
        case (let name, 0): return edge(name)
        case (let name, 1): return Int64(call.arguments[0]).flatMap { ago(name, $0) }
        default: return nil
        }
    }

    /// `dateGenerate('2025-03-01', '12:00:00')`; `start` and `end` stand for the edges of the day.
    private func generated(_ date: String, _ time: String) -> Int64? {
        let time = time == "start" ? "00:00:00" : time == "end" ? "23:59:59" : time
        return DateText.seconds("\(date) \(time)")
    }

    /// `beginningOfThisMonth`, `endOfLastQuarter`, `beginningOfToday` and so on.
    private func edge(_ name: Substring) -> Int64? {
        let isStart = name.hasPrefix("beginningOf")
        guard isStart || name.hasPrefix("endOf") else { return nil }
        let period = name.dropFirst(isStart ? "beginningOf".count : "endOf".count)
        let days = ["Today": 0, "Yesterday": -1, "Tomorrow": 1] as [Substring: Int64]
        if let day = days[period] { return edge(.day, day, isStart: isStart) }
        for (word, distance) in [("Last", -1), ("This", 0), ("Next", 1)] as [(String, Int64)]
        where period.hasPrefix(word) {
            guard let unit = CalendarUnit(rawValue: period.dropFirst(word.count).lowercased()),
                [.week, .month, .quarter, .year].contains(unit)
            else { return nil }
            return edge(unit, distance, isStart: isStart)
        }
        return nil
    }

    /// `daysAgo(3)`, `monthsAgoStart(1)`, `hoursAgoEnd(2)` and so on; negative numbers lie ahead.
    private func ago(_ name: Substring, _ count: Int64) -> Int64? {
        guard (-Self.furthest...Self.furthest).contains(count) else { return nil }
        let isStart = name.hasSuffix("AgoStart")
        let isEnd = name.hasSuffix("AgoEnd")
        guard isStart || isEnd || name.hasSuffix("Ago"),
            let unit = CalendarUnit(rawValue: String(name.dropLast(isStart ? 9 : isEnd ? 7 : 4)))
        else { return nil }
        if isStart || isEnd { return edge(unit, -count, isStart: isStart) }
        return unit.shifted(present, by: -count)
    }

    private func edge(_ unit: CalendarUnit, _ distance: Int64, isStart: Bool) -> Int64 {
        let moment = unit.shifted(unit.start(of: present), by: distance)
        return isStart ? moment : unit.end(of: moment)
    }
}

/// A call of a method of `gs` with numbers and quoted texts as arguments.
struct ScriptCall {
    /// The method's name.
    var name: Substring
    /// The arguments, without their quotation marks.
    var arguments: [String]

    /// Reads `gs.name(argument, …)`. `nil` for any other script.
    init?(_ script: some StringProtocol) {
        var text = Substring(script)
        while let last = text.last, last == ";" || last == " " { text = text.dropLast() }
        guard text.hasPrefix("gs."), text.hasSuffix(")"), let open = text.firstIndex(of: "(") else { return nil }
        name = text[text.index(text.startIndex, offsetBy: 3)..<open]
        let list = text[text.index(after: open)...].dropLast()
        arguments = list.split(separator: ",").map { argument in
            argument.trimmingSpaces.filter { $0 != "'" && $0 != "\"" }
        }
        guard !list.contains("("), name.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) })
        else { return nil }
    }
}
