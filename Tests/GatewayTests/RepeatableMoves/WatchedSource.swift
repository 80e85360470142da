import Pagination
import Synchronization

/// A session's source that notes what it is asked for, so that every request can be told by whoever needed it.
struct WatchedSource: PageSource {
    /// The number of the client's call on whose behalf something is fetched.
    @TaskLocal static var call = 0

    /// One fetch that somebody waits for.
    struct Fetch: Sendable {
        var number = 0
        var call = WatchedSource.call
        var table: String
        var window: SessionModel.Window
        /// Whether it has brought rows; `nil` while it is under way.
        var succeeded: Bool?
    }

    /// A page that was fetched before anybody had asked for it.
    struct PageAhead: Sendable {
        var table: String
        var window: SessionModel.Window
        /// The version of the table that it shows.
        var version: Int
        /// When it had come.
        var time: Duration
        /// The call that led to it.
        var call = WatchedSource.call
    }

    /// What all sources were asked for.
    final class Log: Sendable {
        private struct State {
            var fetches: [Fetch] = []
            var begun = 0
            var ahead: [PageAhead] = []
            var begunInBackground = 0
            var background = 0
        }

        private let state = Mutex(State())
        private let now: @Sendable () -> Duration
        private let version: @Sendable (String) -> Int

        init(now: @escaping @Sendable () -> Duration, version: @escaping @Sendable (String) -> Int) {
            self.now = now
            self.version = version
        }

        /// How many fetches were begun that somebody waited for.
        var begun: Int { state.withLock(\.begun) }

        /// How many were begun that nobody waited for.
        var begunInBackground: Int { state.withLock(\.begunInBackground) }

        /// How many of those are under way.
        var background: Int { state.withLock(\.background) }

        /// Takes out the first fetch of that window that was made for that call, and that has ended.
        func takeFetch(by call: Int, _ table: String, _ window: SessionModel.Window) -> Fetch? {
            state.withLock { state in
                state.fetches.firstIndex {
                    $0.call == call && $0.table == table && $0.window == window && $0.succeeded != nil
                }.map { state.fetches.remove(at: $0) }
            }
        }

        /// Takes out the latest page of that window that was fetched ahead after an earlier call.
        func takePageAhead(by call: Int, _ table: String, _ window: SessionModel.Window) -> PageAhead? {
            state.withLock { state in
                state.ahead.lastIndex { $0.table == table && $0.window == window && $0.call < call }
                    .map { state.ahead.remove(at: $0) }
            }
        }

        /// Forgets what was fetched ahead for a table after earlier calls.
        func giveUpAhead(by call: Int, _ table: String) {
            state.withLock { $0.ahead.removeAll { $0.table == table && $0.call < call } }
        }

        /// Takes out what is left of the fetches.
        func takeFetches() -> [Fetch] {
            state.withLock { state in
                defer { state.fetches = [] }
                return state.fetches
            }
        }

        fileprivate func began(_ fetch: Fetch) -> Int {
            state.withLock { state in
                state.begun += 1
                state.fetches.append(fetch)
                state.fetches[state.fetches.count - 1].number = state.begun
                return state.begun
            }
        }

        fileprivate func ended(_ number: Int, _ succeeded: Bool) {
            state.withLock { state in
                guard let index = state.fetches.firstIndex(where: { $0.number == number }) else { return }
                state.fetches[index].succeeded = succeeded
            }
        }

        fileprivate func beganInBackground() {
            state.withLock { state in
                state.background += 1
                state.begunInBackground += 1
            }
        }

        fileprivate func endedInBackground(_ fetch: Fetch, _ succeeded: Bool) {
            let page = PageAhead(
                table: fetch.table, window: fetch.window, version: version(fetch.table), time: now())
            state.withLock { state in
                state.background -= 1
                if succeeded { state.ahead.append(page) }
            }
        }
    }

    private let source: any PageSource
    private let table: String
    private let log: Log
    private let isDetached: Bool

    init(_ source: any PageSource, table: String, log: Log, isDetached: Bool = false) {
        self.source = source
        self.table = table
        self.log = log
        self.isDetached = isDetached
    }

    func fetch(_ request: PageRequest) async throws(PageSourceError) -> PageAnswer {
        let window = SessionModel.Window(offset: request.offset, limit: request.limit)
        let fetch = Fetch(table: table, window: window)
        let number = isDetached ? nil : log.began(fetch)
        func end(_ succeeded: Bool) {
            if let number { log.ended(number, succeeded) } else { log.endedInBackground(fetch, succeeded) }
        }
        do {
            let answer = try await source.fetch(request)
            end(true)
            return answer
        } catch {
            end(false)
            throw error
        }
    }

    /// Counted from now on, so that nothing is under way unseen. Fetches once.
    func detached() -> any PageSource {
        log.beganInBackground()
        return WatchedSource(source.detached(), table: table, log: log, isDetached: true)
    }
}
