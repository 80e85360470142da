internal import EventLoops
internal import Pagination
internal import Sessions

/// What the sessions' listeners of this process hear: one subscription for all listeners of a session.
///
/// Where the connection was lost, listeners get the latest event of what they missed once it is back, as after
/// `Last-Event-ID`. Safe because everything is touched on the loop of the client's first commander only, but for `listen`, which
/// goes there.
final class EventFeeds: @unchecked Sendable {
    private final class Feed {
        let broadcast = EventBroadcast<SessionEvent>()
        /// The latest position that was told, or was there when the first listener had come; `nil` before.
        var position: Int?
        /// Whether everything that is published comes.
        var isConfirmed = false
        /// How often listeners may have missed something.
        var losses = 0
        /// After how many of those somebody has looked.
        var lossesMadeGood = 0
        var isBehind: Bool { lossesMadeGood < losses }
        var waiting: [CheckedContinuation<RedisError?, Never>] = []
        /// How many are about to listen.
        var arriving = 0
    }

    private let client: RedisClient
    private let scripts: RedisScripts
    private var subscriber: RedisSubscriber?
    private var feeds: [SessionID: Feed] = [:]
    private var tidying: LoopTimer?
    /// Why there is no connection, once that is known.
    private var failure: RedisError?

    private static let prefix = "paginatord:events:"

    /// Makes the feeds; nothing is connected before `start`.
    init(_ client: RedisClient, _ scripts: RedisScripts) {
        self.client = client
        self.scripts = scripts
    }

    private var loop: EventLoop { client.first.loop }

    /// The name of a session's channel.
    static func channel(of id: SessionID) -> String {
        prefix + id.description
    }

    /// Begins to connect; on the loop.
    func start() {
        loop.assertCurrent()
        // Safe because `close` ends the subscriber and the timer, and the store has it called, at the latest when it goes itself
        // and in a closure that keeps this object until then.
        let subscriber = RedisSubscriber(
            client.configuration, on: loop,
            RedisSubscriber.Handlers(
                message: { [unowned self] in receive($1, on: $0) }, confirmed: { [unowned self] in isConfirmed($0) },
                lost: { [unowned self] in isLost($0) }, ready: { [unowned self] in isReady() }))
        self.subscriber = subscriber
        subscriber.start()
        tidying = try? LoopTimer(on: loop) { [unowned self] in tidyUp() }
        tidying?.start(every: .seconds(1))
    }

    /// Ends all feeds and the connection; on the loop.
    func close() {
        loop.assertCurrent()
        isLost(.stopped)
        subscriber?.close()
        subscriber = nil
        tidying?.close()
        tidying = nil
        let ending = feeds.values
        feeds = [:]
        for feed in ending { feed.broadcast.finish() }
    }

    /// Hears every event that is published from now on; behind `closed` where the session is not there.
    func listen(to id: SessionID) async throws(RedisError) -> AsyncThrowingStream<SessionEvent, any Error> {
        let ticket = Ticket()
        let failure = await withCheckedContinuation { continuation in
            let accepted = loop.execute { self.begin(id, ticket, continuation) }
            if !accepted { continuation.resume(returning: .stopped) }
        }
        if let failure { throw failure }
        // Subscribed before the session is looked at, so that its end is heard or seen.
        let stream = ticket.subscribe()
        let reply: RedisReply
        do {
            reply = try await scripts.position.run([.text(id.description)], by: client)
        } catch {
            loop.execute { self.arrived(id, at: nil) }
            throw error
        }
        let position = reply.integer
        await loop.run { self.arrived(id, at: position) }
        if position == nil { await loop.run { self.end(id) } }
        return stream
    }

    /// The way from a feed to a listener that is on its way to it.
    private final class Ticket: @unchecked Sendable {
        // Safe because it is set on the loop before the listener goes on, and a broadcast may be used from anywhere.
        var broadcast: EventBroadcast<SessionEvent>?

        func subscribe() -> AsyncThrowingStream<SessionEvent, any Error> {
            broadcast?.subscribe() ?? AsyncThrowingStream { $0.finish() }
        }
    }

    private func begin(_ id: SessionID, _ ticket: Ticket, _ continuation: CheckedContinuation<RedisError?, Never>) {
        guard subscriber != nil else { return continuation.resume(returning: .stopped) }
        if let failure { return continuation.resume(returning: failure) }
        let feed = feeds[id] ?? Feed()
        ticket.broadcast = feed.broadcast
        feed.arriving += 1
        if feeds[id] == nil {
            feeds[id] = feed
            subscriber?.add(Self.channel(of: id))
        }
        if feed.isConfirmed { continuation.resume(returning: nil) } else { feed.waiting.append(continuation) }
    }

