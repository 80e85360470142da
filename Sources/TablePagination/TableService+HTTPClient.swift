public import EventLoops
import HTTPClient
import Locks
public import TableAPI

extension TableService {
    /// Makes a service that reaches the instance over the network. All services made so share their event loops and, but
    /// for each client certificate, one HTTP client; these last as long as the process.
    ///
    /// - Throws: `EventLoopError` where the system has no descriptors or threads left.
    public init(instance: Instance) throws(EventLoopError) {
        self.init(instance: instance, transport: try client(presenting: instance.credentials.identity))
    }
}

extension Credentials {
    /// What an `HTTPClient` has to present for them.
    fileprivate var identity: HTTPClientConfiguration.Identity? {
        guard case .certificate(let certificate, let key) = self else { return nil }
        return HTTPClientConfiguration.Identity(certificateFile: certificate, keyFile: key)
    }
}

private let sharedGroup: Result<EventLoopGroup, EventLoopError> = {
    do throws(EventLoopError) {
        return .success(try EventLoopGroup())
    } catch {
        return .failure(error)
    }
}()

/// The clients made so far. libcurl may reuse a connection across certificates, so each of these has its own.
private let clients = Lock<[(identity: HTTPClientConfiguration.Identity?, client: HTTPClient)]>([])

private func client(
    presenting identity: HTTPClientConfiguration.Identity?
) throws(EventLoopError) -> HTTPClient {
    let group = try sharedGroup.get()
    return clients.withLock { clients in
        if let known = clients.first(where: { $0.identity == identity }) { return known.client }
        let client = HTTPClient(HTTPClientConfiguration(identity: identity), on: group)
        clients.append((identity, client))
        return client
    }
}
