internal import CMicroHTTPD
internal import EventLoops
internal import HTTPModel

/// One request and its answer.
///
/// libmicrohttpd calls in a fixed order: `begin` with the head, `take` for each part of the body, `proceed` at its
/// end and again after each resume, `end` at last. The response is queued in `proceed`, so that keep-alive and
/// pipelining work; in `begin` it is queued only to refuse a body, which closes the connection.
///
/// Safe because everything but `deliver` runs on the daemon's loop, and `deliver` goes there first.
final class Exchange: @unchecked Sendable {
    private enum State {
        /// The body is being received.
        case receiving(RequestHead, limit: Int, refuse: @Sendable () -> Response, respond: Respond)
        /// The body was too long, or is not wanted: the rest is dropped, then this is the answer.
        case dropping(Response)
        /// The responder's task is at work.
        case working
        /// The answer is there.
        case ready(Response)
        /// The answer was queued.
        case answered
        /// No answer: the connection is to be closed.
        case abandoned
    }
    private typealias Respond = @Sendable (Request) async -> Response

    private let daemon: Daemon
    private let loop: EventLoop
    /// libmicrohttpd's connection; `nil` once the request is over.
    private var connection: OpaquePointer?
    private var state = State.abandoned
    private var body: [UInt8] = []
    private var dropped = 0
    private var isSuspended = false
    private var isHead = false
    /// Whether the answer is its connection's last, whatever it is.
    private var endsConnection = false
    /// How a body in chunks is framed, and whose it is; `nil` for any other.
    private var chunks: (head: RequestHead, framing: ChunkFraming)?
    private var stream: StreamedBody?
    /// What the answer holds until the request is over.
    private var attachment: (any AnyObject & Sendable)?
    /// When a body that has not come whole by then is given up; `nil` when it is whole.
    private(set) var bodyDeadline: ContinuousClock.Instant?

    /// Makes the exchange of a request whose head has come.
    init(_ daemon: Daemon, _ connection: OpaquePointer) {
        self.daemon = daemon
        loop = daemon.loop
        self.connection = connection
    }

    // MARK: Called by libmicrohttpd

    /// Takes the head and asks the responder what is to happen. Safe because the two pointers are not kept.
    func begin(
        method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, _ record: Connection
    ) -> MHD_Result {
        guard let connection else { return .NO }
        let limit = daemon.state.configuration.maxHeadBytes
        let received = ReceivedHead(
            of: connection, method: method, version: version, target: record.target, in: &record.stream, maxBytes: limit
        )
        let head = RequestHead(
            method: String(cString: method), target: record.target.text, minorVersion: received.minorVersion,
            headers: received.headers, connection: daemon.kind)
        isHead = head.method == "HEAD"
        if let fault = received.fault { return queue(daemon.state.responder.refusal(of: head, for: fault)) }
        endsConnection = received.endsConnection
        if received.isTransferEncoded {
            chunks = (head, ChunkFraming())
            self.received(received.behind)
        }
        switch daemon.state.responder.receive(head) {
        case .answer(let response):
            // A head that a responder takes for malformed is its connection's last, too.
            if response.status == 400 || (received.hasBody && response.status > 400) { return queue(response) }
            // A body that nobody wants has to come nevertheless, or there would be no whole request to answer.
            if received.hasBody {
                bodyDeadline = .now + daemon.state.configuration.bodyTimeout
                state = .dropping(response)
            } else {
                state = .ready(response)
            }
        case .body(let limit, let tooLarge, let respond):
            if received.announcesMore(than: limit) { return queue(tooLarge()) }
            if received.hasBody {
                body.reserveCapacity(received.expectedBytes(upTo: min(limit, 64 << 10)))
                bodyDeadline = .now + daemon.state.configuration.bodyTimeout
            }
            state = .receiving(head, limit: limit, refuse: tooLarge, respond: respond)
        }
        return .YES
    }

    /// Takes a part of the body. Nothing may be queued here, so a body that is too long is dropped up to a bound and
    /// then refused; beyond the bound the connection is closed.
    func take(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        switch state {
        case .receiving(_, let limit, let refuse, _):
            if bytes.count <= limit - body.count {
                body.append(contentsOf: bytes)
            } else {
                body = []
                state = .dropping(refuse())
            }
            return .YES
        case .dropping:
            dropped += bytes.count
            return dropped <= droppedBytes ? .YES : .NO
        default:
            return .NO
        }
    }

    /// Bytes of the body have come, or such as stand behind it, and libmicrohttpd has not looked at them yet. Safe because they
    /// are not kept.
    func received(_ bytes: UnsafeRawBufferPointer) {
        chunks?.framing.take(bytes)
    }

