public import Clocks
internal import EventLoops
internal import Pagination
public import Sessions
internal import Synchronization

/// Keeps sessions on a Redis (or Valkey) server, for any number of replicas of the service.
///
/// Every step is one script on the server. To be ended with `shutdown()` before its client is.
public final class RedisSessionStore: SessionStore {
    /// The way to the server.
    let client: RedisClient
    private let maxPageBytes: Int
    /// The steps.
    let scripts = RedisScripts()
    private let feeds: EventFeeds
    private let leases: Leases
    /// How long sessions live, as far as this process knows.
    let lives = KnownLives()
    /// Sessions as they were last known here.
    let records: KnownRecords
    private let renewal: OnFirstLoop<LoopTimer>
    /// How callers are named that bring their own credentials; `nil` where none do.
    let ownerKey: OwnerKey?

    /// What nobody else's stamps begin with.
    private let origin = SessionID().description
    private let writes = Atomic(0)

    /// The largest page that is sent to listeners where it is not kept, in bytes: a server cuts a listener for whom much more
    /// than that waits.
    private static let maxEventBytes = 8 << 20
    /// How many sessions are ended by one script.
    static let batch = 500

    /// A store on a server.
    ///
    /// - Parameters:
    ///   - memory: how many bytes of sessions are held here too, so that the server need not send them again.
    ///   - maxPageBytes: the largest page whose rows are kept, in bytes.
    ///   - sharesOwners: whether callers bring their own credentials, so that replicas have to name them alike.
    public init(
        _ client: RedisClient, memory: Int = 256 << 20, maxPageBytes: Int = 1 << 20, sharesOwners: Bool = false
    ) {
        self.client = client
        ownerKey = sharesOwners ? OwnerKey() : nil
        records = KnownRecords(budget: memory)
        self.maxPageBytes = maxPageBytes
        feeds = EventFeeds(client, scripts)
        leases = Leases(client, scripts)
        renewal = OnFirstLoop()
        let loop = client.first.loop
        loop.execute { [feeds, leases, renewal] in
            feeds.start()
            renewal.value = try? LoopTimer(on: loop) { leases.tick() }
            renewal.value?.start(every: Leases.interval)
        }
    }

    deinit {
        client.first.loop.execute { [feeds, renewal] in Self.close(feeds, renewal) }
    }

    /// Ends all listening.
    @concurrent public func shutdown() async {
        await client.first.loop.run { [feeds, renewal] in Self.close(feeds, renewal) }
    }

    private static func close(_ feeds: EventFeeds, _ renewal: OnFirstLoop<LoopTimer>) {
        renewal.value?.close()
        renewal.value = nil
        feeds.close()
    }

    /// Adds a session.
    @concurrent public func create(
        _ record: SessionRecord, limits: SessionLimits
    ) async throws(SessionStoreError) -> SessionRecord {
        var record = record
        if keptBytes(record) > maxPageBytes { record.dropRows() }
        let parts = EncodedSession(record)
        let stamp = stamp()
        let reply = try await run(
            scripts.create,
            [
                .text(record.id.description), .text(record.owner), .integer(record.expiresAt.milliseconds),
                .integer(timeToLive(record)), .bytes(parts.opening), .bytes(parts.state), .bytes(parts.rows ?? []),
                .integer(limits.total), .integer(limits.perOwner ?? -1), .text(stamp),
            ])
        switch reply {
        case .integer(let sequence):
            record.sequence = sequence
            client.isServing()
        case .array(let elements) where elements.count == 2:
            throw .full(
                limit: elements[0].integer ?? limits.total,
                nearestExpiry: elements[1].integer.map { Timestamp(milliseconds: $0) })
        default: throw SessionStoreError(.malformed)
        }
        lives.know(record)
        records.know(record, stamp: stamp)
        return record
    }

