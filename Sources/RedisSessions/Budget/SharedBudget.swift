internal import EventLoops
internal import Locks
internal import Pagination
internal import Sessions
internal import TableAPI

/// What all replicas together may ask of one instance: so many requests at once, so many an hour, and none while it wants to
/// be left alone.
///
/// While as many requests are under way as may be, whoever asks again has a place in a row: the more urgent first, then
/// whoever came first, on whatever replica. The permissions and places of a process that is gone lapse. Kept under
/// `paginatord:permits:NAME`, `paginatord:waiting:NAME`, `paginatord:asked:NAME`, `paginatord:bucket:NAME` and
/// `paginatord:cool:NAME`.
final class SharedBudget: Sendable {
    /// What becomes of a request.
    enum Decision: Equatable {
        /// It may be sent; `release` has to be called with its permit.
        case granted
        /// The instance wants to be left alone for that long, in milliseconds.
        case cooling(Int)
        /// As many requests as an hour has are spent; the next one may be sent in that many milliseconds.
        case spent(Int)
        /// As many requests are under way as may be, or others come first; so many of those that wait do.
        case full(ahead: Int)
        /// The server is away, and the request may be sent by what this replica knows; `release` has to be called.
        case away
    }

    /// The permission for one request, from its first question to its end.
    struct Permit: Sendable {
        /// What no other one is called.
        fileprivate let name: String
        /// Whether the server has granted it, and so has counted a request.
        fileprivate(set) var isCounted = false
        /// Whether it has a place in the row.
        fileprivate(set) var isWaiting = false
    }

    /// How often permissions are renewed.
    static let renewal = Duration.seconds(1)

    private let client: RedisClient
    /// How long a permission lives without being renewed, in milliseconds.
    private let life: Int
    /// How long a place in the row lives without being asked for again, in milliseconds.
    private let patience: Int
    private let name: String
    private let restraint: Restraint
    private let held = Lock<Set<String>>([])
    private let timer = OnFirstLoop<LoopTimer>()
    private let origin = SessionID().description
    private let count = Lock(0)

