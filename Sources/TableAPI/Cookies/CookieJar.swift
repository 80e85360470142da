import HTTPModel

/// The cookies that an instance gave to one line of requests, made one after the other (RFC 6265).
///
/// They hold the instance's session and the node that it lives on, so that the instance need not open a session for every
/// request. They go back to the instance that they came from and to nobody else, and are never stored.
struct CookieJar: Equatable, CustomStringConvertible, CustomReflectable {
    private struct Cookie: Equatable {
        var name: String
        var value: String
        var path: String
        var expiry: Int?

        var size: Int { name.utf8.count + value.utf8.count }

        func isGone(at now: Int) -> Bool {
            expiry.map { $0 <= now } ?? false
        }
    }

    /// The most cookies, and the most bytes of names and values in all: a request's head has to stay below what an instance
    /// takes, about 8 KB with its URL.
    private static let maxCount = 32
    private static let maxSize = 4096

    /// In the order of their coming.
    private var cookies: [Cookie] = []

    /// Takes the cookies of an answer. Those beyond the bounds push out the oldest.
    ///
    /// - Parameters:
    ///   - target: of the request, as it was sent.
    ///   - host: that was asked, in lower case.
    ///   - now: the present in seconds since 1970.
    mutating func take(_ headers: HeaderFields, target: String, host: String, now: Int) {
        for header in headers.values(of: "Set-Cookie") {
            guard let new = SetCookie(header, now: now), isMeant(new.domain, for: host) else { continue }
            let cookie = Cookie(
                name: new.name, value: new.value, path: new.path ?? defaultPath(of: target), expiry: new.expiry)
            let known = cookies.firstIndex { $0.name == cookie.name && $0.path == cookie.path }
            if cookie.isGone(at: now) || cookie.size > Self.maxSize {
                if let known { cookies.remove(at: known) }
            } else if let known {
                cookies[known] = cookie
            } else {
                cookies.append(cookie)
            }
        }
        cookies.removeAll { $0.isGone(at: now) }
        while cookies.count > Self.maxCount || cookies.reduce(0, { $0 + $1.size }) > Self.maxSize {
            cookies.removeFirst()
        }
    }

    /// The value of the `Cookie` header for a request to that target; `nil` where it needs none.
    func header(target: String, now: Int) -> String? {
        let path = Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })
        let matching = cookies.filter { !$0.isGone(at: now) && isBelow($0.path, path) }
        guard !matching.isEmpty else { return nil }
        // The nearest first (RFC 6265 §5.4).
        return matching.sorted { $0.path.utf8.count > $1.path.utf8.count }.map { "\($0.name)=\($0.value)" }
            .joined(separator: "; ")
    }

    /// Whether there is nothing in it.
    var isEmpty: Bool { cookies.isEmpty }

    /// Tells how many there are, and no more: whoever has them has the session.
    var description: String { "\(cookies.count) cookies" }
    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// A cookie for a whole domain is taken where the host is in it, but goes back to the host alone.
private func isMeant(_ domain: String?, for host: String) -> Bool {
    guard let domain else { return true }
    return host == domain || host.hasSuffix("." + domain)
}

/// RFC 6265 §5.1.4.
private func defaultPath(of target: String) -> String {
    let path = target.prefix { $0 != "?" }
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
}

/// RFC 6265 §5.1.4.
private func isBelow(_ cookiePath: String, _ path: Substring) -> Bool {
    guard path.hasPrefix(cookiePath) else { return false }
    return path.utf8.count == cookiePath.utf8.count || cookiePath.hasSuffix("/")
        || path.dropFirst(cookiePath.count).hasPrefix("/")
}
