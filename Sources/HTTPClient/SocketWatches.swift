internal import EventLoops

/// Watches the sockets of one multi handle for what libcurl waits for.
///
/// libcurl stops waiting for a connection after each transfer and starts again with the next. The watch of such an
/// idle connection stays as it is until libcurl closes the socket, so that a request on a kept connection costs no
/// system call here. Descriptor numbers are used again; this is sound because those connections are opened and closed
/// through us, and whatever was not opened through us (the resolver's pipes) is given up at once.
final class SocketWatches {
    private struct Socket {
        var watch: DescriptorWatch
        /// What the watch is set to.
        var armed: DescriptorWatch.Readiness
        /// Whether libcurl waits for it at present.
        var isWanted: Bool
    }

    private let loop: EventLoop
    private let ready: (Int32, DescriptorWatch.Readiness) -> Void
    private var sockets: [Int32: Socket] = [:]
    private var connections: Set<Int32> = []

    /// Makes an empty set of watches.
    ///
    /// - Parameter ready: called on the loop for a descriptor that libcurl waits for.
    init(on loop: EventLoop, ready: @escaping (Int32, DescriptorWatch.Readiness) -> Void) {
        self.loop = loop
        self.ready = ready
    }

    /// A connection's socket was opened: its closing will be told to us too.
    func opened(_ descriptor: Int32) {
        forget(descriptor)
        connections.insert(descriptor)
    }

    /// The descriptor is about to be closed.
    func forget(_ descriptor: Int32) {
        connections.remove(descriptor)
        sockets.removeValue(forKey: descriptor)?.watch.close()
    }

    /// libcurl waits for these from now on.
    ///
    /// - Throws: `EventLoopError` where the descriptor cannot be watched.
    func want(_ readiness: DescriptorWatch.Readiness, of descriptor: Int32) throws(EventLoopError) {
        if var socket = sockets[descriptor] {
            if socket.armed != readiness { socket.watch.update(readiness) }
            socket.armed = readiness
            socket.isWanted = true
            sockets[descriptor] = socket
        } else {
            // Safe because these watches are used on the loop only, and its owner calls `close()` before it lets go of this
            // object; a closed watch calls nobody.
            let watch = try DescriptorWatch(descriptor, on: loop) { [unowned self] in deliver($0, of: descriptor) }
            watch.update(readiness)
            sockets[descriptor] = Socket(watch: watch, armed: readiness, isWanted: true)
        }
    }

    /// libcurl waits for it no longer.
    func release(_ descriptor: Int32) {
        if connections.contains(descriptor) {
            sockets[descriptor]?.isWanted = false
        } else {
            forget(descriptor)
        }
    }

    /// Ends all watches.
    func close() {
        for socket in sockets.values { socket.watch.close() }
        sockets = [:]
        connections = []
    }

    private func deliver(_ readiness: DescriptorWatch.Readiness, of descriptor: Int32) {
        guard let socket = sockets[descriptor] else { return }
        if socket.isWanted {
            ready(descriptor, readiness)
        } else {
            // The peer closed an idle connection. libcurl notices when it next looks at it; until then, silence.
            socket.watch.update([])
            sockets[descriptor]?.armed = []
        }
    }
}
