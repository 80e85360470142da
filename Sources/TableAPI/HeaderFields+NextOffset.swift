import HTTPModel

extension HeaderFields {
    /// The `sysparm_offset` of the `rel="next"` target in the `Link` headers (RFC 8288).
    ///
    /// Only that number is read. The target may point anywhere, so it is never followed; an instance leaves literal
    /// commas in it, so the header is not split at commas.
    var nextOffset: Int? {
        for value in values(of: "Link") {
            var links = LinkScanner(value)
            while let link = links.next() {
                if link.isNext, let offset = offset(inQueryOf: link.target) { return offset }
            }
        }
        return nil
    }
}

/// The last `sysparm_offset` in a URL's query: the instance repeats the request's parameters before its own.
private func offset(inQueryOf url: Substring) -> Int? {
    let withoutFragment = url.prefix { $0 != "#" }
    guard let mark = withoutFragment.firstIndex(of: "?") else { return nil }
    let name = "sysparm_offset="
    let pair = withoutFragment[mark...].dropFirst().split(separator: "&").last { $0.hasPrefix(name) }
    return pair.flatMap { decimalNumber($0.dropFirst(name.count)) }
}

/// Goes through the links of one header value.
private struct LinkScanner {
    private var rest: Substring

    init(_ value: String) {
        rest = value[...]
    }

    /// The next link, `nil` at the end or where the value is no list of links any more.
    mutating func next() -> (target: Substring, isNext: Bool)? {
        rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
        guard rest.first == "<", let end = rest.firstIndex(of: ">") else { return nil }
        let target = rest.dropFirst()[..<end]
        rest = rest[rest.index(after: end)...]
        var relation: Substring?
        while let (name, value) = parameter() {
            // Of several relation parameters only the first counts (RFC 8288 §3.3).
            if equalIgnoringCase(String(name), "rel"), relation == nil { relation = value }
        }
        let relations = relation?.split(separator: " ") ?? []
        return (target, relations.contains { equalIgnoringCase(String($0), "next") })
    }

    private mutating func parameter() -> (name: Substring, value: Substring)? {
        rest = rest.trimmingSpaces
        guard rest.first == ";" else { return nil }
        rest = rest.dropFirst().trimmingSpaces
        let name = take { $0 != "=" && $0 != ";" && $0 != "," }.trimmingSpaces
        guard rest.first == "=" else { return (name, "") }
        rest = rest.dropFirst().trimmingSpaces
        guard rest.first == "\"" else { return (name, take { $0 != ";" && $0 != "," }.trimmingSpaces) }
        rest = rest.dropFirst()
        var isEscaped = false
        let value = take { character in
            defer { isEscaped = character == "\\" && !isEscaped }
            return character != "\"" || isEscaped
        }
        rest = rest.dropFirst()
        return (name, value)
    }

    private mutating func take(while condition: (Character) -> Bool) -> Substring {
        let taken = rest.prefix(while: condition)
        rest = rest[taken.endIndex...]
        return taken
    }
}