    /// What no other write is called.
    private func stamp() -> String {
        "\(origin)-\(writes.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    /// Finds a session.
    @concurrent public func read(_ id: SessionID) async throws(SessionStoreError) -> StoredSession {
        let known = records.entry(id)
        let reply = try await run(scripts.read, [.text(id.description), .text(known?.stamp ?? "")])
        let stored = try StoredSession(reply, id: id, known: known?.record)
        guard case .live(var record) = stored else {
            records.forget(id)
            return stored
        }
        lives.know(record)
        if let stamp = reply.elements.flatMap({ $0.count == 8 ? $0[6].text : known?.stamp }) {
            records.know(record, stamp: stamp)
        }
        // What callers were told may not have been written yet.
        record.expiresAt = max(record.expiresAt, lives.wanted(id) ?? record.expiresAt)
        if record.isLeased, leases.token(of: id) != nil { record.isLeased = false }
        return .live(record)
    }

    /// Writes a session.
    @concurrent public func replace(
        _ record: SessionRecord, event: SessionEvent?
    ) async throws(SessionStoreError) -> Bool {
        var kept = record
        if keptBytes(record) > maxPageBytes { kept.dropRows() }
        let token = leases.token(of: record.id)
        var arguments: [RedisCommand.Argument] = [
            .text(record.id.description), .integer(record.revision), .integer(record.position),
            .integer(record.expiresAt.milliseconds), .integer(record.definition.idleTimeout * 100),
            .bytes(EncodedSession.state(of: kept)), .bytes(EncodedSession.rows(of: kept) ?? []), .text(token ?? ""),
        ]
        arguments += eventArguments(event, stored: kept)
        let stamp = stamp()
        let known = records.entry(record.id).flatMap { $0.record.revision == record.revision ? $0 : nil }
        arguments += [.text(stamp), .text(known?.stamp ?? "")]
        let outcome = try await run(scripts.replace, arguments).integer ?? 0
        if outcome > 0 { client.isServing() }
        if outcome == 2, let token { leases.wasGivenBack(record.id, token) }
        guard outcome > 0 else {
            records.forget(record.id)
            return false
        }
        _ = lives.has(to: record.expiresAt, record.id)
        if let known {
            // A write at the same position leaves the page as it is stored.
            if known.record.position == record.position { kept.keptPage = known.record.keptPage }
            kept.expiresAt = known.record.expiresAt
            kept.revision += 1
            records.know(kept, stamp: stamp)
        }
        return true
    }

    /// Lets a session live longer.
    @concurrent public func touch(_ id: SessionID, expiresAt: Timestamp) async throws(SessionStoreError) {
        guard lives.has(to: expiresAt, id) else { return }
        if try await writeLife(of: id, until: expiresAt) { lives.isStored(expiresAt, id) }
    }

    /// Has the server let a session live longer. Where it has lost the session, whoever listens hears of its end.
    ///
    /// - Returns: whether it is there.
    /// - Throws: `SessionStoreError.unavailable`.
    func writeLife(of id: SessionID, until expiresAt: Timestamp) async throws(SessionStoreError) -> Bool {
        let reply = try await run(scripts.touch, [.text(id.description), .integer(expiresAt.milliseconds)])
        guard reply == .integer(0) else { return true }
        forget(id)
        client.first.loop.execute { [feeds] in feeds.isGone(id) }
        return false
    }

    /// An owner's sessions, the newest first, without the rows of their kept pages.
    @concurrent public func list(
        owner: String, before sequence: Int?, limit: Int
    ) async throws(SessionStoreError) -> [SessionRecord] {
        guard limit > 0 else { return [] }
        let reply = try await run(
            scripts.list, [.text(owner), .text(sequence.map { "(\($0)" } ?? "+inf"), .integer(limit)])
        guard let elements = reply.elements else { throw SessionStoreError(.malformed) }
        var records: [SessionRecord] = []
        for element in elements {
            guard let fields = element.elements, let id = fields.first?.text.flatMap({ SessionID($0) }) else {
                throw SessionStoreError(.malformed)
            }
            records.append(try SessionRecord(fields: fields.dropFirst(), rows: nil, id: id))
        }
        return records
    }

    /// Ends a session.
    @concurrent public func delete(_ id: SessionID, now: Timestamp) async throws(SessionStoreError) {
        _ = try await run(scripts.delete, [.integer(now.milliseconds), .text(id.description)])
        forget(id)
    }

    /// Forgets what is known of a session that has ended.
    func forget(_ id: SessionID) {
        lives.forget(id)
        records.forget(id)
    }

    /// Sends an event to whoever listens, on whatever replica.
    @concurrent public func publish(_ event: SessionEvent, of id: SessionID) async {
        // An event that changes nothing is lost with the server: whoever listens then is sent the latest page later.
        _ = try? await client.send(
            RedisCommand(["PUBLISH", .text(EventFeeds.channel(of: id)), .bytes(EventMessage.encode(event))]))
    }

    /// Every event of a session from now on.
    @concurrent public func events(
        of id: SessionID
    ) async throws(SessionStoreError) -> AsyncThrowingStream<SessionEvent, any Error> {
        do {
            return try await feeds.listen(to: id)
        } catch {
            throw SessionStoreError(error)
        }
    }

    /// Looks whether the server is there, has room, and lets this service do what it needs.
    @concurrent public func check() async throws(SessionStoreError) {
        do throws(RedisError) {
            _ = try await ownerKey?.isSettled(by: client)
        } catch {
            throw SessionStoreError(error)
        }
        _ = try await run(.probe, [])
        client.isServing()
    }

    /// Takes the session for one move.
    @concurrent public func lease(_ id: SessionID, waits: Bool) async throws(SessionStoreError) -> SessionLease? {
        do {
            return try await leases.take(id, waits: waits)
        } catch {
            throw SessionStoreError(error)
        }
    }

    /// Has the server take a step.
    ///
    /// - Throws: `SessionStoreError.unavailable`.
    func run(
        _ script: RedisScript, _ arguments: [RedisCommand.Argument]
    ) async throws(SessionStoreError) -> RedisReply {
        do throws(RedisError) {
            guard try await ownerKey?.isSettled(by: client) ?? true else {
                // The caller was named by a key that nobody else has.
                throw .away("the server has only just been reached")
            }
            return try await script.run(arguments, by: client)
        } catch {
            client.isRefusing(error)
            throw SessionStoreError(error)
        }
    }

    /// The kind of event, and the state and rows that listeners get where those are not the stored ones.
    private func eventArguments(_ event: SessionEvent?, stored: SessionRecord) -> [RedisCommand.Argument] {
        switch event {
        case .page(let page, var record):
            if case .page(let kept) = stored.keptPage, kept.rows.count == page.rows.count {
                return [.text(EventMessage.page), "", ""]
            }
            guard page.rows.byteCount <= Self.maxEventBytes else { return ["", "", ""] }
            record.keptPage = .page(page)
            return [
                .text(EventMessage.page), .bytes(EncodedSession.state(of: record)),
                .bytes(EncodedSession.rows(of: record) ?? []),
            ]
        case .reset: return [.text(EventMessage.reset), "", ""]
        case .failure, .closed, nil: return ["", "", ""]
        }
    }

    private func keptBytes(_ record: SessionRecord) -> Int {
        if case .page(let page) = record.keptPage { page.rows.byteCount } else { 0 }
    }

    private func timeToLive(_ record: SessionRecord) -> Int {
        record.definition.idleTimeout * 1000 + RedisScripts.cleanUpDelay
    }
}
