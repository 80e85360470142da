internal import Glibc
internal import Locks
internal import Synchronization

/// A thread that runs the jobs of one actor, one behind the other: SQLite's calls block, so they have a thread of
/// their own instead of one of an event loop.
///
/// The thread ends when the executor is released.
final class SQLiteThread: SerialExecutor {
    private let queue: JobQueue

    /// Starts the thread.
    /// - Throws: `SQLiteError` where the system gives no thread.
    init() throws(SQLiteError) {
        queue = JobQueue()
        var thread = pthread_t()
        // Safe because the thread takes this reference over and releases it at its end; below it is released where no
        // thread was made.
        let context = Unmanaged.passRetained(queue)
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                // Safe because the context is the queue retained above, and this is the only place that takes it.
                let queue = Unmanaged<JobQueue>.fromOpaque(context).takeRetainedValue()
                while let jobs = queue.wait() {
                    // Safe because each entry holds its executor, and its job runs once, here.
                    for (job, executor) in jobs {
                        job.runSynchronously(on: executor.asUnownedSerialExecutor())
                    }
                }
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw SQLiteError(.other, "no thread: error \(status)")
        }
        pthread_detach(thread)
    }

    deinit {
        queue.stop()
    }

    /// Appends a job; may be called from any thread. The queued job keeps the executor alive until it has run.
    func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job), self)
    }
}

/// The jobs that wait for a thread. `@unchecked` because of the semaphore's pointer: Safe because POSIX semaphores may
/// be used from any thread, and this one lives exactly as long as the queue.
private final class JobQueue: @unchecked Sendable {
    /// A job, and what keeps its executor alive until it has run.
    typealias Entry = (job: UnownedJob, executor: SQLiteThread)

    private struct State {
        var entries: [Entry] = []
        var isStopped = false
    }

    private let state = Lock(State())
    private let wake: UnsafeMutablePointer<sem_t>

    /// Makes an empty queue.
    init() {
        wake = .allocate(capacity: 1)
        wake.initialize(to: sem_t())
        sem_init(wake, 0, 0)
    }

    deinit {
        sem_destroy(wake)
        wake.deallocate()
    }

    /// Appends a job and wakes the thread.
    func append(_ job: UnownedJob, _ executor: SQLiteThread) {
        state.withLock { $0.entries.append((job, executor)) }
        sem_post(wake)
    }

    /// Wakes the thread for the last time.
    func stop() {
        state.withLock { $0.isStopped = true }
        sem_post(wake)
    }

    /// Blocks until there are jobs, and takes them all; `nil` once the queue is stopped. A stopped queue is empty, as
    /// every entry holds the executor whose release stops it.
    func wait() -> [Entry]? {
        while true {
            sem_wait(wake)
            let (entries, isStopped) = state.withLock { state in
                let entries = state.entries
                state.entries.removeAll(keepingCapacity: entries.count < 64)
                return (entries, state.isStopped)
            }
            if !entries.isEmpty { return entries }
            if isStopped { return nil }
        }
    }
}
