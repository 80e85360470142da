import HTTPModel

/// A kind of setting: how it is read from the file and from an environment variable, and what would be right.
struct SettingKind<Value> {
    /// As in `a whole number from 1 to 10000`.
    let expected: String
    /// Reads a value of the file; `nil` for a wrong one.
    let fromJSON: (JSONValue) -> Value?
    /// Reads the text of a variable; `nil` for a wrong one.
    let fromText: (String) -> Value?

    /// The same kind with values that pass a further test.
    private func limited(_ isAllowed: @escaping (Value) -> Bool) -> SettingKind {
        SettingKind(
            expected: expected, fromJSON: { fromJSON($0).flatMap { isAllowed($0) ? $0 : nil } },
            fromText: { fromText($0).flatMap { isAllowed($0) ? $0 : nil } })
    }
}

extension SettingKind<Int> {
    /// A whole number.
    static func integer(_ range: ClosedRange<Int>) -> SettingKind {
        SettingKind(
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            fromJSON: { if case .integer(let value) = $0 { value } else { nil } }, fromText: { decimal($0) }
        ).limited(range.contains)
    }

    /// A number of bytes.
    static func size(_ range: ClosedRange<Int>) -> SettingKind {
        SettingKind(
            expected: "a size from \(SizeText.format(range.lowerBound)) to \(SizeText.format(range.upperBound)), "
                + #"as a number of bytes or such as "32KiB" or "1MiB""#,
            fromJSON: { value in
                switch value {
                case .integer(let bytes): bytes
                case .string(let text): SizeText.parse(text)
                default: nil
                }
            }, fromText: SizeText.parse
        ).limited(range.contains)
    }
}

extension SettingKind<Duration> {
    /// A duration.
    static func duration(_ range: ClosedRange<Duration>) -> SettingKind {
        SettingKind(
            expected: "a duration from \(DurationText.format(range.lowerBound)) to "
                + "\(DurationText.format(range.upperBound)), "
                + #"as a number of seconds or such as "500ms", "65s", "15m" or "24h""#,
            fromJSON: { value in
                switch value {
                case .integer(let seconds): DurationText.seconds(Double(seconds))
                case .number(let seconds): DurationText.seconds(seconds)
                case .string(let text): DurationText.parse(text)
                default: nil
                }
            }, fromText: DurationText.parse
        ).limited(range.contains)
    }
}

extension SettingKind<String> {
    /// A text that is not empty.
    static func text(_ expected: String) -> SettingKind {
        SettingKind(
            expected: expected, fromJSON: { if case .string(let text) = $0 { text } else { nil } }, fromText: { $0 }
        ).limited { !$0.isEmpty && !$0.utf8.contains(0) }
    }
}

extension SettingKind<Bool> {
    /// Yes or no.
    static var boolean: SettingKind {
        SettingKind(
            expected: "true or false", fromJSON: { if case .bool(let value) = $0 { value } else { nil } },
            fromText: { Bool($0) })
    }
}

extension SettingKind<[String]> {
    /// A list of texts, none of them empty.
    static func texts(_ expected: String) -> SettingKind {
        SettingKind(
            expected: "a list of \(expected)",
            fromJSON: { value in
                guard case .array(let elements) = value else { return nil }
                return elements.map { if case .string(let text) = $0 { text } else { "" } }
            }, fromText: { $0.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) } }
        ).limited { !$0.contains("") }
    }
}

extension SettingKind where Value: RawRepresentable<String> & CaseIterable {
    /// One of a few words.
    static func choice() -> SettingKind {
        let words = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return SettingKind(
            expected: Value.allCases.count == 1 ? "\(words), the only choice" : "one of \(words)",
            fromJSON: { if case .string(let word) = $0 { Value(rawValue: word) } else { nil } },
            fromText: { Value(rawValue: $0) })
    }
}

extension SettingKind<[Listener]> {
    /// One address, which can be one of each address family.
    static var listener: SettingKind {
        SettingKind(
            expected: Listener.expected,
            fromJSON: { if case .string(let text) = $0 { Listener.parse(text) } else { nil } },
            fromText: { Listener.parse($0) })
    }

    /// A list of addresses, at least one.
    static var listeners: SettingKind {
        SettingKind(
            expected: "a list of addresses, each \(Listener.expected)",
            fromJSON: { value in
                guard case .array(let elements) = value else { return nil }
                return addresses(elements.map { if case .string(let text) = $0 { text } else { nil } })
            },
            fromText: { text in
                addresses(text.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) })
            })
    }

    private static func addresses(_ texts: [String?]) -> [Listener]? {
        let listeners = texts.compactMap { $0.flatMap(Listener.parse) }
        let all = listeners.flatMap { $0 }
        guard !texts.isEmpty, listeners.count == texts.count, Set(all.map(\.address)).count == all.count else {
            return nil
        }
        return all
    }
}

private func trimmed(_ text: Substring) -> String {
    let spaces: Set<Character> = [" ", "\t"]
    let start = text.drop { spaces.contains($0) }
    return String(start.reversed().drop { spaces.contains($0) }.reversed())
}
