public import EventLoops
public import HTTPModel

/// Sends requests over libcurl, whose multi interface runs on the event loops of a group: one per loop, each with its
/// own connections. HTTP/1.1, connections kept open, gzip decoded, certificates checked; no redirects, no cookies.
///
/// To be ended with `shutdown()` before its group is.
public final class HTTPClient: HTTPTransport {
    private let group: EventLoopGroup
    private let clients: [LoopClient]

    /// Makes a client; nothing is opened before the first request.
    public init(_ configuration: HTTPClientConfiguration = HTTPClientConfiguration(), on group: EventLoopGroup) {
        self.group = group
        clients = group.loops.map { LoopClient(configuration, on: $0) }
    }

    deinit {
        for client in clients { client.loop.execute { client.stop() } }
    }

    /// Sends one request and returns its answer with the whole body, decompressed.
    ///
    /// A task that prefers a loop of the group is served on it, any other on the next in turn. Fields whose names are
    /// `Host`, `Content-Length`, `Transfer-Encoding` or `Expect` are not accepted in the request. A request on a kept
    /// connection that turns out to be closed before any byte came is sent again on a new one, whatever its method.
    ///
    /// libcurl 7.88 does not notice when a gzip stream stops short inside a body whose framing is whole; what was
    /// decoded until then is returned, so whoever relies on the body's end has to check its syntax.
    @concurrent public func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        try request.check()
        guard request.timeout > .zero else { throw .timedOut(receivedBytes: false) }
        let loop = group.currentOrNext()
        guard let client = clients.first(where: { $0.loop === loop }) else { throw .cancelled }
        let transfer = Transfer(request)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { client.start(transfer, for: $0) }
        } onCancel: {
            client.loop.execute { client.cancel(transfer) }
        }
        return try result.get()
    }

    /// Ends every transfer with `TransportError.cancelled`, closes the connections and refuses what comes later in the
    /// same way. Returns when that has happened on all loops.
    @concurrent public func shutdown() async {
        for client in clients {
            await withCheckedContinuation { (stopped: CheckedContinuation<Void, Never>) in
                let accepted = client.loop.execute {
                    client.stop()
                    stopped.resume()
                }
                if !accepted { stopped.resume() }
            }
        }
    }
}
