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
        let hosts = head.headers.values(of: "Host")
        // HTTP/1.0 need not name a host.
        guard hosts.count == 1 || (hosts.isEmpty && head.minorVersion == 0) else {
            return Problem(
                .malformedRequest, "The Host header is \(hosts.isEmpty ? "missing" : "there more than once").")
        }
        guard var host = Host(hosts.first ?? "localhost") else {
            return Problem(.malformedRequest, "The Host header is not a valid host.")
        }
        // The authority of an absolute target is the one that counts (RFC 9112 §3.2.2).
        if let authority = target.authority {
            guard let named = Host(authority) else {
                return Problem(.malformedRequest, "The host in the request target is not a valid one.")
            }
            host = named
        }
        guard host.isOurs else {
            return Problem(
                .hostNotAllowed,
                "The request names none of the service’s hosts. It answers to localhost, to names below .localhost and to "
                    + "IP addresses.")
        }
        return isForeign(head, host: host)
            ? Problem(.originNotAllowed, "The request comes from a web page of another origin than the service’s own.")
            : nil
    }

    private func isForeign(_ head: RequestHead, host: Host) -> Bool {
        let origins = head.headers.values(of: "Origin")
        guard origins.isEmpty else {
            let scheme = head.connection == .tls ? "https://" : "http://"
            let isOwn =
                origins.count == 1 && origins[0].hasPrefix(scheme)
                && Host(String(origins[0].dropFirst(scheme.count))) == host && host.isLoopback
            return !isOwn
        }
        // A browser that sends no Origin still says whether the request comes from a page of another site.
        guard let site = head.headers["Sec-Fetch-Site"] else { return false }
        return site != "same-origin" && site != "none"
    }
}
