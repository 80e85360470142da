import HTTPModel

/// What every command needs of the world.
struct Program: Sendable {
    /// The environment.
    var environment: [String: String]
    /// Where it writes.
    var console = Console.standard
    /// How the health check reaches a service.
    var transport: @Sendable (HealthTarget) -> any HTTPTransport = healthTransport

    /// Runs the command that the arguments, without the program's name, ask for.
    func run(_ arguments: [String]) async -> ExitCode {
        let command: Command
        do throws(CommandLineError) {
            command = try Command(arguments: arguments)
        } catch {
            return console.report(error)
        }
        switch command {
        case .help(let text): console.output(text)
        case .version: console.output("paginatord \(version)\n")
        case .serve(let options): return await runServe(options)
        case .demoInstance(let options): return await runDemoInstance(options)
        case .export(let options): return await runExport(options)
        case .checkConfiguration(let file): return checkConfiguration(file)
        case .healthCheck(let url): return await checkHealth(url)
        }
        return .success
    }

    private func runServe(_ options: ServeOptions) async -> ExitCode {
        let source = ConfigurationSource(
            file: options.configurationFile, environment: environment, isDemo: options.isDemo,
            listeners: options.listeners, dataDirectory: options.dataDirectory, logLevel: options.logLevel)
        do throws(ConfigurationFailure) {
            let configuration = try Configuration(from: source)
            let storage = try configuration.sessionStorage(isDemo: options.isDemo)
            return await serve(options, configuration: configuration, storage: storage)
        } catch {
            return console.report(error)
        }
    }

    private func runDemoInstance(_ options: DemoInstanceOptions) async -> ExitCode {
        do throws(CommandLineError) {
            let settings = try options.settings(in: environment)
            return await demoInstance(options, settings: settings, tls: try options.readTLS())
        } catch {
            return console.report(error)
        }
    }

    private func runExport(_ options: ExportOptions) async -> ExitCode {
        let source = ConfigurationSource(
            file: options.configurationFile, environment: environment, isDemo: options.isDemo, isForService: false)
        do throws(ConfigurationFailure) {
            return await export(options, configuration: try Configuration(from: source), console: console)
        } catch {
            return console.report(error)
        }
    }

    private func checkConfiguration(_ file: String?) -> ExitCode {
        let source = ConfigurationSource(file: file, environment: environment)
        do throws(ConfigurationFailure) {
            let configuration = try Configuration(from: source)
            console.error(configuration.warnings.map { "paginatord: \($0)\n" }.joined())
            console.output("\(source.effectiveFile ?? "environment"): ok\n")
            return .success
        } catch {
            console.output(error.problems.map { "\($0)\n" }.joined())
            return .wrongConfiguration
        }
    }

    private func checkHealth(_ url: String?) async -> ExitCode {
        let target: HealthTarget
        if let url {
            guard let named = HealthTarget(url) else {
                console.error(
                    "paginatord: expected a URL such as http://127.0.0.1:8080 or unix:/path but found "
                        + "\"\(printable(url))\"\npaginatord: see paginatord healthcheck --help\n")
                return .wrongUsage
            }
            target = named
        } else {
            // Only the listeners matter here; whatever else may be wrong, the running service is asked.
            let source = ConfigurationSource(environment: environment)
            let configuration = (try? Configuration.read(from: source))?.0 ?? Configuration()
            guard let configured = HealthTarget(configuration) else {
                console.error("paginatord: no configured listener has a known address; name the URL\n")
                return .unavailable
            }
            target = configured
        }
        guard let fault = await HealthCheck(target: target, transport: transport(target)).run() else { return .success }
        console.error("paginatord: \(fault)\n")
        return .unavailable
    }
}
