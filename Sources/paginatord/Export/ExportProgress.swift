/// How far an export is, in words: a value that knows no clock and no terminal.
struct ExportProgress: Sendable, Equatable {
    /// The widest bar, in columns.
    private static let widestBar = 30

    /// The records that there will be, as far as anybody knows.
    var total: Int?
    /// The records written so far.
    var done = 0

    /// One line for a terminal.
    ///
    /// - Parameters:
    ///   - elapsed: the time since the first request.
    ///   - width: the columns there are.
    func line(after elapsed: Duration, width: Int) -> String {
        guard let total, total > 0 else {
            return String("\(grouped(done)) records  \(rate(elapsed))".prefix(width))
        }
        let share = min(1, Double(done) / Double(total))
        var text = "\(Int(share * 100))%  \(grouped(done)) of \(grouped(total)) records  \(rate(elapsed))"
        if let left = left(of: total, after: elapsed) { text += "  \(clock(left)) left" }
        let room = min(Self.widestBar, width - text.count - 4)
        guard room >= 5 else { return String(text.prefix(width)) }
        let filled = Int(share * Double(room))
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled) + "]  " + text
    }

    /// One line for the end.
    func summary(after elapsed: Duration) -> String {
        "\(grouped(done)) records in \(tenths(elapsed)) s  \(rate(elapsed))"
    }

    private func rate(_ elapsed: Duration) -> String {
        "\(grouped(perSecond(elapsed)))/s"
    }

    private func perSecond(_ elapsed: Duration) -> Int {
        Int(Double(done) / max(0.001, elapsed / .seconds(1)))
    }

    private func left(of total: Int, after elapsed: Duration) -> Int? {
        let rate = perSecond(elapsed)
        return rate > 0 ? (max(0, total - done) + rate - 1) / rate : nil
    }
}

/// As in 1,234,567.
private func grouped(_ number: Int) -> String {
    let digits = String(number)
    var text = ""
    for (index, digit) in digits.enumerated() {
        if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
        text.append(digit)
    }
    return text
}

/// As in 1:02:03 or 2:03.
private func clock(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":" + two(seconds % 60)
}

private func tenths(_ duration: Duration) -> String {
    let tenths = Int(duration / .milliseconds(100))
    return "\(tenths / 10).\(tenths % 10)"
}
