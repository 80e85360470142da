/// The parameters of a fault as they are written, `NAME=VALUE,NAME=VALUE`, while they are taken one by one.
struct FaultParameters {
    private let kind: String
    private var values: [(name: Substring, value: Substring)] = []
    private var known: [String] = []

    /// Takes a text apart.
    /// - Parameter first: the name of a value that stands in front without one, where the kind has such a value.
    /// - Throws: `FaultTextError` for a piece without a value and for a name that stands twice.
    init(_ text: Substring?, of kind: String, first: String?) throws(FaultTextError) {
        self.kind = kind
        guard let text else { return }
        for (index, piece) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let isFirst = index == 0 && parts.count == 1
            guard let name = isFirst ? first.map({ $0[...] }) : parts[0], let value = parts.last, !value.isEmpty,
                parts.count == 2 || isFirst
            else { throw FaultTextError(description: "expected NAME=VALUE behind \(kind): but found \"\(piece)\"") }
            guard !values.contains(where: { $0.name == name }) else {
                throw FaultTextError(description: "\(name) may stand only once in \(kind)")
            }
            values.append((name, value))
        }
    }

    /// The value of a parameter, read by the closure; `nil` where it does not stand there.
    /// - Throws: `FaultTextError` where the closure has none.
    mutating func take<Value>(
        _ name: String, expected: String, _ read: (Substring) -> Value?
    ) throws(FaultTextError) -> Value? {
        known.append(name)
        guard let index = values.firstIndex(where: { $0.name == name }) else { return nil }
        let text = values.remove(at: index).value
        guard let value = read(text) else {
            throw FaultTextError(description: "expected \(expected) as \(name) of \(kind) but found \"\(text)\"")
        }
        return value
    }

    /// A whole number of a range.
    /// - Throws: `FaultTextError`.
    mutating func number(_ name: String, _ range: ClosedRange<Int>) throws(FaultTextError) -> Int? {
        try take(name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else { return nil }
            return range.contains(number) ? number : nil
        }
    }

    /// A share, 0…1.
    /// - Throws: `FaultTextError`.
    mutating func ratio() throws(FaultTextError) -> Double? {
        try take("ratio", expected: "a number from 0 to 1") { text in
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }), let ratio = Double(text)
            else { return nil }
            return (0...1).contains(ratio) ? ratio : nil
        }
    }

    /// One of the cases' names.
    /// - Throws: `FaultTextError`.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ default: Choice
    ) throws(FaultTextError) -> Choice {
        let names = Choice.allCases.map(\.rawValue).joined(separator: " or ")
        return try take("as", expected: names) { Choice(rawValue: String($0)) } ?? `default`
    }

    /// `retry-after`, a number of seconds or `none`, or `retry-at`, the date so many seconds ahead.
    /// - Throws: `FaultTextError`, also where both stand.
    mutating func retryAfter(
        _ default: Fault.RetryAfter
    ) throws(FaultTextError) -> Fault.RetryAfter {
        let after = try take("retry-after", expected: "a whole number of seconds, or none,") {
            text -> Fault.RetryAfter? in
            if text == "none" { return .absent }
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int(text), seconds <= 1_000_000
            else { return nil }
            return .seconds(seconds)
        }
        let date = try number("retry-at", 0...1_000_000)
        switch (after, date) {
        case (_?, _?): throw FaultTextError(description: "\(kind) takes retry-after or retry-at, not both")
        case (let after?, nil): return after
        case (nil, let date?): return .date(date)
        case (nil, nil): return `default`
        }
    }

    /// `every`, `ratio` or `requests`.
    /// - Throws: `FaultTextError`, also where several stand.
    mutating func occurrence() throws(FaultTextError) -> Occurrence {
        let every = try number("every", 1...1_000_000_000).map(Occurrence.every)
        let ratio = try ratio().map(Occurrence.ratio)
        let first = try number("requests", 1...1_000_000_000).map(Occurrence.first)
        let all = [every, ratio, first].compactMap(\.self)
        guard all.count <= 1 else {
            throw FaultTextError(description: "\(kind) takes one of every, ratio and requests, not several")
        }
        return all.first ?? .always
    }

    /// Says that nothing more will be taken.
    /// - Throws: `FaultTextError` where something is left.
    func finish() throws(FaultTextError) {
        guard let left = values.first else { return }
        let names = known.isEmpty ? "no parameters" : known.joined(separator: ", ")
        throw FaultTextError(description: "unknown parameter \(left.name) of \(kind), which takes \(names)")
    }
}
