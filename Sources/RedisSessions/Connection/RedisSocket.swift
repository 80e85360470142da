internal import CHiredis
internal import EventLoops
internal import Glibc

/// One connection of hiredis, on an event loop.
///
/// What is sent in one turn of the loop leaves in one piece at its end. Used on the loop only.
final class RedisSocket {
    /// A place that can be connected to without looking anything up.
    enum Place {
        /// An address in digits.
        case address(String, port: Int)
        /// The path of a Unix socket.
        case path(String)
    }

    /// What the owner is told, on the loop. After `close` nothing is told any more.
    struct Handlers {
        /// The connection stands.
        var connected: () -> Void
        /// A reply came.
        var received: (RedisReply) -> Void
        /// The connection is of no use any more; the owner has to close it. One line for a person.
        var failed: (String) -> Void
    }

    private let loop: EventLoop
    private let handlers: Handlers
    private var context: UnsafeMutablePointer<redisContext>?
    private var watch: DescriptorWatch?
    private var settler: SettlerID?
    private var isConnected = false
    private var hasOutput = false

    /// hiredis reads at most so much at a time.
    private static let readSize = 16 * 1024

    /// Begins to connect.
    ///
    /// - Throws: `RedisError.away` where that fails at once.
    init(to place: Place, on loop: EventLoop, _ handlers: Handlers) throws(RedisError) {
        loop.assertCurrent()
        self.loop = loop
        self.handlers = handlers
        let made: UnsafeMutablePointer<redisContext>? =
            switch place {
            case .address(let address, let port): redisConnectNonBlock(address, Int32(port))
            case .path(let path): redisConnectUnixNonBlock(path)
            }
        guard let made else { throw .away("hiredis is out of memory") }
        guard made.pointee.err == 0 else {
            defer { redisFree(made) }
            throw .away(String(cString: chiredis_error(made)))
        }
        context = made
        _ = fcntl(made.pointee.fd, F_SETFD, FD_CLOEXEC)
        if case .address = place { redisEnableKeepAlive(made) }
        do {
            // Safe because `close` ends the watch and the settler, and the owner calls it before it lets this object go.
            let watch = try DescriptorWatch(made.pointee.fd, on: loop) { [unowned self] in isReady($0) }
            self.watch = watch
            watch.update(.writable)
        } catch {
            close()
            throw .away(error.description)
        }
        settler = loop.addSettler { [unowned self] in
            flush()
            return true
        }
    }

    deinit {
        if let context { redisFree(context) }
    }

    /// Sends a command, behind those sent before. Nothing leaves before the connection stands.
    func send(_ command: RedisCommand) {
        loop.assertCurrent()
        guard let context else { return }
        let status = command.encoded.withUnsafeBytes { bytes in
            // Safe because bytes may be looked at as characters of C, and hiredis copies them before it returns.
            redisAppendFormattedCommand(context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard status == REDIS_OK else { return fail() }
        hasOutput = true
        loop.unsettle()
    }

    /// Ends the connection. May be called twice, and by a handler.
    func close() {
        loop.assertCurrent()
        if let settler { loop.removeSettler(settler) }
        settler = nil
        watch?.close()
        watch = nil
        if let context { redisFree(context) }
        context = nil
    }

    private func isReady(_ readiness: DescriptorWatch.Readiness) {
        guard let context else { return }
        if !isConnected {
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(context.pointee.fd, SOL_SOCKET, SO_ERROR, &code, &length) == 0, code == 0 else {
                return handlers.failed(String(cString: strerror(code == 0 ? errno : code)))
            }
            isConnected = true
            watch?.update(.readable)
            return handlers.connected()
        }
        if readiness.contains(.readable) { receive() }
        if readiness.contains(.writable), self.context != nil {
            watch?.update(.readable)
            flush()
        }
    }

    private func receive() {
        // A bound, so that one server with much to say does not keep the loop from everything else.
        for _ in 0..<64 {
            guard let context, let reader = context.pointee.reader else { return }
            let before = reader.pointee.len
            guard redisBufferRead(context) == REDIS_OK else { return fail() }
            let count = reader.pointee.len - before
            guard deliver() else { return }
            if count < Self.readSize { return }
        }
    }

    /// Hands out the replies that have come whole. False where the connection has ended meanwhile.
    private func deliver() -> Bool {
        while let context {
            var raw: UnsafeMutableRawPointer?
            guard redisGetReplyFromReader(context, &raw) == REDIS_OK else {
                fail()
                return false
            }
            guard let raw else { return true }
            // Safe because hiredis's own functions make replies of this type.
            let reply = RedisReply(raw.assumingMemoryBound(to: redisReply.self))
            freeReplyObject(raw)
            handlers.received(reply)
        }
        return false
    }

    private func flush() {
        guard hasOutput, isConnected, let context else { return }
        var isDone: Int32 = 0
        guard redisBufferWrite(context, &isDone) == REDIS_OK else { return fail() }
        hasOutput = isDone == 0
        if hasOutput { watch?.update([.readable, .writable]) }
    }

    private func fail() {
        guard let context else { return }
        handlers.failed(String(cString: chiredis_error(context)))
    }
}
