internal import CCurl
internal import EventLoops
internal import HTTPModel

/// The part of an `HTTPClient` that lives on one event loop: its multi handle and the transfers in it.
///
/// Safe because everything but `loop` and `start` is touched on the loop only.
final class LoopClient: @unchecked Sendable {
    /// The loop.
    let loop: EventLoop
    private let configuration: HTTPClientConfiguration
    private var multi: MultiHandle?
    private var running: [ObjectIdentifier: EasyHandle] = [:]
    private var idle: [EasyHandle] = []
    private var isStopped = false

    /// The most handles that are kept for the next transfer.
    private static let maxIdleHandles = 32

    /// Makes the part; libcurl is not touched before the first transfer.
    init(_ configuration: HTTPClientConfiguration, on loop: EventLoop) {
        self.configuration = configuration
        self.loop = loop
    }

    /// Begins the transfer on the loop. From any thread; the caller is resumed exactly once, whatever happens.
    func start(_ transfer: Transfer, for caller: Transfer.Caller) {
        guard !loop.isCurrent else { return begin(transfer, for: caller) }
        if !loop.execute({ self.begin(transfer, for: caller) }) { caller.resume(returning: .failure(.cancelled)) }
    }

    /// Takes the transfer from libcurl and resumes its caller, unless it has ended.
    func cancel(_ transfer: Transfer) {
        loop.assertCurrent()
        if let handle = transfer.cancel() { release(handle) }
    }

    /// Ends all transfers as cancelled, refuses further ones, and closes all connections.
    func stop() {
        loop.assertCurrent()
        isStopped = true
        endAll(.cancelled)
    }

    private func begin(_ transfer: Transfer, for caller: Transfer.Caller) {
        loop.assertCurrent()
        guard transfer.begin(caller) else { return }
        guard !isStopped else { return transfer.end(.failure(.cancelled)) }
        do throws(TransportError) {
            let multi = try currentMulti()
            let handle =
                if let kept = idle.popLast() { kept } else {
                    try EasyHandle(configuration, context: multi.context)
                }
            try handle.prepare(transfer)
            let code = multi.add(handle)
            guard code == CURLM_OK else { throw .connectionFailed(String(cString: curl_multi_strerror(code))) }
            transfer.handle = handle
            running[ObjectIdentifier(handle)] = handle
        } catch {
            transfer.end(.failure(error))
        }
    }

    private func currentMulti() throws(TransportError) -> MultiHandle {
        if let multi { return multi }
        do throws(EventLoopError) {
            // Safe because a multi handle calls these no longer once it is closed, which `stop()` does, and the client calls
            // that before it lets go of this object.
            let multi = try MultiHandle(
                on: loop, maxIdleConnections: configuration.maxIdleConnections,
                finished: { [unowned self] in finish($0, $1) },
                broke: { [unowned self] in endAll(.connectionFailed("libcurl failed and was started anew")) })
            self.multi = multi
            return multi
        } catch {
            throw .connectionFailed(error.description)
        }
    }

    private func finish(_ handle: EasyHandle, _ code: CURLcode) {
        let transfer = handle.transfer
        let result = take(handle) { $0.finish(code) }
        transfer?.end(result)
    }

    private func release(_ handle: EasyHandle) {
        take(handle) { $0.clear() }
    }

    /// Takes a handle from libcurl and keeps it for the next transfer.
    private func take<Result>(_ handle: EasyHandle, _ finish: (EasyHandle) -> Result) -> Result {
        multi?.remove(handle)
        running[ObjectIdentifier(handle)] = nil
        handle.transfer?.handle = nil
        defer { if idle.count < Self.maxIdleHandles { idle.append(handle) } }
        return finish(handle)
    }

    /// Ends every transfer and closes the multi handle; the next transfer makes a new one.
    private func endAll(_ error: TransportError) {
        for handle in running.values {
            let transfer = handle.transfer
            release(handle)
            transfer?.end(.failure(error))
        }
        // The handles' sockets point to the multi handle.
        idle = []
        multi?.close()
        multi = nil
    }
}
