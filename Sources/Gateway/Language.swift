import HTTPModel

/// The languages in which problems have titles.
enum Language: String, Sendable {
    /// English, where nothing else is asked for.
    case english = "en"
    /// French.
    case french = "fr"

    /// The one that an `Accept-Language` prefers (RFC 9110 §12.5.4); English where it names neither.
    init(accepting headers: HeaderFields) {
        self = .english
        guard headers["Accept-Language"] != nil else { return }
        var best = (language: Language.english, quality: 0)
        for range in headers.values(of: "Accept-Language").joined(separator: ",").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let tag = parts.first?.split(separator: "-").first,
                let language = tag == "*" ? .english : Language(rawValue: String(tag))
            else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Self.quality($0.dropFirst(2)) } ?? 1000
            if quality > best.quality { best = (language, quality) }
        }
        self = best.language
    }

    /// A quality value in thousandths; 0 where it is none.
    private static func quality(_ text: Substring) -> Int {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ Int($0) }), whole == 0 || whole == 1, parts.count <= 2 else { return 0 }
        let fraction = parts.count == 2 ? String(parts[1].prefix(3)) : ""
        return min(1000, whole * 1000 + (Int(fraction.padded(to: 3)) ?? 0))
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: "0", count: max(0, count - self.count))
    }
}
