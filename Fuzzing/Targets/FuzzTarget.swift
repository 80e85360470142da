/// What is fuzzed, by the name that the command line, the corpus and the dictionaries have for it.
///
/// Each target takes any bytes and says which property of the service's code does not hold for them. The fuzzer and the
/// test that replays the corpus call the same functions.
enum FuzzTarget: String, CaseIterable, Sendable {
    /// Request targets, hosts, framing and access, as the gateway decides by a request's head.
    case requestHead = "request-head"
    /// The JSON with which a session is opened.
    case sessionJSON = "session-json"
    /// The bodies of an instance's answers.
    case pageBody = "page-body"
    /// Encoded queries: made stable, divided by keys, parsed, translated and run.
    case encodedQuery = "encoded-query"
    /// Cookies, links, dates, rates and counts in an instance's header fields.
    case upstreamHeaders = "upstream-headers"
    /// The configuration file, and the texts in it.
    case configuration
    /// A session's bytes, as a damaged store may give them back.
    case storedSession = "stored-session"
    /// What a Redis server answers and publishes.
    case redisReply = "redis-reply"
    /// Raw bytes on a connection of the HTTP server.
    case serverConnection = "server-connection"

    /// Looks whether every property holds.
    ///
    /// - Throws: the first one that does not.
    func check(_ bytes: [UInt8]) async throws(BrokenProperty) {
        switch self {
        case .requestHead: try RequestHeadTarget.check(bytes)
        case .sessionJSON: try SessionJSONTarget.check(bytes)
        case .pageBody: try PageBodyTarget.check(bytes)
        case .encodedQuery: try await EncodedQueryTarget.check(bytes)
        case .upstreamHeaders: try UpstreamHeadersTarget.check(bytes)
        case .configuration: try ConfigurationTarget.check(bytes)
        case .storedSession: try StoredSessionTarget.check(bytes)
        case .redisReply: try RedisReplyTarget.check(bytes)
        case .serverConnection: try await ServerConnectionTarget.check(bytes)
        }
    }
}

/// A property that does not hold for some bytes.
struct BrokenProperty: Error, CustomStringConvertible {
    /// Which one, and what was found instead.
    var description: String
}

/// Notes that a property has to hold.
///
/// - Throws: `BrokenProperty` where it does not.
func require(_ holds: Bool, _ property: @autoclosure () -> String) throws(BrokenProperty) {
    if !holds { throw BrokenProperty(description: property()) }
}

/// The value, which has to be there.
///
/// - Throws: `BrokenProperty` where it is not.
func require<Value>(_ value: Value?, _ property: @autoclosure () -> String) throws(BrokenProperty) -> Value {
    guard let value else { throw BrokenProperty(description: property()) }
    return value
}

/// A text as its bytes stand, for a report.
func shown(_ text: String) -> String {
    text.debugDescription
}

/// The lines of an input, without their ends; a carriage return is part of a line.
func lines(of bytes: [UInt8]) -> [String] {
    bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
}

/// The lines `name: value` as header fields, without the white space around the values; a line without a colon is left out.
func fields(of lines: some Sequence<String>) -> [(name: String, value: String)] {
    lines.compactMap { line in
        guard let colon = line.utf8.firstIndex(of: 0x3A) else { return nil }
        var value = line[line.utf8.index(after: colon)...].utf8
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        return (String(line[..<colon]), String(Substring(value)))
    }
}
