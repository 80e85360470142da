import Clocks
import DemoInstance
import EventLoops
import Gateway
import HTTPServer
import Observability
import Pagination
import RedisSessions
import Sessions
import TableAPI

/// Runs the service until it is told to stop.
func serve(_ options: ServeOptions, configuration: Configuration, storage: SessionStorage) async -> ExitCode {
    let log = JSONLog(level: configuration.log.level, format: configuration.log.format)
    defer { log.close() }
    for warning in configuration.warnings { log.observe(.configurationWarning(warning)) }
    do {
        let group = try EventLoopGroup()
        let signals = try await group.processSignals(renews: true)
        let result = await serve(
            options, configuration: configuration, storage: storage, group: group, signals: signals, observer: log)
        await group.shutdown()
        return result
    } catch {
        log.observe(.serverFault(error.description))
        return .unavailable
    }
}

private func serve(
    _ options: ServeOptions, configuration: Configuration, storage: SessionStorage, group: EventLoopGroup,
    signals: AsyncStream<ProcessSignal>, observer: any Observer
) async -> ExitCode {
    do {
        let listeners = try bind(configuration.listeners, isTLS: configuration.tls != nil, observer: observer)
        if configuration.isForThisMachineOnly, let exposed = listeners.first(where: \.isReachableByOthers) {
            for listener in listeners { listener.close() }
            return Console.standard.report(
                ConfigurationFailure(problems: [configuration.exposure(of: exposed.address.description)]))
        }
        let adminListeners =
            configuration.adminListeners.isEmpty
            ? [] : try bind(configuration.adminListeners, isTLS: configuration.tls != nil, observer: observer)
        let sessions = try await OpenSessionStore(
            storage, configuration: configuration, group: group, observer: observer)
        let connections = try await connections(
            to: configuration, isDemo: options.isDemo, redis: sessions.redis, group: group)
        let service = Service(
            connections, store: sessions.store, configuration: configuration, group: group, observer: observer)
        let limits = configuration.limits.fitted(to: DescriptorLimit.raised(), observer: observer)
        let serverConfiguration = HTTPServerConfiguration(limits, tls: configuration.tls, observer: observer)
        let hasAdmin = !adminListeners.isEmpty
        let server = HTTPServer(
            listeners: listeners, configuration: serverConfiguration,
            responder: service.gateway.responder(showing: hasAdmin ? .service : .whole), group: group)
        let admin =
            hasAdmin
            ? HTTPServer(
                listeners: adminListeners, configuration: serverConfiguration.forAdmin,
                responder: service.gateway.responder(showing: .health), group: group) : nil
        var renewals = Renewals()
        renewals.add {
            var tokens = service.gateway.tokens
            configuration.access.tokens.renew(&tokens, observer: observer)
            service.gateway.renew(tokens)
        }
        if let tls = configuration.tls {
            renewals.add { await tls.renew(for: [server] + (admin.map { [$0] } ?? []), observer: observer) }
        }
        let running = RunningServer(
            signals: signals, server: server, admin: admin, listeners: listeners + adminListeners,
            renewals: renewals)
        let sweeping = Task {
            await service.registry.run(every: .seconds(1)) { try await group.loops[0].sleep(for: $0) }
        }
        try await running.serveUntilSignal(console: .standard, grace: configuration.shutdownGrace) {
            observer.observe(
                .serviceStarted(
                    version: version, instances: service.instanceNames, listeners: running.listeners.map(\.description))
            )
            await sessions.report(storage, to: observer)
        } stopping: {
            observer.observe(.serviceStopping(reason: $0))
            service.gateway.drain()
        }
        sweeping.cancel()
        await sweeping.value
        let unfinished = connections.reduce(0) { $0 + $1.status.inFlight }
        for connection in connections { await connection.shutdown() }
        await sessions.close()
        observer.observe(.serviceStopped(unfinished: unfinished))
        return .success
    } catch let error as HTTPServerError {
        Console.standard.error("paginatord: \(error)\n")
        return .unavailable
    } catch let error as SessionStorageError {
        Console.standard.error("paginatord: \(error)\n")
        return .unavailable
    } catch let error as DemoInstanceError {
        Console.standard.error("paginatord: the demo instance cannot be made: \(error.detail)\n")
        return .internalBug
    } catch {
        Console.standard.error("paginatord: \(error)\n")
        return .internalBug
    }
}

private func connections(
    to configuration: Configuration, isDemo: Bool, redis: RedisClient?, group: EventLoopGroup
) async throws -> [InstanceConnection] {
    let cache = configuration.pages.cache
    var connections = configuration.instances.map { InstanceConnection($0, cache: cache, redis: redis, group: group) }
    if isDemo {
        let demo = try await DemoInstance()
        connections.append(
            try InstanceConnection(demo: demo, configuration: configuration.pages, cache: cache, group: group))
    }
    return connections
}

/// The parts of the service behind its HTTP server.
private struct Service {
    let registry: SessionRegistry
    let gateway: Gateway
    let instanceNames: [String]

    init(
        _ connections: [InstanceConnection], store: any SessionStore, configuration: Configuration,
        group: EventLoopGroup, observer: any Observer
    ) {
        let services = connections.map(\.service)
        let instances = Dictionary(services.map { ($0.instance.name, $0) }, uniquingKeysWith: { first, _ in first })
        instanceNames = instances.keys.sorted()
        let sessions = configuration.sessions
        registry = SessionRegistry(
            store: store,
            configuration: SessionConfiguration(
                limits: SessionLimits(
                    perOwner: configuration.forwards || !configuration.access.tokens.isEmpty
                        ? sessions.maxPerOwner : nil,
                    total: sessions.maxTotal),
                waitingMoves: configuration.limits.waitingMoves, readAheadMemory: sessions.replayMemory,
                readAheadMaxAge: configuration.pages.readAheadMaxAge),
            clock: .system, executor: { group.currentOrNext() },
            makeSource: { definition throws(PageSourceError) in try instances.source(of: definition) })
        gateway = Gateway(
            registry: registry, instances: instances,
            status: { connections.map(\.status).sorted { $0.name < $1.name } },
            configuration: GatewayConfiguration(
                itemsPerPage: configuration.pages.itemsPerPage, maxItemsPerPage: configuration.pages.maxItemsPerPage,
                readAhead: configuration.pages.readAhead, idleTimeout: Int(sessions.idleTimeout.components.seconds),
                maxIdleTimeout: Int(sessions.maxIdleTimeout.components.seconds),
                maxRequestBody: configuration.limits.requestBody,
                access: AccessPolicy(
                    hosts: configuration.access.hosts, origins: configuration.access.origins,
                    tokens: configuration.access.table(), requestsPerToken: configuration.limits.requestsPerToken)),
            clock: .system, sleep: { try await group.currentOrNext().sleep(for: $0) }, observer: observer)
    }
}
