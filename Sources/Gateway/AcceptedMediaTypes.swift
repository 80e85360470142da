import HTTPModel

/// What media types a caller accepts: its `Accept` headers (RFC 9110 §12.5.1).
///
/// Parameters of a range other than its quality are not looked at, so that `application/json;charset=utf-8` is JSON. What is
/// no range is left out.
struct AcceptedMediaTypes: Sendable {
    /// How well a type is accepted: first by the caller's wish, then by how exactly it was named.
    struct Preference: Comparable {
        /// In thousandths; 0 for not at all.
        var quality: Int
        /// 0 for any type, 1 for any of its kind, 2 for this very one.
        var exactness: Int

        static func < (left: Preference, right: Preference) -> Bool {
            (left.quality, left.exactness) < (right.quality, right.exactness)
        }
    }

    private struct Range {
        var type: String
        var subtype: String
        var quality: Int
    }

    private var ranges: [Range] = []

    /// Takes them from a request's headers.
    init(_ headers: HeaderFields) {
        for value in headers.values(of: "Accept") {
            for element in unquotedParts(of: value, at: ",") {
                let parts = unquotedParts(of: element, at: ";").map(trimmed)
                let names = (parts.first ?? "").split(separator: "/", omittingEmptySubsequences: false)
                guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty, names[0] != "*" || names[1] == "*" else {
                    continue
                }
                let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
                ranges.append(
                    Range(
                        type: names[0].lowercased(), subtype: names[1].lowercased(),
                        quality: weight.map { qualityValue($0.dropFirst(2)) } ?? 1000))
            }
        }
    }

    /// How well a media type, written in small letters and without parameters, is accepted. Of the ranges that match it, the
    /// most exact one counts; a caller that names none accepts everything.
    func preference(for mediaType: String) -> Preference {
        if ranges.isEmpty { return Preference(quality: 1000, exactness: 0) }
        let names = mediaType.split(separator: "/").map(String.init)
        return ranges.compactMap { range -> Preference? in
            switch (range.type, range.subtype) {
            case ("*", "*"): Preference(quality: range.quality, exactness: 0)
            case (names.first, "*"): Preference(quality: range.quality, exactness: 1)
            case (names.first, names.last): Preference(quality: range.quality, exactness: 2)
            default: nil
            }
        }.max { ($0.exactness, $0.quality) < ($1.exactness, $1.quality) } ?? Preference(quality: 0, exactness: 0)
    }
}

/// The parts between separators that do not stand in a quoted string.
private func unquotedParts(of text: some StringProtocol, at separator: Character) -> [String] {
    var parts = [""]
    var isQuoted = false
    var isEscaped = false
    for character in text {
        if character == separator, !isQuoted {
            parts.append("")
            continue
        }
        if character == "\"", !isEscaped { isQuoted.toggle() }
        isEscaped = isQuoted && character == "\\" && !isEscaped
        parts[parts.count - 1].append(character)
    }
    return parts
}

private func trimmed(_ text: String) -> Substring {
    var text = text[...]
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
}