    /// Goes on when the request is whole, and again after each resume.
    func proceed() -> MHD_Result {
        if bodyDeadline != nil, let chunks, !chunks.framing.isWhole {
            state = .ready(daemon.state.responder.refusal(of: chunks.head, for: .chunks))
        }
        bodyDeadline = nil
        if case .receiving(let head, _, _, let respond) = state {
            state = .working
            start(respond, with: Request(head, body: body))
            body = []
            // A call to an actor went through the loop's queue: with that run, an answer from memory is there now.
            if case .working = state { loop.drain() }
        }
        switch state {
        case .ready(let response), .dropping(let response): return queue(response)
        case .working: return suspend()
        case .answered: return .YES
        case .receiving, .abandoned: return .NO
        }
    }

    /// The request is over, well or badly; libmicrohttpd's connection is no longer ours to touch.
    func end() {
        connection = nil
        state = .abandoned
        stream?.close()
        stream = nil
    }

    // MARK: The responder's task

    private func start(_ respond: @escaping Respond, with request: Request) {
        // Not cancelled when the peer goes: what was fetched for it is kept for its repeat.
        Task.immediate(executorPreference: loop) {
            self.deliver(await respond(request))
        }
    }

    /// Takes the answer, from any thread: after a call to an actor a task may find itself on another loop's.
    private func deliver(_ response: Response) {
        if loop.isCurrent {
            accept(response)
        } else {
            loop.execute { self.accept(response) }
        }
    }

    private func accept(_ response: Response) {
        loop.assertCurrent()
        guard case .working = state else { return }
        state = .ready(response)
        resume()
    }

    // MARK: Suspending

    private func suspend() -> MHD_Result {
        loop.assertCurrent()
        guard let connection, !daemon.isCutting else { return .NO }
        isSuspended = true
        MHD_suspend_connection(connection)
        return .YES
    }

    private func resume() {
        loop.assertCurrent()
        guard isSuspended, let connection else { return }
        isSuspended = false
        MHD_resume_connection(connection)
        daemon.askForRun()
    }

    /// Cancels the producer of a streamed body; how it ends decides how the body ends.
    func drain() {
        stream?.stop()
    }

    /// Gives the request up, so that nothing stays suspended.
    func abandon() {
        stream?.fail()
        guard case .working = state else { return }
        state = .abandoned
        resume()
    }

    /// Whether something is being sent that only the peer keeps from going on: an answer, or, to a request that is whole
    /// with its head, the `100 Continue` that it has asked for.
    var isSending: Bool {
        switch state {
        case .answered: !isWaitingForProducer
        case .receiving, .ready: bodyDeadline == nil
        case .dropping, .working, .abandoned: false
        }
    }

    /// Whether a streamed body waits for its producer, so that libmicrohttpd does not watch the socket.
    var isWaitingForProducer: Bool { stream?.isSuspended ?? false }

    /// Wakes a stream whose peer is known to have gone.
    func peerHasGone() {
        stream?.fail()
    }

    // MARK: The answer

    private func queue(_ response: Response) -> MHD_Result {
        loop.assertCurrent()
        guard let connection else { return .NO }
        state = .answered
        attachment = response.attachment
        var response = response
        let faults = daemon.state.configuration.onFault
        var status = response.status
        if !(200...599).contains(status) {
            faults("a response has the status \(status); 500 is sent")
            status = 500
        }
        let outgoing: OutgoingResponse
        switch response.body {
        case .empty: outgoing = OutgoingResponse(pieces: [])
        case .pieces(let pieces): outgoing = OutgoingResponse(pieces: pieces)
        case .stream where status == 204 || status == 304: outgoing = OutgoingResponse(pieces: [])
        case .stream(let produce):
            let length = response.headers["Content-Length"].flatMap { UInt64($0) }
            if length != nil { response.headers["Content-Length"] = nil }
            let stream = StreamedBody(daemon, connection, length: length, produce: isHead ? nil : produce)
            self.stream = stream
            outgoing = isHead ? OutgoingResponse(headOf: stream) : OutgoingResponse(stream: stream)
        case .noAnswer:
            daemon.closesOnPurpose()
            return .NO
        }
        outgoing.add(response.headers, onFault: faults)
        if daemon.state.isDraining || endsConnection { outgoing.closeConnection() }
        let result = outgoing.queue(on: connection, status: status)
        if result == .YES {
            stream?.start()
        } else {
            faults("libmicrohttpd did not take a response of status \(status)")
        }
        return result
    }
}

/// How much of a body that is too long is dropped in the hope that the peer then reads the refusal.
private let droppedBytes = 16 << 20
