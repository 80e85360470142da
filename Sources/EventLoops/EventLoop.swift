internal import CUV
internal import Glibc
internal import Locks
internal import Synchronization

/// One thread that runs one libuv loop and the Swift tasks that prefer it.
///
/// Everything that C libraries do on a loop – sockets, timers, requests – and every job of a task made with
/// `Task(executorPreference: loop)` happens on this one thread, one after the other. Nothing on it may block.
///
/// Safe because the loop's own state is touched on its thread only; other threads reach `inbox`, which is locked.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// The name of the thread, as the system shows it.
    public let name: String
    let raw: UnsafeMutablePointer<uv_loop_t>

    private struct Inbox {
        var mail: [Work] = []
        var hasEnded = false
    }
    private let inbox = Lock(Inbox())
    private let hasMail = Atomic<Bool>(false)
    private let wakeUp: LoopHandle
    private let thread = Lock<pthread_t?>(nil)

    // Touched on the loop's thread only.
    private var queue = WorkQueue()
    private var emptyMail: [Work] = []
    private var isDraining = false
    private var hasEnded = false
    private var endWaiters: [@Sendable () -> Void] = []
    private var isEnding = false
    private var settlers: [(id: Int, settle: () -> Bool)] = []
    private var settlersMade = 0
    /// Whether the settlers have to be called once more before the loop waits.
    private var isUnsettled = false
    private var spinning: LoopHandle?
    private var isSpinning = false

    /// Makes a loop and starts its thread.
    ///
    /// - Throws: `EventLoopError.refused` where the system has no descriptors or threads left.
    init(name: String) throws(EventLoopError) {
        self.name = name
        let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        let status = uv_loop_init(loop)
        guard status == 0 else {
            loop.deallocate()
            throw refusal("making an event loop", status)
        }
        raw = loop
        // The wake-up has nothing to do but end the wait: the mail is collected before the next one.
        wakeUp = try LoopHandle(uv_async_t.self, "making a wake-up", event: { _, _ in }) {
            uv_async_init(loop, $0) { LoopHandle.deliver($0) }
        }
        // Safe because it runs on the loop's thread only, which holds the loop until all handles are closed.
        let prepare = try LoopHandle(uv_prepare_t.self, "preparing", event: { [unowned self] _, _ in settle() }) {
            uv_prepare_init(loop, $0)
        }
        uv_prepare_start(prepare.pointer(as: uv_prepare_t.self)) { LoopHandle.deliver($0) }
        spinning = try LoopHandle(uv_idle_t.self, "idling", event: { _, _ in }) { uv_idle_init(loop, $0) }
        try start()
    }

    private func start() throws(EventLoopError) {
        // Safe because the thread takes over this reference and holds it until it has ended; where no thread could be made
        // it is released at once.
        let context = Unmanaged.passRetained(self)
        var id = pthread_t()
        let status = pthread_create(
            &id, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().runThread()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw .refused(operation: "starting a thread", reason: String(cString: strerror(status)))
        }
        thread.withLock { $0 = id }
    }

    deinit {
        raw.deallocate()
    }

    /// The milliseconds of a clock that never jumps, as they were when the loop last looked: cheap, and good enough for
    /// deadlines. On the loop only.
    public var now: Int {
        assertCurrent()
        return Int(uv_now(raw))
    }

    // MARK: The thread

    /// The loop whose thread this is, if it is one.
    public static var current: EventLoop? {
        // Safe because the key is set by `runThread` alone, which keeps the loop alive as long as the thread runs.
        pthread_getspecific(currentLoop).map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether the calling thread is this loop's.
    public var isCurrent: Bool {
        // Safe because the addresses are compared and not followed.
        pthread_getspecific(currentLoop) == Unmanaged.passUnretained(self).toOpaque()
    }

    /// In debug builds, stops the process unless the calling thread is this loop's.
    public func assertCurrent(file: StaticString = #fileID, line: UInt = #line) {
        // Safe because release builds do not look; where a debug build stops, state was about to be shared unguarded.
        assert(isCurrent, "touched from a thread that is not \(name)'s", file: file, line: line)
    }

    private func runThread() {
        // Safe because the thread that runs this holds the loop.
        pthread_setspecific(currentLoop, Unmanaged.passUnretained(self).toOpaque())
        cuv_name_thread(String(name.prefix(15)))
        uv_run(raw, UV_RUN_DEFAULT)
        let status = uv_loop_close(raw)
        // Safe because release builds do not look: `end` has closed every handle, and each close is waited for.
        assert(status == 0, "a handle of \(name) was left open")
        for waiter in endWaiters { waiter() }
    }

    // MARK: Work

    /// Queues a part of a task. From the loop's own thread that is an append, from any other it wakes the loop.
    ///
    /// What a task has left to do when its loop has ended is run by the process's shared pool.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !add(.job(job)) { globalConcurrentExecutor.enqueue(job) }
    }

    /// Runs the closure on the loop, behind what is queued already. From any thread.
    ///
    /// - Returns: false if the loop has ended; the closure is then not run, ever.
    @discardableResult
    public func execute(_ body: @escaping @Sendable () -> Void) -> Bool {
        add(.body(body))
    }

    private func add(_ work: Work) -> Bool {
        if isCurrent {
            guard !hasEnded else { return false }
            queue.append(work)
            return true
        }
        return inbox.withLock { inbox in
            guard !inbox.hasEnded else { return false }
            inbox.mail.append(work)
            // Under the lock, because the handle may be closed as soon as `hasEnded` is set.
            if !hasMail.exchange(true, ordering: .acquiringAndReleasing) {
                uv_async_send(wakeUp.pointer(as: uv_async_t.self))
            }
            return true
        }
    }

    private func collectMail() {
        guard hasMail.load(ordering: .acquiring) else { return }
        inbox.withLock { inbox in
            hasMail.store(false, ordering: .releasing)
            swap(&inbox.mail, &emptyMail)
        }
        queue.append(contentsOf: &emptyMail)
    }

    /// Runs what is queued now and what that queues in turn, up to a bound, so that it always returns.
    ///
    /// On the loop only. Called within itself it does nothing.
    public func drain() {
        assertCurrent()
        guard !isDraining else { return }
        isDraining = true
        for _ in 0..<64 {
            collectMail()
            if queue.isEmpty { break }
            run(queue.take())
        }
        isDraining = false
    }

    private func run(_ batch: consuming [Work]) {
        let executor = asUnownedTaskExecutor()
        // By index, so that the batch stays the only reference to its storage and can be given back.
        for index in batch.indices {
            switch batch[index] {
            case .job(let job): job.runSynchronously(on: executor)
            case .body(let body): body()
            }
        }
        // Before the queue is touched: what goes with the last closure that held it may queue something itself.
        batch.removeAll(keepingCapacity: true)
        queue.giveBack(batch)
    }

    // MARK: Before the loop waits

    /// Registers a closure that runs before the loop waits for its descriptors, again and again until it returns true:
    /// that nothing is left for it to do without a further event. It must do a bounded amount of work per call.
    ///
    /// On the loop only.
    public func addSettler(_ settle: @escaping () -> Bool) -> SettlerID {
        assertCurrent()
        settlersMade += 1
        settlers.append((settlersMade, settle))
        isUnsettled = true
        return SettlerID(value: settlersMade)
    }

    /// Takes a settler away. On the loop only.
    public func removeSettler(_ id: SettlerID) {
        assertCurrent()
        // Taken out whole before it goes, since what goes with it may touch the settlers itself.
        guard let index = settlers.firstIndex(where: { $0.id == id.value }) else { return }
        _ = settlers.remove(at: index)
    }

    /// Has all settlers called once more before the loop waits: for one that may be given something to do by another's
    /// work after its own turn. On the loop only.
    public func unsettle() {
        assertCurrent()
        isUnsettled = true
    }

    private func settle() {
        for _ in 0..<8 {
            drain()
            isUnsettled = false
            if isEnding { return end() }
            var isSettled = true
            for settler in settlers where !settler.settle() { isSettled = false }
            if isSettled, !isUnsettled, queue.isEmpty { return spin(false) }
        }
        // Sockets have waited long enough: look at them without waiting, then go on.
        spin(true)
    }

    private func spin(_ on: Bool) {
        guard on != isSpinning, let idle = spinning?.pointer(as: uv_idle_t.self) else { return }
        isSpinning = on
        if on { uv_idle_start(idle) { LoopHandle.deliver($0) } } else { uv_idle_stop(idle) }
    }

    // MARK: The end

    /// Ends the loop: runs what is queued, closes every handle that is still open and joins the thread.
    func stop() async {
        await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
            let accepted = execute {
                self.endWaiters.append { ended.resume() }
                self.isEnding = true
            }
            if !accepted { ended.resume() }
        }
        if let id = thread.withLock({ $0.take() }) { pthread_join(id, nil) }
    }

    private func end() {
        guard !hasEnded else { return }
        inbox.withLock { $0.hasEnded = true }
        collectMail()
        // `run` may still start handles, so what is left runs before the flag is set and the handles are closed.
        if !queue.isEmpty { run(queue.take()) }
        hasEnded = true
        for work in queue.take() {
            switch work {
            case .job(let job): globalConcurrentExecutor.enqueue(job)
            case .body(let body): body()
            }
        }
        settlers = []
        uv_walk(raw, { handle, _ in handle.flatMap(LoopHandle.behind)?.close() }, nil)
    }
}

/// Names a settler of a loop.
public struct SettlerID: Sendable {
    let value: Int
}

private let currentLoop: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
}()