    /// The budget toward the instance of that name.
    init(_ client: RedisClient, name: String, restraint: Restraint) {
        self.client = client
        life = milliseconds(client.configuration.silenceLimits.permit)
        patience = milliseconds(client.configuration.silenceLimits.place)
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

    /// A permit that is still to be asked for.
    func permit() -> Permit {
        Permit(name: "\(origin)-\(count.withLock { $0 += 1; return $0 })")
    }

    /// Asks for permission, the first time or once more.
    func acquire(_ permit: inout Permit, for priority: PageRequest.Priority) async -> Decision {
        let decision = await ask(permit, priority)
        permit.isWaiting = false
        switch decision {
        case .granted, .away:
            permit.isCounted = decision == .granted
            // Where the server is away it hears of the request once it is back; it may even have heard already.
            held.withLock { [name = permit.name] in _ = $0.insert(name) }
        case .full: permit.isWaiting = true
        case .cooling, .spent: break
        }
        return decision
    }

    private func ask(_ permit: Permit, _ priority: PageRequest.Priority) async -> Decision {
        guard client.takesCommands,
            let reply = try? await Self.acquire.run(
                [
                    .text(name), .text(permit.name), .integer(max(1, restraint.concurrency)),
                    .integer(restraint.requestsPerHour ?? 0), .integer(life), .integer(priority.rawValue),
                    .integer(patience),
                ], by: client),
            let elements = reply.elements, elements.count == 2, let number = elements[1].integer
        else { return .away }
        switch elements[0].text {
        case "granted": return .granted
        case "cooling": return .cooling(max(1, number))
        case "spent": return .spent(max(1, number))
        default: return .full(ahead: number)
        }
    }

    /// Gives up the place of a request that does not ask again.
    func withdraw(_ permit: Permit) {
        guard permit.isWaiting else { return }
        Self.withdraw.start([.text(name), .text(permit.name)], by: client)
    }

    /// Gives a permission back. Only when the instance wants to be left alone does the caller wait until all know.
    ///
    /// - Parameter report: how the request ended.
    func release(_ permit: Permit, _ report: RequestReport) async {
        held.withLock { _ = $0.remove(permit.name) }
        var cooling = 0
        if case .limited(let wait) = report.outcome { cooling = min(milliseconds(wait ?? .seconds(1)), 3_600_000) }
        let arguments: [RedisCommand.Argument] = [
            .text(name), .text(permit.name), .integer(report.requests - (permit.isCounted ? 1 : 0)), .integer(cooling),
            .integer(restraint.requestsPerHour ?? 0),
        ]
        if cooling > 0 {
            _ = try? await Self.release.run(arguments, by: client)
        } else {
            Self.release.start(arguments, by: client)
        }
    }

    /// Keeps what this process has from lapsing; on the loop of the client's first commander.
    private func renew() {
        let permits = Array(held.withLock { $0 })
        guard !permits.isEmpty else { return }
        let (first, arguments) = (client.first, [.text(name), .integer(life)] as [RedisCommand.Argument])
        Self.renew.start(arguments + permits.map { .text($0) }, by: first) { [self] result in
            // Those that a server does not know: it was away when they began, or has lost them. What has ended meanwhile is
            // not brought back.
            guard case .success(let reply) = result, let lost = reply.elements?.compactMap(\.text) else { return }
            let missing = held.withLock { $0.intersection(lost) }
            guard !missing.isEmpty else { return }
            Self.restore.start(arguments + missing.map { .text($0) }, by: first)
        }
    }

    // MARK: The steps on the server, by its clock

    private static let clock = """
        local time = redis.call('TIME')
        local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
        local function text(number) return string.format('%.0f', number) end
        local permits, bucket = 'paginatord:permits:' .. ARGV[1], 'paginatord:bucket:' .. ARGV[1]
        local waiting, asked = 'paginatord:waiting:' .. ARGV[1], 'paginatord:asked:' .. ARGV[1]
        -- A clock that was put back leaves moments in the future, which count as now.
        local function level(hourly)
            local state = redis.call('HMGET', bucket, 'tokens', 'at')
            local tokens, at = tonumber(state[1] or hourly), tonumber(state[2] or now)
            return math.min(hourly, tokens + math.max(0, now - at) * hourly / 3600000), at > now
        end
        local function set(tokens)
            redis.call('HSET', bucket, 'tokens', string.format('%.6f', tokens), 'at', text(now))
            redis.call('PEXPIRE', bucket, 7200000)
        end
        local function leave(permit)
            redis.call('ZREM', waiting, permit)
            redis.call('ZREM', asked, permit)
        end

        """

    /// (name, permit, concurrency, requests per hour or 0, life, rank of the urgency, life of a place) → decision, and
    /// milliseconds or how many come first.
    private static let acquire = RedisScript(
        clock + """
            local permit, life, patience = ARGV[2], tonumber(ARGV[5]), tonumber(ARGV[7])
            local cooling = redis.call('PTTL', 'paginatord:cool:' .. ARGV[1])
            if cooling > 0 then
                leave(permit)
                return {'cooling', cooling}
            end
            redis.call('ZREMRANGEBYSCORE', permits, '-inf', text(now))
            redis.call('ZREMRANGEBYSCORE', permits, '(' .. text(now + life), '+inf')
            local taken = redis.call('ZCARD', permits)
            -- By rank, and then by the microsecond.
            local mine = tonumber(ARGV[6]) * 3e15 + tonumber(time[1]) * 1e6 + tonumber(time[2])
            local ahead = 0
            if redis.call('EXISTS', asked) == 1 then
                for _, range in ipairs({{'-inf', text(now - patience)}, {'(' .. text(now), '+inf'}}) do
                    for _, lapsed in ipairs(redis.call('ZRANGEBYSCORE', asked, range[1], range[2])) do leave(lapsed) end
                end
                local before = tonumber(redis.call('ZSCORE', waiting, permit) or mine)
                if before <= mine then mine = before end
                ahead = redis.call('ZCOUNT', waiting, '-inf', '(' .. text(mine))
            end
            if taken + ahead >= tonumber(ARGV[3]) then
                redis.call('ZADD', waiting, text(mine), permit)
                redis.call('ZADD', asked, text(now), permit)
                redis.call('PEXPIRE', waiting, 60000)
                redis.call('PEXPIRE', asked, 60000)
                return {'full', ahead}
            end
            leave(permit)
            local hourly = tonumber(ARGV[4])
            if hourly > 0 then
                local tokens, isAhead = level(hourly)
                if tokens < 0.999999 then
                    if isAhead then set(tokens) end
                    return {'spent', math.ceil((1 - tokens) * 3600000 / hourly)}
                end
                set(tokens - 1)
            end
            redis.call('ZADD', permits, text(now + life), permit)
            redis.call('PEXPIRE', permits, 60000)
            return {'granted', 0}
            """)

    /// (name, permit)
    private static let withdraw = RedisScript(clock + "leave(ARGV[2]) return 1")

    /// (name, permit, further requests that it carried, milliseconds to leave the instance alone, requests per hour or 0).
    private static let release = RedisScript(
        clock + """
            redis.call('ZREM', permits, ARGV[2])
            local further, hourly = tonumber(ARGV[3]), tonumber(ARGV[5])
            if further ~= 0 and hourly > 0 then set(level(hourly) - further) end
            local cool, cooling = 'paginatord:cool:' .. ARGV[1], tonumber(ARGV[4])
            if cooling > redis.call('PTTL', cool) then redis.call('SET', cool, 1, 'PX', ARGV[4]) end
            return 1
            """)

    /// (name, life, permit…) → the permits that are not there.
    private static let renew = RedisScript(
        clock + """
            local missing = {}
            for i = 3, #ARGV do
                if redis.call('ZSCORE', permits, ARGV[i]) then
                    redis.call('ZADD', permits, text(now + tonumber(ARGV[2])), ARGV[i])
                else
                    missing[#missing + 1] = ARGV[i]
                end
            end
            redis.call('PEXPIRE', permits, 60000)
            return missing
            """)

    /// (name, life, permit…): counts permits in, however many there are already.
    private static let restore = RedisScript(
        clock + """
            for i = 3, #ARGV do redis.call('ZADD', permits, text(now + tonumber(ARGV[2])), ARGV[i]) end
            redis.call('PEXPIRE', permits, 60000)
            return 1
            """)
}
