import EventLoops
import HTTPClient
import HTTPModel

/// The way to a running service, for its health check.
func healthTransport(to target: HealthTarget) -> any HTTPTransport {
    HealthTransport(target: target)
}

/// Makes a loop for one request and ends it afterwards.
private struct HealthTransport: HTTPTransport {
    let target: HealthTarget

    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        let group: EventLoopGroup
        do {
            group = try EventLoopGroup(count: 1)
        } catch {
            throw .connectionFailed(error.description)
        }
        var configuration = HTTPClientConfiguration(connectTimeout: HealthCheck.timeout, proxy: .direct)
        configuration.unixSocket = target.unixSocket
        configuration.checksCertificate = target.checksCertificate
        let client = HTTPClient(configuration, on: group)
        let result = await Result(catching: request, by: client)
        await client.shutdown()
        await group.shutdown()
        return try result.get()
    }
}

extension Result where Success == IncomingResponse, Failure == TransportError {
    fileprivate init(catching request: OutgoingRequest, by client: HTTPClient) async {
        do {
            self = .success(try await client.send(request))
        } catch {
            self = .failure(error)
        }
    }
}
