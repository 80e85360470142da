/// Answers requests, in two steps: by the head alone, then with the body.
///
/// Two steps because a request that will be refused should be refused before its body is read, in the order of
/// checks that the interface promises.
public protocol Responder: Sendable {
    /// Looks at a request's head. Called on the event loop of the connection; must not block.
    func receive(_ head: RequestHead) -> Reception

    /// Words the refusal of a head that the server does not let through; the connection ends with it. Called as `receive`
    /// is, instead of it.
    func refusal(of head: RequestHead, for fault: HeadFault) -> Response
}

/// What is to happen with a request whose head is known.
public enum Reception: Sendable {
    /// It is answered now; its body is not wanted.
    case answer(Response)
    /// The body is read, up to `limit` bytes, and the closure then answers. A longer body is answered with the
    /// responder's `tooLarge`.
    case body(limit: Int, tooLarge: @Sendable () -> Response, respond: @Sendable (Request) async -> Response)
}

extension Responder {
    /// Refuses in plain text.
    public func refusal(of head: RequestHead, for fault: HeadFault) -> Response {
        Response(
            status: fault.status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: .bytes(Array("\(fault.detail)\n".utf8)))
    }

    /// Answers a whole request in one step, as a server would: for tests and for calls inside the process.
    public func respond(to request: Request) async -> Response {
        switch receive(request.head) {
        case .answer(let response): response
        case .body(let limit, let tooLarge, let respond):
            request.body.count > limit ? tooLarge() : await respond(request)
        }
    }
}
