import Glibc
import Observability

/// How many descriptors the process may have open.
enum DescriptorLimit {
    /// Raises the limit as far as the system allows, and gives it back.
    static func raised() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        let former = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = former }
        return Int(clamping: limit.rlim_cur)
    }
}

extension LimitsConfiguration {
    /// The limits with no more connections than leave descriptors for the event loops and for the way to the instances:
    /// callers that take them all would otherwise get no page.
    func fitted(to descriptors: Int, observer: any Observer) -> LimitsConfiguration {
        let room = max(1, descriptors - min(descriptors / 2, 256))
        guard connections > room else { return self }
        observer.observe(
            .configurationWarning(
                "limits.connections: \(room) instead of \(connections), "
                    + "since the process may open only \(descriptors) files"))
        var limits = self
        limits.connections = room
        return limits
    }
}
