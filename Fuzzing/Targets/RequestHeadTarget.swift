import Clocks
import Foundation
import HTTPModel
import Observability
import Pagination
import Sessions
import TableAPI

@testable import Gateway

/// The first line is a request target, every other one a header field.
enum RequestHeadTarget {
    private static let token = "fuzzers-token-0123456789"
    /// A service for its own machine, and one with a name, a page of another origin, and a token.
    private static let (local, listed) = (gateway(AccessPolicy()), gateway(policy))

    private static let policy: AccessPolicy = {
        var tokens = AccessTokens()
        try? tokens.set(Secret(token), for: "fuzzer")
        return AccessPolicy(
            hosts: ["pages.example"], origins: [WebOrigin("https://app.example")].compactMap { $0 }, tokens: tokens)
    }()

    private static func gateway(_ access: AccessPolicy) -> Gateway {
        Gateway(
            registry: SessionRegistry(
                store: MemorySessionStore(), configuration: SessionConfiguration(), clock: .system
            ) { _ throws(PageSourceError) in throw .stopping },
            instances: [:], status: { [] }, configuration: GatewayConfiguration(access: access), clock: .system,
            observer: Observers())
    }

    static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        let lines = lines(of: bytes)
        let raw = lines.first ?? ""
        if let target = RequestTarget(raw) { try check(target, raw: raw) }
        try checkEscapes(raw)
        let headers = HeaderFields(fields(of: lines.dropFirst()).map { HeaderFields.Field($0.name, $0.value) })
        for field in headers.fields { try checkHost(field.value) }
        for method in ["GET", "POST", "OPTIONS"] {
            try check(RequestHead(method: method, target: raw, headers: headers))
        }
        try check(RequestHead(method: "GET", target: raw, minorVersion: 0, headers: headers, connection: .tls))
        try checkPreferences(headers)
    }

    // MARK: Targets

    private static func check(_ target: RequestTarget, raw: String) throws(BrokenProperty) {
        try require(
            raw.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }, "a target has visible characters only")
        try require(target.path.utf8.first == 0x2F, "a path begins with a slash: \(shown(target.path))")
        let spelt = target.path + (target.query.map { "?" + $0 } ?? "")
        if let authority = target.authority {
            let start = (raw.hasPrefix("https://") ? "https://" : "http://") + authority
            try require(
                raw == start + spelt || raw == start + spelt.dropFirst(), "nothing is lost of \(shown(raw))")
        } else {
            try require(raw == spelt, "nothing is lost of \(shown(raw))")
        }
        if let route = Route(path: target.path) {
            try require(spelling(of: route) == target.path, "\(route) has one spelling, not \(shown(target.path))")
        }
        if let parameters = target.parameters() { try check(parameters, query: target.query ?? "") }
    }

    private static func check(
        _ parameters: [(name: String, value: String)], query: String
    ) throws(BrokenProperty) {
        var written: [UInt8] = Array("/?".utf8)
        for (name, value) in parameters {
            appendPercentEncoded(name, to: &written)
            written.append(0x3D)
            appendPercentEncoded(value, to: &written)
            written.append(0x26)
        }
        let again = RequestTarget(String(decoding: written, as: UTF8.self))?.parameters()
        try require(
            again?.map(\.name) == parameters.map(\.name) && again?.map(\.value) == parameters.map(\.value),
            "parameters survive being written: \(parameters)")
        // Foundation reads each piece on its own.
        let pieces = query.split(separator: "&").map { piece in
            piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding
            }
        }
        let ours = parameters.map { Optional($0.name) }
        try require(pieces.map { $0.first ?? "" } == ours, "Foundation reads the names \(pieces), not \(ours)")
    }

    private static func spelling(of route: Route) -> String {
        switch route {
        case .session(let id): "/sessions/\(id)"
        case .move(let id, let move): "/sessions/\(id)/\(move.rawValue)"
        case .page(let id, let number): "/sessions/\(id)/pages/\(number)"
        case .events(let id): "/sessions/\(id)/events"
        case .records(let id): "/sessions/\(id)/records"
        case .table(let name): "/tables/\(name)"
        case .problem(let name): "/problems/\(name)"
        default: route.name
        }
    }

    private static func checkEscapes(_ text: String) throws(BrokenProperty) {
        var written: [UInt8] = []
        appendPercentEncoded(text, to: &written)
        let decoded = percentDecoded(String(decoding: written, as: UTF8.self))
        try require(
            text.utf8.contains(0) ? decoded == nil : decoded.map { Array($0.utf8) } == Array(text.utf8),
            "escapes are undone: \(shown(text))")
    }

    // MARK: Hosts

    private static func checkHost(_ text: String) throws(BrokenProperty) {
        let host = Host(text)
        if let host {
            for port in ["", ":80"] {
                let again = Host(host.name + port)
                try require(again?.name == host.name, "\(shown(host.name)) is a host too")
            }
            try require(host.port.map { 0...65535 ~= $0 } ?? true, "a port has 16 bits")
            try require(
                host.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x40 }
                    && host.name == host.name.lowercased(), "nothing odd is in \(shown(host.name))")
            try require(host.isOurs == isLocal(host.name), "whose \(shown(host.name)) is")
        }
        // C's reader of addresses. It takes any number of groups behind one `::`, RFC 4291 at least two fewer than eight.
        let literal = address(text, AF_INET6) != nil
        try require((Host("[\(text)]") != nil) == literal || text.contains("."), "an IPv6 address: \(shown(text))")
        if address(text, AF_INET) != nil { try require(host != nil, "an IPv4 address: \(shown(text))") }
    }

    /// Whether a name can be nobody's but this machine's, or is an address that one can have, as C's reader of addresses sees it.
    private static func isLocal(_ name: String) -> Bool {
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let bytes = address(name, AF_INET) { return bytes[0] != 0 }
        guard name.hasPrefix("["), name.hasSuffix("]") else { return false }
        guard let bytes = address(String(name.dropFirst().dropLast()), AF_INET6) else { return true }
        return bytes[..<8].contains { $0 != 0 } || bytes[8...] == [0, 0, 0, 0, 0, 0, 0, 1]
    }

    private static func address(_ text: String, _ family: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        // C would end the text at a NUL.
        return !text.utf8.contains(0) && inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    // MARK: Admission

    private static func check(_ head: RequestHead) throws(BrokenProperty) {
        for isListed in [false, true] {
            let response: Response
            switch (isListed ? listed : local).receive(head) {
            case .body:
                try checkAdmitted(head, isListed: isListed)
                continue
            case .answer(let answer): response = answer
            }
            if response.status < 400 { try checkAdmitted(head, isListed: isListed) }
            try require(200...599 ~= response.status && response.status != 500, "status \(response.status)")
            for field in response.headers.fields {
                try require(
                    field.value.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "\(field.name) is sound: \(shown(field.value))")
            }
            let open = response.headers["Access-Control-Allow-Origin"]
            try require(
                open == nil || (isListed && open == "https://app.example" && head.headers["Origin"] == open),
                "no page of another origin reads an answer: \(open ?? "")")
        }
    }

    /// What is let in names this service, comes from none but its pages, and has a token where one is needed. Its framing is
    /// the server's to check.
    private static func checkAdmitted(_ head: RequestHead, isListed: Bool) throws(BrokenProperty) {
        let fields = head.headers.fields
        func values(_ name: String) -> [String] { fields.filter { $0.name.lowercased() == name }.map(\.value) }
        let hosts = values("host")
        try require(hosts.count == 1 || (hosts.isEmpty && head.minorVersion == 0), "there is one host")
        let target = try require(RequestTarget(head.target), "the target is well-formed")
        let named = target.authority ?? hosts.first ?? "localhost"
        let host = try require(Host(named), "\(shown(named)) is a host")
        try require(
            isLocal(host.name) || (isListed && host.name == "pages.example"), "\(shown(host.name)) is this service")
        let origins = values("origin")
        let sites = values("sec-fetch-site")
        try require(values("sec-fetch-mode").last != "no-cors", "no image of whatever page")
        if origins.isEmpty {
            try require(
                sites.last.map { ["same-origin", "none"].contains($0) } ?? true, "no page of another site: \(sites)")
        }
        for origin in origins {
            let scheme = head.connection == .tls ? "https://" : "http://"
            let isOwn = origin.hasPrefix(scheme) && Host(String(origin.dropFirst(scheme.count))) == host
            try require(
                origins.count == 1 && (isOwn || (isListed && origin == "https://app.example")),
                "no page of another origin: \(shown(origin))")
        }
        let isOpen = Route(path: target.path)?.isOpen ?? false
        let isPreflight = head.method == "OPTIONS" && !origins.isEmpty
        if isListed, !isOpen, !isPreflight {
            let authorizations = values("authorization")
            try require(
                authorizations.count == 1 && authorizations[0].lowercased().hasPrefix("bearer ")
                    && authorizations[0].hasSuffix(" " + token), "there is a token: \(authorizations)")
        }
    }

    // MARK: Preferences

    private static func checkPreferences(_ headers: HeaderFields) throws(BrokenProperty) {
        _ = Language(accepting: headers)
        let accepted = AcceptedMediaTypes(headers).preference(for: "text/csv")
        try require(0...1000 ~= accepted.quality && 0...2 ~= accepted.exactness, "a preference has its range")
        let head = RequestHead(method: "POST", target: "/", headers: headers)
        if let precondition = try? MovePrecondition(head: head, parameters: [:], faults: ParameterFaults()) {
            try require(precondition.position.map { $0 >= -1 } ?? true, "a position is none below −1")
        }
    }
}
