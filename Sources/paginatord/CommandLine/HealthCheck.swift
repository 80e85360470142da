import HTTPModel

/// Asks a running service whether it is alive.
struct HealthCheck {
    /// The time that the answer may take. Below the three seconds that container runtimes commonly allow.
    static let timeout = Duration.milliseconds(2500)

    /// Who is asked.
    let target: HealthTarget
    /// How.
    let transport: any HTTPTransport

    /// Why the service is not well; `nil` where it is.
    func run() async -> String? {
        do throws(TransportError) {
            let answer = try await transport.send(
                OutgoingRequest(url: target.url, timeout: Self.timeout, maxBodyBytes: 1 << 16))
            return answer.status == 200 ? nil : "\(place) answered \(answer.status)"
        } catch {
            switch error {
            case .invalidRequest(let detail), .connectionFailed(let detail), .tlsFailed(let detail),
                .bodyIncomplete(let detail, _), .noResponse(let detail):
                return "\(place): \(detail)"
            case .timedOut: return "\(place) did not answer within \(DurationText.format(Self.timeout))"
            case .bodyTooLarge: return "\(place) answered something else"
            case .cancelled: return "\(place): cancelled"
            }
        }
    }

    private var place: String {
        target.unixSocket.map { "unix:\($0)" } ?? target.url
    }
}
