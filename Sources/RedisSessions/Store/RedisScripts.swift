/// The steps of the store, each of which the server takes as a whole.
///
/// A session is a hash `paginatord:session:ID`: `v` its revision, `q` its sequence, `x` its expiry in milliseconds, `o` its
/// owner, `n` its position, `w` the stamp of its latest write, and its three encoded parts: `a` opening, `s` state, `k` rows. Beside it stand
/// - `paginatord:expiries`, every session by expiry, which is also how they are counted,
/// - `paginatord:owned:OWNER` and `paginatord:opened:OWNER`, an owner's sessions by expiry and by sequence,
/// - `paginatord:gone:ID`, the owner of a session that has ended, and `paginatord:tombstones`, those by the time of their end,
/// - `paginatord:lease:ID`, who moves the session now,
/// - the channel `paginatord:events:ID`.
///
/// Times are the callers'. Keys expire by themselves only long after that, by the server's own clock, to clean up behind a
/// service that is not run any more; what they leave in the sorted sets is pruned by these scripts.
struct RedisScripts: Sendable {
    /// How long a session's keys stay behind its expiry, in milliseconds.
    static let cleanUpDelay = 86_400_000

    /// (id, owner, expiry, time to live, opening, state, rows, limit in all, limit per owner or -1,
    /// stamp) → sequence, or the limit
    /// that is reached and the nearest expiry.
    let create = RedisScript(
        common + """
            local id, owner, expiry = ARGV[1], ARGV[2], ARGV[3]
            local function full(set, limit)
                local nearest = first(set)
                if limit < 0 or redis.call('ZCARD', set) < limit then return false end
                return {limit, nearest[2] or false}
            end
            local owned = key('owned', owner)
            local reached = full('paginatord:expiries', tonumber(ARGV[8])) or full(owned, tonumber(ARGV[9]))
            if reached then return reached end
            local sequence = redis.call('INCR', 'paginatord:sequence')
            local session = key('session', id)
            redis.call('HSET', session, 'v', 0, 'q', sequence, 'x', expiry, 'o', owner, 'n', 0, 'w', ARGV[10],
                'a', ARGV[5], 's', ARGV[6])
            if ARGV[7] ~= '' then redis.call('HSET', session, 'k', ARGV[7]) end
            redis.call('PEXPIRE', session, ARGV[4])
            redis.call('ZADD', 'paginatord:expiries', expiry, id)
            redis.call('ZADD', owned, expiry, id)
            redis.call('ZADD', key('opened', owner), sequence, id)
            return sequence
            """)

    /// (id, stamp of the write that is known or nothing) → revision, sequence, expiry, opening, state, rows, stamp, whether
    /// it is leased; where nobody wrote since the expiry and whether it is leased; or the owner of a session that has ended;
    /// or nothing.
    let read = RedisScript(
        """
        local session = 'paginatord:session:' .. ARGV[1]
        local leased = redis.call('EXISTS', 'paginatord:lease:' .. ARGV[1])
        if ARGV[2] ~= '' then
            local known = redis.call('HMGET', session, 'w', 'x')
            if known[1] == ARGV[2] then return {known[2], leased} end
        end
        local fields = redis.call('HMGET', session, 'v', 'q', 'x', 'a', 's', 'k', 'w')
        if not fields[1] then return redis.call('GET', 'paginatord:gone:' .. ARGV[1]) end
        fields[8] = leased
        return fields
        """)

