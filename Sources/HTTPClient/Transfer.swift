internal import HTTPModel

/// One request on its way, from the caller that waits for it to the loop that carries it out.
///
/// Safe because everything but `request` is touched on the loop of its `LoopClient` only.
final class Transfer: @unchecked Sendable {
    /// What the caller waits with.
    typealias Caller = CheckedContinuation<Result<IncomingResponse, TransportError>, Never>

    /// What is to be sent.
    let request: OutgoingRequest
    /// libcurl's handle while it runs.
    var handle: EasyHandle?
    private var state = TransferState.new
    private var caller: Caller?

    /// Makes a transfer that has not begun.
    init(_ request: OutgoingRequest) {
        self.request = request
    }

    /// Takes the caller and begins. False if the transfer was cancelled before; the caller has then been resumed.
    func begin(_ caller: Caller) -> Bool {
        guard state.begin() else {
            caller.resume(returning: .failure(.cancelled))
            return false
        }
        self.caller = caller
        return true
    }

    /// Ends the transfer and resumes its caller, unless that has been done.
    func end(_ result: Result<IncomingResponse, TransportError>) {
        guard state.end() else { return }
        resume(result)
    }

    /// Cancels; the handle to be taken from libcurl is returned, and the caller has been resumed.
    func cancel() -> EasyHandle? {
        guard state.cancel() == .endTransfer else { return nil }
        resume(.failure(.cancelled))
        return handle
    }

    private func resume(_ result: Result<IncomingResponse, TransportError>) {
        caller?.resume(returning: result)
        caller = nil
    }
}
