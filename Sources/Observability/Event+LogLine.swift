import Clocks

extension Event {
    /// The event as one line of the log, with its line break.
    func logLine(time: Timestamp, format: LogFormat) -> [UInt8] {
        var line = LogLine(time: time, level: level, event: name, format: format)
        switch self {
        case .requestAnswered(let request):
            line.field("method", request.method)
            line.field("route", request.route)
            line.field("status", request.status)
            line.field("milliseconds", milliseconds: request.duration)
            line.field("bytes", request.bytes)
            line.field("upstreamMilliseconds", milliseconds: request.upstream)
            line.field("cacheStatus", request.cacheStatus)
            line.field("requestID", request.requestID)
            line.field("session", request.sessionPrefix)
            line.field("owner", request.owner)
        case .serviceStarted(let version, let instances, let listeners):
            line.field("version", version)
            line.field("instances", instances.joined(separator: ","))
            line.field("listeners", listeners.joined(separator: ","))
        case .serviceStopping(let reason): line.field("reason", reason)
        case .serviceStopped(let unfinished): line.field("unfinished", unfinished)
        case .listenerSkipped(let address, let reason):
            line.field("address", address)
            line.field("reason", reason)
        case .configurationWarning(let detail): line.field("detail", detail)
        case .settingRenewed(let setting): line.field("setting", setting)
        case .settingNotRenewed(let setting, let reason):
            line.field("setting", setting)
            line.field("reason", reason)
        case .sessionsInMemory: line.field("detail", "sessions are kept in memory and end with the process")
        case .sessionsInFile(let path): line.field("path", path)
        case .sessionsInRedis(let address, let database):
            line.field("address", address)
            line.field("database", database)
        case .storeAvailable: break
        case .storeUnavailable(let reason): line.field("reason", reason)
        case .upstreamFailed(let instance, let problem, let detail, let requestID):
            line.field("instance", instance)
            line.field("problem", problem)
            line.field("detail", detail)
            line.field("requestID", requestID)
        case .serverFault(let detail), .connectionFault(let detail): line.field("detail", detail)
        case .logLinesDropped(let count): line.field("count", count)
        case .internalBug(let detail, let requestID):
            line.field("detail", detail)
            line.field("requestID", requestID)
        }
        line.end()
        return line.bytes
    }
}
