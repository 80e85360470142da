import HTTPModel

/// One `Set-Cookie` header, read as RFC 6265 §5.2 says: what is odd in it is left out, not an error.
struct SetCookie: Equatable {
    /// The cookie's name.
    let name: String
    /// Its value, as it stands.
    let value: String
    /// Up to which part of the instance it is sent back; `nil` where the header does not say.
    let path: String?
    /// The host, or the domain above it, that it is meant for; `nil` where the header does not say.
    let domain: String?
    /// When it ends, in seconds since 1970; `nil`: with the session.
    let expiry: Int?

    /// Reads the value of a header; `nil` where it holds no cookie.
    ///
    /// - Parameter now: the present in seconds since 1970.
    init?(_ header: String, now: Int) {
        guard header.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        let parts = header.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmingSpaces)
        guard let (name, value) = pair(parts[0]), let value, !name.isEmpty else { return nil }
        self.name = String(name)
        self.value = String(value)
        var (path, domain): (String?, String?)
        var (expires, maxAge): (Int?, Int?)
        // Of an attribute that is there twice the last one counts.
        for part in parts.dropFirst() {
            guard let (attribute, value) = pair(part), let value else { continue }
            switch attribute.lowercased() {
            case "path": path = value.hasPrefix("/") ? String(value) : nil
            case "domain" where !value.isEmpty:
                domain = (value.hasPrefix(".") ? value.dropFirst() : value).lowercased()
            case "expires": expires = HTTPDate.seconds(String(value), now: middleOf2019) ?? expires
            case "max-age": maxAge = age(value) ?? maxAge
            default: break
            }
        }
        self.path = path
        self.domain = domain
        // Added without overflow: nothing needs to be kept longer than a century.
        expiry = maxAge.map { $0 <= 0 ? .min : now + min($0, 100 * 366 * 86_400) } ?? expires
    }
}

/// Years of two digits are 1970 to 2069 in cookies (RFC 6265 §5.1.1): those that a date in 2019 has within fifty years.
private let middleOf2019 = 1_561_939_200

/// What stands on either side of the first `=`; no value without one.
private func pair(_ text: Substring) -> (name: Substring, value: Substring?)? {
    guard let mark = text.firstIndex(of: "=") else { return text.isEmpty ? nil : (text, nil) }
    return (text[..<mark].trimmingSpaces, text[text.index(after: mark)...].trimmingSpaces)
}

/// A number of seconds, maybe negative; one that does not fit is as long as can be.
private func age(_ text: Substring) -> Int? {
    text.hasPrefix("-") ? saturatedNumber(text.dropFirst()).map { _ in 0 } : saturatedNumber(text)
}