    /// (id, revision, position, expiry, by how much that has to be later than the stored one to be written, state, rows, token
    /// of the lease or nothing, kind of event or nothing, state and rows for the event where they are not the stored ones,
    /// stamp, stamp of the write that this one follows or nothing) → 0 where it was not written, 2 where the lease was given back too, else 1.
    let replace = RedisScript(
        common + """
            local id, position, expiry = ARGV[1], ARGV[3], ARGV[4]
            local session = key('session', id)
            local old = redis.call('HMGET', session, 'v', 'n', 'x', 'o', 'w')
            if old[1] ~= ARGV[2] or (ARGV[13] ~= '' and old[5] ~= ARGV[13]) then return 0 end
            local revision = tostring(tonumber(old[1]) + 1)
            -- First what a full server refuses.
            redis.call('HSET', session, 'v', revision, 'n', position, 'w', ARGV[12], 's', ARGV[6])
            local later = tonumber(expiry) - tonumber(old[3])
            if later > 0 and later >= tonumber(ARGV[5]) then live(id, old[4], old[3], expiry) end
            if later < 0 then expiry = old[3] end
            if position ~= old[2] then
                if ARGV[7] == '' then redis.call('HDEL', session, 'k') else redis.call('HSET', session, 'k', ARGV[7]) end
            end
            -- A write at the same position is no move, and the lease is another caller's.
            local isReleased = ARGV[8] ~= '' and position ~= old[2]
            if isReleased then release(id, ARGV[8]) end
            local channel = key('events', id)
            if ARGV[9] ~= '' and redis.call('PUBSUB', 'NUMSUB', channel)[2] > 0 then
                local fixed = redis.call('HMGET', session, 'a', 'q')
                local state, rows = ARGV[6], ARGV[7]
                if ARGV[10] ~= '' then state, rows = ARGV[10], ARGV[11] end
                redis.call('PUBLISH', channel, table.concat({
                    ARGV[9], ' ', revision, ' ', fixed[2], ' ', expiry, ' ',
                    #fixed[1], ' ', #state, ' ', #rows, '\\n', fixed[1], state, rows}))
            end
            return isReleased and 2 or 1
            """)

    /// (id, expiry): lets a session live longer → 0 where it is not there.
    let touch = RedisScript(
        common + """
            local old = redis.call('HMGET', key('session', ARGV[1]), 'x', 'o')
            if not old[1] then
                redis.call('ZREM', 'paginatord:expiries', ARGV[1])
                return 0
            end
            if tonumber(old[1]) < tonumber(ARGV[2]) then live(ARGV[1], old[2], old[1], ARGV[2]) end
            return 1
            """)

    /// (owner, highest sequence or `+inf`, limit) → for each of an owner's sessions, the newest first: id, revision,
    /// sequence, expiry, opening, state, whether it is leased. Fewer than the limit only where there are no more.
    let list = RedisScript(
        common + """
            local owner, from, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
            local opened, found = key('opened', owner), {}
            while #found < limit do
                local wanted = limit - #found
                local ids = redis.call('ZREVRANGEBYSCORE', opened, from, '-inf', 'WITHSCORES', 'LIMIT', 0, wanted)
                for i = 1, #ids, 2 do
                    from = '(' .. ids[i + 1]
                    local fields = redis.call('HMGET', key('session', ids[i]), 'v', 'q', 'x', 'a', 's')
                    if fields[1] then
                        table.insert(fields, 1, ids[i])
                        fields[7] = redis.call('EXISTS', key('lease', ids[i]))
                        found[#found + 1] = fields
                    else
                        redis.call('ZREM', opened, ids[i])
                        redis.call('ZREM', key('owned', owner), ids[i])
                    end
                end
                if #ids < 2 * wanted then break end
            end
            return found
            """)

    /// (now, id…) → the ids of those sessions that were there and have been ended.
    let delete = RedisScript(
        common + """
            local ended = {}
            for i = 2, #ARGV do
                if finish(ARGV[i], ARGV[1]) then ended[#ended + 1] = ARGV[i] end
            end
            return ended
            """)

    /// (now, id…) → the ids of those sessions whose time was up and that have been ended.
    let expire = RedisScript(
        common + """
            local ended = {}
            for i = 2, #ARGV do
                local expiry = redis.call('HGET', key('session', ARGV[i]), 'x')
                if not expiry then
                    redis.call('ZREM', 'paginatord:expiries', ARGV[i])
                elseif tonumber(expiry) <= tonumber(ARGV[1]) and finish(ARGV[i], ARGV[1]) then
                    ended[#ended + 1] = ARGV[i]
                end
            end
            return ended
            """)

