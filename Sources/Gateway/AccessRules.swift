import HTTPModel

/// Keeps web pages out that may not call: by the host a request names, and by where a browser says that it comes from.
///
/// A page of any site can have its user's browser send requests to a local port, and can have its own host name point to
/// 127.0.0.1. The first is told by `Origin` and `Sec-Fetch-Site` (Fetch Metadata), the second by `Host`.
struct AccessRules: Sendable {
    private let hosts: Set<String>
    private let origins: [String]

    /// The rules of a policy.
    init(_ policy: AccessPolicy) {
        hosts = Set(policy.hosts)
        origins = policy.origins.map(\.description)
    }

    /// Whether pages of any foreign origin may call, so that answers depend on it.
    var listsOrigins: Bool { !origins.isEmpty }

    /// The listed origin that the request comes from, in the configuration's words; `nil` where it comes from no such one.
    func listedOrigin(of head: RequestHead) -> String? {
        guard listsOrigins else { return nil }
        let values = head.headers.values(of: "Origin")
        guard values.count == 1 else { return nil }
        return origins.first { $0.utf8.elementsEqual(values[0].utf8) }
    }

    /// Why a request is kept out, or `nil`.
    ///
    /// - Parameter listed: the listed origin that it comes from.
    func refusal(of head: RequestHead, target: RequestTarget, listed: String?) -> Problem? {
        // A Unix socket has no host names, and no browser can reach it.
        guard head.connection != .unix else { return nil }
        let claims = Claims(head.headers)
        // HTTP/1.0 need not name a host.
        guard claims.hosts == 1 || (claims.hosts == 0 && head.minorVersion == 0) else {
            return Problem(
                .malformedRequest, "The Host header is \(claims.hosts == 0 ? "missing" : "there more than once").")
        }
        guard var host = Host(claims.host ?? "localhost") else {
            return Problem(.malformedRequest, "The Host header is not a valid host.")
        }
        // The authority of an absolute target is the one that counts (RFC 9112 §3.2.2).
        if let authority = target.authority {
            guard let named = Host(authority) else {
                return Problem(.malformedRequest, "The host in the request target is not a valid one.")
            }
            host = named
        }
        guard host.isOurs || hosts.contains(host.name) else {
            return Problem(
                .hostNotAllowed,
                "The request names none of the service’s hosts. It answers to localhost, to names below .localhost, to IP "
                    + "addresses that a machine can have (127.0.0.1, not 0.0.0.0), and to the names in access.hosts.")
        }
        return refusal(of: claims, from: head.connection, host: host, listed: listed)
    }

    private func refusal(
        of claims: Claims, from connection: ConnectionKind, host: Host, listed: String?
    ) -> Problem? {
        // An image, a script or a form field of whatever page: nothing that reads what is answered.
        guard claims.mode != "no-cors" else {
            return Problem(
                .originNotAllowed,
                "A web page can call the service by fetch in the mode cors or same-origin alone; this was the mode no-cors."
            )
        }
        guard let origin = claims.origin else {
            // A browser that sends no Origin still says whether the request comes from a page of another site.
            return claims.site == nil || claims.site == "same-origin" || claims.site == "none" ? nil : Self.foreign
        }
        if claims.origins == 1, isOwn(origin, connection, host) { return nil }
        guard listed != nil else { return Self.foreign }
        // A form or a link of a listed page could move a cursor as well, without the page's scripts.
        guard claims.mode == nil || claims.mode == "cors" else {
            return Problem(
                .originNotAllowed, "A web page of another origin can call the service by fetch in the mode cors alone.")
        }
        return nil
    }

    /// Whether it is the origin that the service itself has under this host. Any page can have an IP address, so of those only
    /// this machine's count.
    private func isOwn(_ origin: String, _ connection: ConnectionKind, _ host: Host) -> Bool {
        let scheme = connection == .tls ? "https://" : "http://"
        return origin.hasPrefix(scheme) && Host(String(origin.dropFirst(scheme.count))) == host
            && (host.isLoopback || hosts.contains(host.name))
    }

    private static let foreign = Problem(
        .originNotAllowed,
        "The request comes from a web page of another origin than the service’s own. The origins whose pages may call are "
            + "those in access.origins.")
}

/// What a request's headers say of where it goes and comes from, gathered in one pass: this is done for each request.
private struct Claims {
    var hosts = 0
    var host: String?
    var origins = 0
    var origin: String?
    var site: String?
    var mode: String?

    init(_ headers: HeaderFields) {
        for field in headers.fields {
            switch field.name.utf8.count {
            case 4 where equalIgnoringCase(field.name, "Host"):
                hosts += 1
                host = field.value
            case 6 where equalIgnoringCase(field.name, "Origin"):
                origins += 1
                origin = field.value
            case 14 where equalIgnoringCase(field.name, "Sec-Fetch-Site"): site = field.value
            case 14 where equalIgnoringCase(field.name, "Sec-Fetch-Mode"): mode = field.value
            default: break
            }
        }
    }
}
