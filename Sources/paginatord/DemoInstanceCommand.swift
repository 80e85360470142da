import DemoInstance
import EventLoops
import HTTPModel
import HTTPServer
import Observability

/// Runs the demo instance until it is told to stop.
func demoInstance(
    _ options: DemoInstanceOptions, settings: DemoInstance.Options, tls: TLSConfiguration?
) async -> ExitCode {
    let log = JSONLog()
    defer { log.close() }
    do {
        let group = try EventLoopGroup()
        let signals = try await group.processSignals(renews: false)
        var settings = settings
        settings.sleep = { try await group.currentOrNext().sleep(for: $0) }
        let result = await demoInstance(
            settings, options: options, tls: tls, group: group, signals: signals, log: log)
        await group.shutdown()
        return result
    } catch {
        Console.standard.error("paginatord: \(error)\n")
        return .unavailable
    }
}

private func demoInstance(
    _ settings: DemoInstance.Options, options: DemoInstanceOptions, tls: TLSConfiguration?, group: EventLoopGroup,
    signals: AsyncStream<ProcessSignal>, log: JSONLog
) async -> ExitCode {
    do {
        let listeners = try bind(options.listeners, isTLS: tls != nil, observer: log)
        let instance = try await DemoInstance(settings)
        let responder: any Responder =
            options.faults.isEmpty
            ? instance
            : Faults(
                options.faults, around: instance, seed: settings.seed, clock: settings.clock, sleep: settings.sleep)
        let limits = LimitsConfiguration().fitted(to: DescriptorLimit.raised(), observer: log)
        let server = HTTPServer(
            listeners: listeners, configuration: HTTPServerConfiguration(limits, tls: tls, observer: log),
            responder: responder, group: group)
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
