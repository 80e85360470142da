import Pagination

/// One fetch: attempts, the waits between them and smaller windows, until the window is whole or nothing helps.
///
/// Only reads are fetched, so that every attempt can be repeated without harm.
struct WindowFetch {
    /// How often a window is divided: its parts are a quarter of it at the least.
    static let maxDivisions = 2
    /// The longest wait before the first repetition; it doubles with each further one.
    private static let firstBackoff = Duration.milliseconds(200)
    /// An attempt that has less time than this is not made: nothing could come of it.
    private static let leastTime = Duration.milliseconds(5)
    /// An attempt that has less time than this, because the deadline is near, shows nothing of an instance that is silent
    /// meanwhile.
    private static let fairTime = Duration.seconds(1)
    /// The longest wait before any repetition that the instance did not ask for.
    private static let longestBackoff = Duration.seconds(10)

    private let service: TableService
    private let url: TableURL
    private let urgency: RequestUrgency
    private let deadline: Duration
    private var retriesMade = 0
    /// What the latest failed attempt came to.
    private var latestProblem: PageSourceError?
    /// Whether it came to nothing although more might have helped, because nobody waited for it.
    private(set) var isGivenUp = false

    /// A fetch that has time until that deadline, by the service's clock. It is as urgent as that, whatever its requests say.
    init(_ service: TableService, _ url: TableURL, _ urgency: RequestUrgency, deadline: Duration) {
        self.service = service
        self.url = url
        self.urgency = urgency
        self.deadline = deadline
    }

    /// Fetches a window.
    ///
    /// - Parameter divisions: how often it has been divided.
    /// - Throws: `PageSourceError` of the last attempt once nothing helps or the time is up.
    mutating func page(_ request: PageRequest, divisions: Int = 0) async throws(PageSourceError) -> PageAnswer {
        while true {
            let attempt = try await attempt(request)
            let problem: PageSourceError
            switch attempt.result {
            case .success(let page): return page
            case .failure(let error): problem = error
            }
            // An attempt that the deadline cut short says less than the one before it.
            if case .timedOut = problem, let latestProblem, service.clock.uptime() >= deadline { throw latestProblem }
            latestProblem = problem
            if attempt.remedy == .none { throw problem }
            let mayDivide = !request.countOnly && request.limit >= 2 && divisions < Self.maxDivisions
            switch attempt.remedy {
            case .smaller where mayDivide, .smallerOrAgain where mayDivide:
                try await retry(after: .zero, problem)
                return try await halves(of: request, divisions: divisions + 1, problem)
            case .none, .smaller: throw problem
            case .smallerOrAgain: try await retry(after: backoff, problem)
            case .again(let seconds):
                let asked = Duration.seconds(min(seconds ?? 0, 1 << 32))
                guard asked <= service.instance.restraint.maxRetryAfter else { throw problem }
                try await retry(after: asked > .zero ? asked : backoff, problem)
            }
        }
    }

    /// One attempt, with a slot of the instance.
    private mutating func attempt(_ request: PageRequest) async throws(PageSourceError) -> Attempt {
        let slot: RequestSlot
        let isReadAhead = urgency.priority == .readAhead
        do {
            slot = try await service.gate.enter(urgency, deadline: deadline)
        } catch {
            isGivenUp = isReadAhead
            if error == .stopping { throw error }
            throw latestProblem ?? error
        }
        let timeout = min(service.instance.timeout, deadline - service.clock.uptime())
        var course = AttemptCourse(timeout: timeout, clock: service.clock)
        let least = min(service.instance.timeout, Self.leastTime)
        let attempt = timeout > .zero && timeout >= least ? await made(request, in: slot, &course) : .tooLate
        var report = attempt.report
        let fair = min(service.instance.timeout, service.instance.restraint.deadline / 2, Self.fairTime)
        if case .failure(.timedOut(nil)) = attempt.result, timeout < fair { report.outcome = .unknown }
        report.requests = course.requests
        await service.gate.leave(slot, report)
        return attempt
    }

    private func made(_ request: PageRequest, in slot: RequestSlot, _ course: inout AttemptCourse) async -> Attempt {
        do throws(AttemptFailure) {
            let response = try await service.get(url.text(for: request), in: slot, &course)
            return Attempt(response, countOnly: request.countOnly, now: service.now)
        } catch {
            switch error {
            case .credentials(let failure): return Attempt(withoutCredentials: failure)
            case .transport(let error): return Attempt(error)
            }
        }
    }

    /// Fetches the two halves of a window and joins them.
    ///
    /// - Throws: the problem of the whole one where a half has more rows than it may: nobody could tell whose they are.
    private mutating func halves(
        of request: PageRequest, divisions: Int, _ problem: PageSourceError
    ) async throws(PageSourceError) -> PageAnswer {
        var half = request
        half.limit = request.limit / 2
        let first = try await page(half, divisions: divisions)
        guard first.rows.count <= half.limit else { throw problem }
        half.offset += half.limit
        half.limit = request.limit - half.limit
        // Nothing is behind the end.
        if let total = first.total, total <= half.offset { return first }
        let second = try await page(half, divisions: divisions)
        guard second.rows.count <= half.limit else { throw problem }
        let joined = first.joined(with: second)
        guard joined.rows.byteCount <= service.instance.maxPageBytes else {
            throw .tooLarge(limit: service.instance.maxPageBytes)
        }
        return joined
    }

    /// Waits before another attempt.
    ///
    /// - Throws: the problem of the last one where there is to be no other.
    private mutating func retry(after wait: Duration, _ problem: PageSourceError) async throws(PageSourceError) {
        // What nobody waits for is worth no repetition: those are few, and each failure counts toward the circuit.
        isGivenUp = urgency.priority == .readAhead
        if isGivenUp { throw problem }
        guard retriesMade < service.instance.restraint.retries, service.clock.uptime() + wait < deadline,
            await service.gate.takeRetry()
        else { throw problem }
        retriesMade += 1
        guard wait > .zero else { return }
        do {
            try await service.clock.sleep(wait)
        } catch {
            throw .stopping
        }
    }

    /// Anything up to a limit that doubles: callers that failed together do not come back together.
    private var backoff: Duration {
        let limit = min(Self.firstBackoff * (1 << min(retriesMade, 16)), Self.longestBackoff)
        return limit * service.jitter()
    }
}
