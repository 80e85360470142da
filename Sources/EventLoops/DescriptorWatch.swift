internal import CUV

/// Tells when a descriptor can be read or written.
///
/// Used on its loop only; the descriptor stays its owner's and must outlive the watch. A watch that is given up
/// closes itself.
public final class DescriptorWatch {
    /// What a descriptor is watched for, and what it is ready for.
    public struct Readiness: OptionSet, Sendable {
        /// libuv's bits.
        public let rawValue: Int32

        /// Makes a set of libuv's bits.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// There is something to read, or the end.
        public static let readable = Readiness(rawValue: Int32(UV_READABLE.rawValue))
        /// There is room to write.
        public static let writable = Readiness(rawValue: Int32(UV_WRITABLE.rawValue))
        /// The peer has ended its direction (Linux reports it beside `readable`).
        public static let disconnected = Readiness(rawValue: Int32(UV_DISCONNECT.rawValue))
    }

    private let loop: EventLoop
    private let handle: LoopHandle

    /// Makes a watch that is not watching yet.
    ///
    /// - Parameter ready: called on the loop. An error on the descriptor (`POLLERR`) is told as readable and writable,
    ///   so that the owner meets it by trying.
    /// - Throws: `EventLoopError.refused` where the descriptor cannot be watched (a file, or closed),
    ///   `.loopEnded` where this is not the loop's thread.
    public init(_ descriptor: Int32, on loop: EventLoop, ready: @escaping (Readiness) -> Void) throws(EventLoopError) {
        guard loop.isCurrent else { throw .loopEnded }
        self.loop = loop
        handle = try LoopHandle(uv_poll_t.self, "watching a descriptor") { status, events in
            ready(status == 0 ? Readiness(rawValue: events) : [.readable, .writable])
        } initialise: {
            uv_poll_init(loop.raw, $0, descriptor)
        }
    }

    /// Watches for these and nothing else; an empty set stops watching.
    public func update(_ readiness: Readiness) {
        loop.assertCurrent()
        guard handle.isOpen else { return }
        let poll = handle.pointer(as: uv_poll_t.self)
        if readiness.isEmpty {
            uv_poll_stop(poll)
        } else {
            uv_poll_start(poll, readiness.rawValue) { LoopHandle.deliver($0, $1, $2) }
        }
    }

    /// Ends the watch. The descriptor may be closed right afterwards.
    public func close() {
        loop.assertCurrent()
        handle.close()
    }

    deinit {
        closeAtLast(handle, on: loop)
    }
}

/// Closes the handle of an owner that is given up, on whatever thread that happens. Where the loop has ended, so has
/// the handle.
func closeAtLast(_ handle: LoopHandle, on loop: EventLoop) {
    if loop.isCurrent {
        handle.close()
    } else {
        loop.execute { handle.close() }
    }
}
