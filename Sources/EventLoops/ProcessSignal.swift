internal import CUV
internal import Glibc

/// A signal that a service reacts to.
public enum ProcessSignal: Sendable, CaseIterable {
    /// SIGTERM: stop in order.
    case terminate
    /// SIGINT: stop in order, from a terminal.
    case interrupt
    /// SIGHUP: read the configuration again.
    case hangUp

    /// The system's number.
    public var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        }
    }
}

extension EventLoop {
    /// Takes over these signals and tells of each one that comes; they are in our hands when this returns.
    ///
    /// The sequence ends with the loop; when it is no longer iterated the signals have their former effect again.
    /// - Throws: `EventLoopError` where the system refuses.
    public func signals(
        _ signals: [ProcessSignal]
    ) async throws(EventLoopError) -> AsyncStream<ProcessSignal> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ProcessSignal.self, bufferingPolicy: .bufferingNewest(16))
        let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Void, EventLoopError>, Never>) in
            let accepted = execute { done.resume(returning: self.watch(signals, continuation)) }
            if !accepted { done.resume(returning: .failure(.loopEnded)) }
        }
        try result.get()
        return stream
    }

    private func watch(
        _ signals: [ProcessSignal], _ continuation: AsyncStream<ProcessSignal>.Continuation
    ) -> Result<Void, EventLoopError> {
        var handles: [LoopHandle] = []
        do throws(EventLoopError) {
            for signal in signals {
                let handle = try LoopHandle(
                    uv_signal_t.self, "watching for signals", event: { _, _ in continuation.yield(signal) },
                    closed: { continuation.finish() }
                ) { uv_signal_init(raw, $0) }
                handles.append(handle)
                let status = uv_signal_start(
                    handle.pointer(as: uv_signal_t.self), { LoopHandle.deliver($0, 0, $1) }, signal.number)
                guard status == 0 else { throw refusal("watching for signals", status) }
            }
        } catch {
            for handle in handles { handle.close() }
            return .failure(error)
        }
        let opened = handles
        continuation.onTermination = { [self] _ in
            execute { for handle in opened { handle.close() } }
        }
        return .success(())
    }
}
