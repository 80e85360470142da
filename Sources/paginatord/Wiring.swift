import HTTPModel
import TableAPI

/// Runs the service until it is told to stop.
func serve(_ options: ServeOptions, configuration: Configuration) async -> ExitCode {
    Console.standard.error("not wired\n")
    return .internalBug
}

/// Runs the demo instance until it is told to stop.
func demoInstance(_ options: DemoInstanceOptions, credentials: Credentials) async -> ExitCode {
    Console.standard.error("not wired\n")
    return .internalBug
}

/// The way to a running service.
func healthTransport(to target: HealthTarget) -> any HTTPTransport {
    UnwiredTransport()
}

private struct UnwiredTransport: HTTPTransport {
    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        throw .connectionFailed("not wired")
    }
}
