import HTTPModel

/// Keeps web pages that are not ours out: by the host a request names, and by where a browser says that it comes from.
///
/// A page of any site can have its user's browser send requests to a local port, and can have its own host name point to
/// 127.0.0.1. The first is told by `Origin` and `Sec-Fetch-Site` (Fetch Metadata), the second by `Host`.
struct AccessRules: Sendable {
    /// Why a request is kept out, or `nil`.
    func refusal(of head: RequestHead, target: RequestTarget) -> Problem? {
        // A Unix socket has no host names, and no browser can reach it.
        guard head.connection != .unix else { return nil }
        let authority: String
        switch Self.authority(of: head, target: target) {
        case .success(let found): authority = found
        case .failure(let problem): return problem
        }
        guard let host = Host(authority) else {
            return Problem(.malformedRequest, "The Host header is not a valid host.")
        }
        guard host.isOurs else {
            return Problem(
                .hostNotAllowed,
                "The Host header names none of the service’s hosts. It answers to localhost, to names below .localhost and to "
                    + "IP addresses.")
        }
        return originRefusal(of: head, host: host)
    }

    /// The authority that the request is for: that of an absolute target, else the one `Host` header (RFC 9112 §3.2).
    private static func authority(of head: RequestHead, target: RequestTarget) -> Result<String, Problem> {
        let hosts = head.headers.values(of: "Host")
        if hosts.isEmpty, head.minorVersion == 0 { return .success(target.authority ?? "localhost") }
        guard hosts.count == 1, let host = hosts.first, Host(host) != nil else {
            let fault =
                hosts.isEmpty ? "is missing" : hosts.count > 1 ? "is there more than once" : "is not a valid host"
            return .failure(Problem(.malformedRequest, "The Host header \(fault)."))
        }
        return .success(target.authority ?? host)
    }

    private func originRefusal(of head: RequestHead, host: Host) -> Problem? {
        let origins = head.headers.values(of: "Origin")
        if !origins.isEmpty {
            let scheme = head.connection == .tls ? "https://" : "http://"
            let isOwn =
                origins.count == 1 && origins[0].hasPrefix(scheme)
                && Host(String(origins[0].dropFirst(scheme.count))) == host && host.isLoopback
            return isOwn ? nil : Self.foreignOrigin
        }
        // A browser that sends no Origin still says whether the request comes from a page of another site.
        guard let site = head.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" else { return nil }
        return Self.foreignOrigin
    }

    private static let foreignOrigin = Problem(
        .originNotAllowed, "The request comes from a web page of another origin than the service’s own.")
}

/// The host and port of an authority.
struct Host: Equatable, Sendable {
    /// The name in lower case without a final dot, or the address; an IPv6 address with its brackets.
    var name: String
    /// The port, `nil` where none is named.
    var port: Int?

    /// Takes an authority apart. `nil` for one that is empty, carries user information, or is no host at all.
    init?(_ authority: String) {
        var name = authority[...]
        if let colon = authority.utf8.lastIndex(of: 0x3A), !authority.hasSuffix("]") {
            let digits = authority[authority.utf8.index(after: colon)...]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = Int(digits), port <= 65535
            else { return nil }
            self.port = port
            name = authority[..<colon]
        }
        if name.hasPrefix("[") {
            guard name.hasSuffix("]"), Self.isIPv6(name.dropFirst().dropLast()) else { return nil }
        } else {
            if name.hasSuffix(".") { name = name.dropLast() }
            guard Self.isName(name) else { return nil }
        }
        self.name = name.lowercased()
    }

    /// Whether nobody else can have this name point here: a loopback name or an IP address.
    var isOurs: Bool {
        isLoopback || isAddress
    }

    /// Whether it can only be this machine.
    var isLoopback: Bool {
        name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]"
            || (isIPv4 && name.hasPrefix("127."))
    }

    private var isAddress: Bool {
        name.hasPrefix("[") || isIPv4
    }

    private var isIPv4: Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                1...3 ~= part.utf8.count && part.utf8.allSatisfy { 0x30...0x39 ~= $0 }
                    && Int(part).map { $0 < 256 } == true
                    && (part.utf8.count == 1 || !part.hasPrefix("0"))
            }
    }

    private static func isName(_ name: Substring) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return name.utf8.count <= 253
            && labels.allSatisfy { label in
                1...63 ~= label.utf8.count
                    && label.utf8.allSatisfy { byte in
                        switch byte {
                        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                        default: false
                        }
                    }
            }
    }

    private static func isIPv6(_ text: Substring) -> Bool {
        !text.isEmpty && text.contains(":")
            && text.utf8.allSatisfy { hexadecimalValue($0) != nil || $0 == 0x3A || $0 == 0x2E }
    }
}