    /// Somebody who was about to listen does so now, or does not.
    private func arrived(_ id: SessionID, at position: Int?) {
        guard let feed = feeds[id] else { return }
        feed.arriving -= 1
        // Only by the first: a later one's may be ahead of what the others have heard.
        if feed.position == nil { feed.position = position }
    }

    /// The server has been found not to have a session; on the loop.
    func isGone(_ id: SessionID) {
        loop.assertCurrent()
        end(id)
    }

    private func end(_ id: SessionID) {
        guard let feed = feeds[id] else { return }
        feed.broadcast.append(.closed)
        feed.broadcast.appendEnd()
        feed.broadcast.deliver()
        forget(id)
    }

    /// Ends all listening to a session that goes on.
    private func part(_ id: SessionID, _ feed: Feed) {
        feed.broadcast.finish()
        forget(id)
    }

    private func forget(_ id: SessionID) {
        feeds[id] = nil
        subscriber?.remove(Self.channel(of: id))
    }

    /// Gives up feeds that nobody listens to, and looks again at those for which that has failed.
    private func tidyUp() {
        for (id, feed) in feeds {
            if feed.arriving == 0, !feed.broadcast.hasSubscribers { forget(id) }
            if feed.isBehind, feed.isConfirmed { catchUp(id, feed) }
        }
    }

    // MARK: The connection

    private func isReady() {
        failure = nil
        client.subscriber(failed: nil)
    }

    private func isLost(_ error: RedisError) {
        failure = error.standing
        client.subscriber(failed: error)
        for feed in feeds.values {
            if feed.isConfirmed { feed.losses += 1 }
            feed.isConfirmed = false
            let waiting = feed.waiting
            feed.waiting = []
            feed.arriving -= waiting.count
            for continuation in waiting { continuation.resume(returning: error.standing) }
        }
    }

    private func isConfirmed(_ channel: String) {
        guard let id = Self.session(of: channel), let feed = feeds[id] else { return }
        feed.isConfirmed = true
        let waiting = feed.waiting
        feed.waiting = []
        for continuation in waiting { continuation.resume(returning: nil) }
        if feed.isBehind { catchUp(id, feed) }
    }

    private func receive(_ bytes: [UInt8], on channel: String) {
        guard let id = Self.session(of: channel), let feed = feeds[id] else { return }
        // What cannot be read was sent by a newer version; its session can then not be read here either.
        guard let event = EventMessage.decode(bytes, of: id) else { return }
        tell(event, to: feed, id)
    }

    private func tell(_ event: SessionEvent, to feed: Feed, _ id: SessionID) {
        switch event {
        case .page(_, let record), .reset(let record):
            // Behind a loss the session is read, and what is published meanwhile may be older than that.
            guard record.position > feed.position ?? -1 else { return }
            feed.position = record.position
        case .closed: return end(id)
        case .failure: break
        }
        feed.broadcast.send(event)
    }

    private static func session(of channel: String) -> SessionID? {
        channel.hasPrefix(prefix) ? SessionID(String(channel.dropFirst(prefix.count))) : nil
    }

    /// Looks how a session stands that nothing was heard of for a while.
    private func catchUp(_ id: SessionID, _ feed: Feed) {
        // The connection may be lost again before the answer comes, which then says nothing of what follows.
        let losses = feed.losses
        // What comes before the answer does may be ahead of it.
        let known = feed.position ?? 0
        scripts.position.start([.text(id.description)], by: client.first) { [weak self] result in
            guard let self, feeds[id] === feed, case .success(let reply) = result else { return }
            guard let position = reply.integer else { return end(id) }
            // A server that has lost its latest writes gives their positions to others: whoever was told the lost ones has to
            // ask anew.
            if position < known { return part(id, feed) }
            if position > feed.position ?? 0 { return read(id, feed, losses) }
            feed.lossesMadeGood = losses
        }
    }

    private func read(_ id: SessionID, _ feed: Feed, _ losses: Int) {
        scripts.read.start([.text(id.description), ""], by: client.first) { [weak self] result in
            guard let self, feeds[id] === feed, case .success(let reply) = result else { return }
            feed.lossesMadeGood = losses
            switch try? StoredSession(reply, id: id) {
            case .live(let record): tell(record, to: feed, id)
            case .gone, .unknown: end(id)
            // One of a newer version, whose events cannot be read here either.
            case nil: return
            }
        }
    }

    private func tell(_ record: SessionRecord, to feed: Feed, _ id: SessionID) {
        switch record.keptPage {
        case .page(let page): tell(.page(page, record), to: feed, id)
        case .none: tell(.reset(record), to: feed, id)
        // A listener never causes a fetch: a page that was dropped for its size is skipped.
        case .withoutRows: feed.position = max(feed.position ?? 0, record.position)
        }
    }
}
