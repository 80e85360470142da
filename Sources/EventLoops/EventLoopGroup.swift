internal import CUV
internal import Glibc
internal import Synchronization

/// The event loops of a process: one per core, unless told otherwise.
///
/// Whoever makes a group ends it with `shutdown()`; a group that is merely dropped leaves its threads running.
public final class EventLoopGroup: Sendable {
    /// The loops.
    public let loops: [EventLoop]
    private let turn = Atomic<Int>(0)

    /// Makes the loops and starts their threads; from then on the process ignores SIGPIPE, so that writing to a
    /// connection whose peer has gone is an error and not the end.
    ///
    /// - Parameter count: how many; `nil` for one per processor that the process may use.
    /// - Throws: `EventLoopError.refused` where the system has no descriptors or threads left.
    public init(count: Int? = nil) throws(EventLoopError) {
        signal(SIGPIPE, SIG_IGN)
        var loops: [EventLoop] = []
        for number in 0..<max(1, count ?? Int(uv_available_parallelism())) {
            loops.append(try EventLoop(name: "loop-\(number)"))
        }
        self.loops = loops
    }

    /// The loops in turn. From any thread.
    public func next() -> EventLoop {
        let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: number) % UInt(loops.count))]
    }

    /// The loop of the calling thread where it is one of this group's, otherwise the next in turn.
    public func currentOrNext() -> EventLoop {
        guard let current = EventLoop.current, loops.contains(where: { $0 === current }) else { return next() }
        return current
    }

    /// Ends every loop and joins its thread. To be called once nothing uses them: handles that are still open are
    /// closed, sleeps end as if cancelled, and tasks go on without a loop.
    @concurrent public func shutdown() async {
        for loop in loops { await loop.stop() }
    }
}
