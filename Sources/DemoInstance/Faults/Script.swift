public import HTTPModel
internal import Synchronization

/// Exact answers to one request after another, for rehearsing one certain exchange with an instance where `Faults`
/// rehearse what may happen at any time.
///
/// Once its steps are used up, whatever stands behind it answers. It remembers what it was asked.
public final class Script: Responder {
    /// What becomes of one request.
    public indirect enum Step: Sendable {
        /// It gets this answer.
        case answer(Response)
        /// It gets this answer up to so many bytes of the body; then the connection ends.
        case cut(Response, after: Int, Framing = .chunks)
        /// Whatever stands behind answers, from lists that lack so many of their first records: a table changes between two
        /// requests by two steps that differ in this number.
        case passOn(lacking: Int = 0)
        /// Whatever stands behind answers, and that goes wrong.
        case fault(Fault.Kind)
        /// It gets what the closure makes of it, when that returns.
        case made(@Sendable (Request) async -> Response)
        /// The step is taken after a while.
        case delayed(Duration, Step)
    }

    /// How a body that is cut says where it would have ended.
    public enum Framing: Sendable, CaseIterable {
        /// By a final chunk.
        case chunks
        /// By a `Content-Length`.
        case length
    }

    private let responder: any Responder
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state: Mutex<(steps: ArraySlice<Step>, requests: [Request])>

    /// Puts a script in front of a responder.
    ///
    /// - Parameter sleep: waits, for steps that are delayed.
    public init(
        _ steps: [Step] = [], before responder: any Responder,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.responder = responder
        self.sleep = sleep
        state = Mutex((steps[...], []))
    }

    /// What it was asked, in order.
    public var requests: [Request] {
        state.withLock { $0.requests }
    }

    /// Whether every step has been taken.
    public var isOver: Bool {
        state.withLock { $0.steps.isEmpty }
    }

    /// Adds steps behind those that are left.
    public func append(_ steps: Step...) {
        state.withLock { $0.steps += steps }
    }

    /// Reads the request whole, up to 1 MiB, and takes the next step.
    public func receive(_ head: RequestHead) -> Reception {
        .body(limit: 1 << 20, tooLarge: { InstanceError.bodyTooLarge.response }) { [self] request in
            let step = state.withLock { state in
                state.requests.append(request)
                return state.steps.popFirst()
            }
            return await take(step ?? .passOn(), for: request)
        }
    }

    private func take(_ step: Step, for request: Request) async -> Response {
        switch step {
        case .answer(let response): return response
        case .cut(let response, let count, let framing): return await cut(response, after: count, framing)
        case .passOn(let missing):
            guard let list = DriftedList(request.head, missing: missing) else {
                return await responder.respond(to: request)
            }
            return list.response(await responder.respond(to: Request(list.request, body: request.body)))
        case .fault(let kind): return await Faults([Fault(kind)], around: responder).respond(to: request)
        case .made(let make): return await make(request)
        case .delayed(let time, let step):
            // A cancelled wait only means that nobody waits for the answer any more.
            try? await sleep(time)
            return await take(step, for: request)
        }
    }

    private func cut(_ response: Response, after count: Int, _ framing: Framing) async -> Response {
        var body: [UInt8] = []
        if case .pieces(let pieces) = response.body {
            body = Array(pieces.joined())
        } else if case .stream(let produce) = response.body {
            let collector = BodyCollector()
            try? await produce(collector)
            body = await collector.bytes
        }
        var response = response
        if framing == .length { response.headers["Content-Length"] = String(body.count) }
        let part = body.prefix(count)
        response.body = .stream { writer in
            try await writer.write(part)
            throw CutShort()
        }
        return response
    }
}
