/// Everything the service tells about itself. Log, metrics and traces are made from these and from nothing else.
///
/// No associated text may hold a credential, a row, a raw target, or a URL with its query.
public enum Event: Sendable, Equatable {
    /// A request was answered.
    case requestAnswered(AnsweredRequest)
    /// The service accepts connections.
    case serviceStarted(version: String, instances: [String], listeners: [String])
    /// The service takes no new connections and finishes what is under way. `reason` names the signal or the fault.
    case serviceStopping(reason: String)
    /// The service has stopped; `unfinished` requests were cut because the grace time was over.
    case serviceStopped(unfinished: Int)
    /// A default listener was left out, because its address family does not exist here.
    case listenerSkipped(address: String, reason: String)
    /// A setting was understood, but is probably not what was meant.
    case configurationWarning(String)
    /// What a setting points to, such as a file with a secret, was read again and is in force.
    case settingRenewed(setting: String)
    /// What a setting points to could not be read again; what was in force stays so. The reason tells nothing of what is in it.
    case settingNotRenewed(setting: String, reason: String)
    /// Sessions live in memory only, and end with the process.
    case sessionsInMemory
    /// Sessions live in that file, and outlive the process.
    case sessionsInFile(path: String)
    /// Sessions live on that Redis server, and may be shared with other processes.
    case sessionsInRedis(address: String, database: Int)
    /// Sessions cannot be read or written for now; the service goes on without.
    case storeUnavailable(reason: String)
    /// Sessions can be read and written again.
    case storeAvailable
    /// An instance gave no usable answer. `problem` is the name of the problem that the caller was told.
    case upstreamFailed(instance: String, problem: String, detail: String, requestID: String)
    /// The HTTP server met a fault outside any request, such as no file descriptor left for a new connection.
    case serverFault(String)
    /// The HTTP library reports what went wrong with one connection, mostly that its peer has gone.
    case connectionFault(String)
    /// Log lines were dropped, because standard error did not take them fast enough.
    case logLinesDropped(Int)
    /// Something that should be impossible happened; the request, if there was one, was answered with 500.
    case internalBug(detail: String, requestID: String?)

    /// How much it matters.
    public var level: Level {
        switch self {
        case .connectionFault: .debug
        case .requestAnswered, .serviceStarted, .serviceStopping, .serviceStopped, .listenerSkipped, .sessionsInMemory,
            .sessionsInFile, .sessionsInRedis, .storeAvailable, .settingRenewed:
            .info
        case .configurationWarning, .storeUnavailable, .upstreamFailed, .logLinesDropped: .warning
        case .serverFault, .settingNotRenewed, .internalBug: .error
        }
    }

    /// What the log calls it.
    public var name: String {
        switch self {
        case .requestAnswered: "request-answered"
        case .serviceStarted: "service-started"
        case .serviceStopping: "service-stopping"
        case .serviceStopped: "service-stopped"
        case .listenerSkipped: "listener-skipped"
        case .configurationWarning: "configuration-warning"
        case .settingRenewed: "setting-renewed"
        case .settingNotRenewed: "setting-not-renewed"
        case .sessionsInMemory: "sessions-in-memory"
        case .sessionsInFile: "sessions-in-file"
        case .sessionsInRedis: "sessions-in-redis"
        case .storeUnavailable: "store-unavailable"
        case .storeAvailable: "store-available"
        case .upstreamFailed: "upstream-failed"
        case .serverFault: "server-fault"
        case .connectionFault: "connection-fault"
        case .logLinesDropped: "log-lines-dropped"
        case .internalBug: "internal-bug"
        }
    }
}
