import DemoInstance
import EventLoops
import HTTPServer
import Observability
import TableAPI

/// Runs the demo instance until it is told to stop.
func demoInstance(_ options: DemoInstanceOptions, credentials: Credentials) async -> ExitCode {
    let log = JSONLog()
    defer { log.close() }
    do {
        let group = try EventLoopGroup()
        let signals = try await group.endingSignals()
        let result = await demoInstance(options, credentials, group: group, signals: signals, log: log)
        await group.shutdown()
        return result
    } catch {
        Console.standard.error("paginatord: \(error)\n")
        return .unavailable
    }
}

private func demoInstance(
    _ options: DemoInstanceOptions, _ credentials: Credentials, group: EventLoopGroup,
    signals: AsyncStream<ProcessSignal>, log: JSONLog
) async -> ExitCode {
    do {
        let listeners = try bind(options.listeners, isTLS: false, observer: log)
        let instance = try await DemoInstance(
            incidents: options.incidents, credentials: BasicCredentials(credentials), latency: options.latency,
            sleep: { try await group.currentOrNext().sleep(for: $0) })
        let limits = LimitsConfiguration().fitted(to: DescriptorLimit.raised(), observer: log)
        let server = HTTPServer(
            listeners: listeners,
            configuration: HTTPServerConfiguration(limits, tls: nil, observer: log),
            responder: instance, group: group)
        let running = RunningServer(signals: signals, server: server, listeners: listeners)
        try await running.serveUntilSignal(console: .standard, grace: .seconds(10)) {
        } stopping: {
            log.observe(.serviceStopping(reason: $0))
        }
        return .success
    } catch let error as DemoInstanceError {
        Console.standard.error("paginatord: the demo instance cannot be made: \(error.detail)\n")
        return .internalBug
    } catch {
        Console.standard.error("paginatord: \(error)\n")
        return .unavailable
    }
}

extension BasicCredentials {
    fileprivate init?(_ credentials: Credentials) {
        guard case .basic(let username, let password) = credentials else { return nil }
        self.init(username: username, password: password.revealed)
    }
}
