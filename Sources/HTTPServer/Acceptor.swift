internal import CMicroHTTPD
internal import EventLoops
internal import Glibc
internal import HTTPModel
internal import Synchronization

/// Accepts the connections of one listener and gives each to the loop that has the fewest.
///
/// libmicrohttpd could accept by itself, from a duplicate of the socket in every daemon; but then the loop that the
/// system wakes first takes nearly all of them (measured: 16 of 16), and at its own limit new clients hang.
///
/// Safe because everything but the initialiser runs on the loop.
final class Acceptor: @unchecked Sendable {
    /// A connection on its way to a loop.
    struct Accepted: Sendable {
        /// The socket; whoever gets this closes it.
        let descriptor: Int32
        private let address: sockaddr_storage
        private let size: socklen_t

        fileprivate init?(from listening: Int32) {
            var address = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            // Safe because every socket address fits the storage, and begins as `sockaddr` does.
            descriptor = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept4(listening, $0, &size, flags) }
            }
            guard descriptor >= 0 else { return nil }
            self.address = address
            self.size = size
        }

        /// Calls the closure with the peer's address.
        func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
            // Safe because the address begins as `sockaddr` does, and its length goes with it.
            withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
            }
        }
    }

    /// The loop that it runs on.
    let loop: EventLoop
    /// How peers reach the listener.
    let kind: ConnectionKind
    private let state: ServerState
    private var daemons: [Daemon]
    /// Which of the server's successive identities the daemons have.
    private var generation = 0
    private var descriptor: Int32
    private var watch: DescriptorWatch?
    private var pause: LoopTimer?
    private var turn = 0

    /// Makes an acceptor that owns the listening descriptor from now on.
    init(
        _ descriptor: Int32, of kind: ConnectionKind, on loop: EventLoop, _ state: ServerState, _ daemons: [Daemon]
    ) {
        self.descriptor = descriptor
        self.kind = kind
        self.loop = loop
        self.state = state
        self.daemons = daemons
    }

    /// Begins to accept.
    ///
    /// - Throws: `HTTPServerError.cannotStart`.
    func start() throws(HTTPServerError) {
        loop.assertCurrent()
        do throws(EventLoopError) {
            // It keeps itself alive until it is stopped, as the loop points to it.
            let watch = try DescriptorWatch(descriptor, on: loop) { _ in self.accept() }
            pause = try LoopTimer(on: loop) { watch.update(.readable) }
            watch.update(.readable)
            self.watch = watch
        } catch {
            throw .cannotStart(error.description)
        }
    }

    /// Gives new connections to these daemons from now on, unless later ones have come first.
    func use(_ daemons: [Daemon], generation: Int) {
        loop.assertCurrent()
        guard generation > self.generation else { return }
        self.generation = generation
        self.daemons = daemons
    }

    /// Accepts nothing more and closes the socket. Stopping twice is allowed.
    func stop() {
        loop.assertCurrent()
        watch?.close()
        pause?.close()
        (watch, pause) = (nil, nil)
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    private func accept() {
        loop.assertCurrent()
        // A bound, so that a flood of connections does not keep the loop from those that it has.
        for _ in 0..<acceptedPerTurn {
            guard let accepted = Accepted(from: descriptor) else {
                let number = errno
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number) { rest(after: number) }
                return
            }
            if state.takeRoom() {
                give(accepted)
            } else {
                close(accepted.descriptor)
            }
        }
    }

    /// Waits a moment when the process or the system has no descriptors left: the socket stays readable meanwhile.
    private func rest(after number: Int32) {
        state.configuration.onFault("no connection can be accepted: \(systemMessage(number))")
        watch?.update([])
        pause?.start(after: .milliseconds(100))
    }

    private func give(_ accepted: Accepted) {
        // Beginning behind the last one, so that equals take turns.
        turn = (turn + 1) % daemons.count
        var chosen = daemons[turn]
        for offset in 1..<max(1, daemons.count) {
            let other = daemons[(turn + offset) % daemons.count]
            if other.load.load(ordering: .relaxed) < chosen.load.load(ordering: .relaxed) { chosen = other }
        }
        chosen.load.add(1, ordering: .relaxed)
        let daemon = chosen
        guard !daemon.loop.isCurrent else { return daemon.add(accepted) }
        if !daemon.loop.execute({ daemon.add(accepted) }) {
            state.giveRoom()
            close(accepted.descriptor)
        }
    }
}

private let acceptedPerTurn = 64
