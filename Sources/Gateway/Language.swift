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
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { qualityValue($0.dropFirst(2)) } ?? 1000
            if quality > best.quality { best = (language, quality) }
        }
        self = best.language
    }
}
