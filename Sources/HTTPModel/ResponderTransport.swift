/// A transport that hands every request to a `Responder` in this process: no socket, no network.
public struct ResponderTransport: HTTPTransport {
    private let responder: any Responder

    /// Makes a transport whose every host is that responder.
    public init(_ responder: any Responder) {
        self.responder = responder
    }

    /// Answers from the responder; a streamed body is collected first, and no answer is `.noResponse`.
    @concurrent public func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        guard let (authority, target) = authorityAndTarget(ofURL: request.url) else {
            throw .invalidRequest("not an http or https URL")
        }
        var headers = request.headers
        headers["Host"] = authority
        let head = RequestHead(method: request.method, target: target, headers: headers)
        let response = await responder.respond(to: Request(head, body: request.body))
        let body = try await collect(response.body, status: response.status, limit: request.maxBodyBytes)
        return IncomingResponse(status: response.status, headers: response.headers, body: body)
    }

    private func collect(_ body: ResponseBody, status: Int, limit: Int) async throws(TransportError) -> [UInt8] {
        let bytes: [UInt8]
        switch body {
        case .empty: bytes = []
        case .pieces(let pieces): bytes = Array(pieces.joined())
        case .stream(let produce):
            let collector = BodyCollector(limit: limit)
            do {
                try await produce(collector)
            } catch {
                if await collector.isFull { throw .bodyTooLarge(limit: limit) }
                throw .bodyIncomplete("the answer ended early", status: status)
            }
            bytes = await collector.bytes
        case .noAnswer: throw .noResponse("the connection was closed without an answer")
        }
        guard bytes.count <= limit else { throw .bodyTooLarge(limit: limit) }
        return bytes
    }
}

/// Collects a streamed body in memory.
public actor BodyCollector: BodyWriter {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    /// Whether a piece was refused because of the limit.
    public private(set) var isFull = false
    private let limit: Int

    /// Makes a collector that takes at most `limit` bytes.
    public init(limit: Int = .max) {
        self.limit = limit
    }

    /// Keeps the piece.
    public func write(_ piece: ArraySlice<UInt8>) throws(BodyWriterError) {
        guard piece.count <= limit - bytes.count else {
            isFull = true
            throw .closed
        }
        bytes += piece
    }

    /// Keeps the pieces; nothing waits for anybody here.
    public func offer(_ pieces: [ArraySlice<UInt8>], limit: Int) throws(BodyWriterError) -> Bool {
        for piece in pieces { try write(piece) }
        return true
    }
}

/// Splits an absolute http or https URL into its authority and its request target (RFC 9112 §3.2).
public func authorityAndTarget(ofURL url: String) -> (authority: String, target: String)? {
    let bytes = url.utf8
    let schemeLength = bytes.starts(with: "https://".utf8) ? 8 : bytes.starts(with: "http://".utf8) ? 7 : 0
    guard schemeLength > 0 else { return nil }
    let rest = bytes.dropFirst(schemeLength)
    let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? rest.endIndex
    let target = Substring(rest[end...].prefix { $0 != 0x23 })
    return (String(Substring(rest[..<end])), target.utf8.first == 0x2F ? String(target) : "/" + target)
}
