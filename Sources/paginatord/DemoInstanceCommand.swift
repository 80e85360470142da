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
        let listeners = try bind(options.listeners, isTLS: tls != nil, observer: log)
        let group = try EventLoopGroup()
        var settings = settings
        settings.sleep = { try await group.currentOrNext().sleep(for: $0) }
        let result = await demoInstance(
            settings, faults: options.faults, listeners: listeners, tls: tls, group: group, log: log)
        await group.shutdown()
        return result
    } catch {
        Console.standard.error("paginatord: \(error)\n")
        return .unavailable
    }
}

private func demoInstance(
    _ settings: DemoInstance.Options, faults: [Fault], listeners: [BoundListener], tls: TLSConfiguration?,
    group: EventLoopGroup, log: JSONLog
) async -> ExitCode {
    do {
        let instance = try await DemoInstance(settings)
        let responder: any Responder =
            faults.isEmpty
            ? instance
            : Faults(faults, around: instance, seed: settings.seed, clock: settings.clock, sleep: settings.sleep)
        let server = HTTPServer(
            listeners: listeners,
            configuration: HTTPServerConfiguration(LimitsConfiguration(), tls: tls, observer: log),
            responder: responder, group: group)
        let running = RunningServer(group: group, server: server, listeners: listeners)
        let reason = try await running.serveUntilSignal(console: .standard) {}
        log.observe(.serviceStopping(reason: reason))
        await server.stop(grace: .seconds(10))
        return .success
    } catch let error as DemoInstanceError {
        Console.standard.error("paginatord: the demo instance cannot be made: \(error.detail)\n")
        return .internalBug
    } catch {
        Console.standard.error("paginatord: \(error)\n")
        return .unavailable
    }
}