    /// (until, limit) → ids and expiries of sessions that end by then.
    let due = RedisScript(
        "return redis.call('ZRANGEBYSCORE', 'paginatord:expiries', '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ARGV[2])")

    /// (time, limit, number): forgets tombstones set before that time, and the oldest past that number → how many; fewer than
    /// the limit only where there are no more.
    let forget = RedisScript(
        common + """
            local set, limit = 'paginatord:tombstones', tonumber(ARGV[2])
            local old = redis.call('ZRANGEBYSCORE', set, '-inf', '(' .. ARGV[1], 'LIMIT', 0, limit)
            local excess = math.min(limit, redis.call('ZCARD', set) - tonumber(ARGV[3]))
            if #old < excess then old = redis.call('ZRANGE', set, 0, excess - 1) end
            for _, id in ipairs(old) do
                redis.call('DEL', key('gone', id))
                redis.call('ZREM', set, id)
            end
            return #old
            """)

    /// (id) → position, or nothing where the session is not there.
    let position = RedisScript(common + "return redis.call('HGET', key('session', ARGV[1]), 'n')")

    /// (id, token, time to live, what the caller's tokens begin with) → 1 and the session's revision, or 0 where another
    /// process has the lease. Within a process moves follow each other, so a lease of the caller's own is one that it could
    /// not give back.
    let lease = RedisScript(
        """
        local lease = 'paginatord:lease:' .. ARGV[1]
        if not redis.call('SET', lease, ARGV[2], 'NX', 'PX', ARGV[3]) then
            if string.sub(redis.call('GET', lease) or '', 1, #ARGV[4]) ~= ARGV[4] then return {0} end
            redis.call('SET', lease, ARGV[2], 'PX', ARGV[3])
        end
        return {1, redis.call('HGET', 'paginatord:session:' .. ARGV[1], 'v')}
        """)

    /// (time to live, id, token, id, token…): keeps leases that are still one's own from lapsing.
    let renew = RedisScript(
        common + """
            for i = 2, #ARGV, 2 do
                local lease = key('lease', ARGV[i])
                if redis.call('GET', lease) == ARGV[i + 1] then redis.call('PEXPIRE', lease, ARGV[1]) end
            end
            return 1
            """)

    /// (id, token): gives a lease back.
    let release = RedisScript(common + "release(ARGV[1], ARGV[2]) return 1")

    /// What all of them may use.
    private static let common = """
        local function key(kind, name) return 'paginatord:' .. kind .. ':' .. name end
        local function release(id, token)
            if redis.call('GET', key('lease', id)) == token then redis.call('DEL', key('lease', id)) end
        end
        local function live(id, owner, before, expiry)
            local session = key('session', id)
            -- First what needs no room: a full server then takes the rest.
            local rest = redis.call('PTTL', session)
            if rest > 0 then
                redis.call('PEXPIRE', session, string.format('%.0f', rest + tonumber(expiry) - tonumber(before)))
            end
            redis.call('HSET', session, 'x', expiry)
            redis.call('ZADD', 'paginatord:expiries', expiry, id)
            redis.call('ZADD', key('owned', owner), expiry, id)
        end
        local function finish(id, now)
            local owner = redis.call('HGET', key('session', id), 'o')
            if not owner then return false end
            -- First what makes room: a full server would not let anything end otherwise.
            redis.call('DEL', key('session', id), key('lease', id))
            redis.call('ZREM', 'paginatord:expiries', id)
            redis.call('ZREM', key('owned', owner), id)
            redis.call('ZREM', key('opened', owner), id)
            redis.call('SET', key('gone', id), owner, 'PX', \(2 * 3_600_000))
            redis.call('ZADD', 'paginatord:tombstones', now, id)
            redis.call('PUBLISH', key('events', id), 'closed')
            return true
        end
        local function first(set)
            while true do
                local nearest = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
                if not nearest[1] or redis.call('EXISTS', key('session', nearest[1])) == 1 then return nearest end
                redis.call('ZREM', set, nearest[1])
            end
        end

        """
}
