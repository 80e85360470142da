internal import EventLoops
internal import Locks
internal import Sessions
internal import TableAPI

/// What all replicas together may ask of one instance: so many requests at once, so many an hour, and none while it wants to
/// be left alone.
///
/// The permissions of a process that is gone lapse. Kept under `paginatord:permits:NAME`, `paginatord:bucket:NAME` and
/// `paginatord:cool:NAME`.
final class SharedBudget: Sendable {
    /// What becomes of a request.
    enum Decision: Equatable {
        /// It may be sent; `release` has to be called with this.
        case granted(permit: String)
        /// The instance wants to be left alone for that long, in milliseconds.
        case cooling(Int)
        /// As many requests as an hour has are spent; the next one may be sent in that many milliseconds.
        case spent(Int)
        /// As many requests are under way as may be.
        case full
        /// The server is away.
        case away
    }

    /// How long a permission lives without being renewed, in milliseconds.
    private static let life = 5000
    private static let renewal = Duration.seconds(1)

    private let client: RedisClient
    private let name: String
    private let restraint: Restraint
    private let held = Lock<Set<String>>([])
    private let timer = OnFirstLoop<LoopTimer>()
    private let origin = SessionID().description
    private let count = Lock(0)

    /// The budget toward the instance of that name.
    init(_ client: RedisClient, name: String, restraint: Restraint) {
        self.client = client
        self.name = name
        self.restraint = restraint
        let loop = client.first.loop
        loop.execute { [timer, weak self] in
            timer.value = try? LoopTimer(on: loop) { self?.renew() }
            timer.value?.start(every: Self.renewal)
        }
    }

    deinit {
        client.first.loop.execute { [timer] in
            timer.value?.close()
            timer.value = nil
        }
    }

    /// Asks for a permission.
    func acquire() async -> Decision {
        guard client.isAvailable else { return .away }
        let permit = "\(origin)-\(count.withLock { $0 += 1; return $0 })"
        let reply: RedisReply
        do {
            reply = try await Self.acquire.run(
                [
                    .text(name), .text(permit), .integer(max(1, restraint.concurrency)),
                    .integer(restraint.requestsPerHour ?? 0), .integer(Self.life),
                ], by: client)
        } catch {
            return .away
        }
        guard let elements = reply.elements, elements.count == 2, let wait = elements[1].integer else { return .away }
        switch elements[0].text {
        case "granted":
            held.withLock { _ = $0.insert(permit) }
            return .granted(permit: permit)
        case "cooling": return .cooling(max(1, wait))
        case "spent": return .spent(max(1, wait))
        default: return .full
        }
    }

    /// Gives a permission back. Only when the instance wants to be left alone does the caller wait until all know.
    ///
    /// - Parameters:
    ///   - permit: `nil` where the server was away when it was asked for.
    ///   - report: how the request ended.
    func release(_ permit: String?, _ report: RequestReport) async {
        if let permit { held.withLock { _ = $0.remove(permit) } }
        var cooling = 0
        if case .limited(let wait) = report.outcome { cooling = min(milliseconds(wait ?? .seconds(1)), 3_600_000) }
        guard permit != nil || cooling > 0 else { return }
        let arguments: [RedisCommand.Argument] = [
            .text(name), .text(permit ?? ""), .integer(permit == nil ? 0 : report.requests - 1), .integer(cooling),
            .integer(restraint.requestsPerHour ?? 0),
        ]
        if cooling > 0 {
            _ = try? await Self.release.run(arguments, by: client)
            return
        }
        let commander = client.commander
        if commander.loop.isCurrent {
            Self.release.start(arguments, by: commander)
        } else {
            commander.loop.execute { Self.release.start(arguments, by: commander) }
        }
    }

    private func renew() {
        let permits = Array(held.withLock { $0 })
        guard !permits.isEmpty else { return }
        Self.renew.start([.text(name), .integer(Self.life)] + permits.map { .text($0) }, by: client.first)
    }

    // MARK: The steps on the server, by its clock

    private static let clock = """
        local time = redis.call('TIME')
        local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
        local permits, bucket = 'paginatord:permits:' .. ARGV[1], 'paginatord:bucket:' .. ARGV[1]
        local function level(hourly)
            local state = redis.call('HMGET', bucket, 'tokens', 'at')
            local tokens, at = tonumber(state[1] or hourly), tonumber(state[2] or now)
            return math.min(hourly, tokens + math.max(0, now - at) * hourly / 3600000)
        end
        local function set(tokens)
            redis.call('HSET', bucket, 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
            redis.call('PEXPIRE', bucket, 7200000)
        end

        """

    /// (name, permit, concurrency, requests per hour or 0, life) → decision and milliseconds.
    private static let acquire = RedisScript(
        clock + """
            local cooling = redis.call('PTTL', 'paginatord:cool:' .. ARGV[1])
            if cooling > 0 then return {'cooling', cooling} end
            redis.call('ZREMRANGEBYSCORE', permits, '-inf', string.format('%.0f', now))
            local taken = redis.call('ZCARD', permits)
            if taken >= tonumber(ARGV[3]) then return {'full', 0} end
            local hourly = tonumber(ARGV[4])
            if hourly > 0 then
                local tokens = level(hourly)
                if tokens < 0.999999 then return {'spent', math.ceil((1 - tokens) * 3600000 / hourly)} end
                set(tokens - 1)
            end
            redis.call('ZADD', permits, string.format('%.0f', now + tonumber(ARGV[5])), ARGV[2])
            if taken == 0 then redis.call('PEXPIRE', permits, 60000) end
            return {'granted', 0}
            """)

    /// (name, permit or nothing, further requests that it carried, milliseconds to leave the instance alone, requests per
    /// hour or 0).
    private static let release = RedisScript(
        clock + """
            if ARGV[2] ~= '' then redis.call('ZREM', permits, ARGV[2]) end
            local further, hourly = tonumber(ARGV[3]), tonumber(ARGV[5])
            if further ~= 0 and hourly > 0 then set(level(hourly) - further) end
            local cool, cooling = 'paginatord:cool:' .. ARGV[1], tonumber(ARGV[4])
            if cooling > redis.call('PTTL', cool) then redis.call('SET', cool, 1, 'PX', ARGV[4]) end
            return 1
            """)

    /// (name, life, permit…)
    private static let renew = RedisScript(
        clock + """
            for i = 3, #ARGV do
                redis.call('ZADD', permits, 'XX', string.format('%.0f', now + tonumber(ARGV[2])), ARGV[i])
            end
            redis.call('PEXPIRE', permits, 60000)
            return 1
            """)
}
