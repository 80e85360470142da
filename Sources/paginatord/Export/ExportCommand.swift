import DemoInstance
import EventLoops
import Gateway
import Glibc
import Pagination
import Synchronization
import TableAPI

/// Writes all records of a table to a file or to standard output, and says on standard error what is missing if it is not
/// all.
func export(_ options: ExportOptions, configuration: Configuration, console: Console) async -> ExitCode {
    console.error(configuration.warnings.map { "paginatord: \($0)\n" }.joined())
    do {
        let group = try EventLoopGroup()
        let signals = try await group.processSignals(renews: false)
        let code = await export(
            options, configuration: configuration, console: console, group: group, signals: signals)
        await group.shutdown()
        return code
    } catch {
        console.error("paginatord: \(error)\n")
        return .unavailable
    }
}

private func export(
    _ options: ExportOptions, configuration: Configuration, console: Console, group: EventLoopGroup,
    signals: AsyncStream<ProcessSignal>
) async -> ExitCode {
    do {
        let connection = try await connection(for: options, configuration: configuration, group: group)
        let export = try Export(options, service: connection.service, pages: configuration.pages)
        let isShown = isatty(STDERR_FILENO) == 1 && (options.output != nil || isatty(STDOUT_FILENO) == 0)
        let bar = isShown ? ProgressBar(console.error) : nil
        let exporting = Task { await export.run(bar) }
        let stopped = Mutex<ProcessSignal?>(nil)
        let watching = Task {
            for await signal in signals {
                stopped.withLock { $0 = $0 ?? signal }
                exporting.cancel()
            }
        }
        let failure = await exporting.value
        watching.cancel()
        await connection.shutdown()
        guard let failure else { return .success }
        let reason = stopped.withLock { $0 }.map { "stopped by \($0 == .interrupt ? "SIGINT" : "SIGTERM")" }
        console.error("paginatord: \(failure.text(of: options, because: reason))\n")
        return failure.code
    } catch let error as CommandLineError {
        return console.report(error)
    } catch let error as ConfigurationFailure {
        return console.report(error)
    } catch {
        console.error("paginatord: \(error)\n")
        return .internalBug
    }
}

/// The way to the instance that is meant.
///
/// - Throws: `CommandLineError` where none is; `ConfigurationFailure` where it cannot be used without a caller.
private func connection(
    for options: ExportOptions, configuration: Configuration, group: EventLoopGroup
) async throws -> InstanceConnection {
    var names = configuration.instances.map(\.instance.name)
    if options.isDemo { names.append(Configuration.defaultInstance) }
    let name = try options.instance(among: names)
    guard let configured = configuration.instances.first(where: { $0.instance.name == name }) else {
        return try InstanceConnection(
            demo: try await DemoInstance(), configuration: configuration.pages, cache: nil, group: group)
    }
    guard configured.instance.credentials != .forward else {
        throw ConfigurationFailure(problems: [
            ConfigurationProblem(
                path: "instances.\(name).auth",
                detail:
                    "\"forward\" takes the credentials that a caller of the service brings, and export has no caller")
        ])
    }
    return InstanceConnection(configured, cache: nil, group: group)
}
