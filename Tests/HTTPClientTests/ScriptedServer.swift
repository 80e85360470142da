import Glibc
import Synchronization

/// A server for tests that speaks whatever bytes its script tells it to, one thread per connection.
final class ScriptedServer: Sendable {
    typealias Script = @Sendable (ScriptedConnection) -> Void

    let port: Int
    private let listener: Int32
    private struct Record {
        var requests: [String] = []
        var connections: [Int32] = []
        var accepted = 0
        var isStopped = false
    }
    private let record = Mutex(Record())

    /// Listens on a free port of 127.0.0.1; the script is run for each connection, which is closed at its end.
    init(_ script: @escaping Script) {
        let listener = newSocket()
        let (status, port) = bindToLoopback(listener)
        precondition(status == 0 && listen(listener, 512) == 0, "no port to listen on")
        self.listener = listener
        self.port = port
        detachThread { [self] in
            // Here and not in `stop`, or this thread could go on to accept from whoever has got the number next.
            defer { close(listener) }
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                guard let number = begin(descriptor) else { return _ = close(descriptor) }
                let connection = ScriptedConnection(descriptor: descriptor, number: number, server: self)
                detachThread { [self] in
                    script(connection)
                    end(descriptor)
                }
            }
        }
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// The heads and bodies of all requests that were read, in order.
    var requests: [String] { record.withLock { $0.requests } }

    /// How many connections have come.
    var accepted: Int { record.withLock { $0.accepted } }

    /// How many connections are open.
    var open: Int { record.withLock { $0.connections.count } }

    /// Ends the server and its connections.
    func stop() {
        record.withLock { record in
            record.isStopped = true
            for descriptor in record.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    func add(_ request: String) {
        record.withLock { $0.requests.append(request) }
    }

    private func begin(_ descriptor: Int32) -> Int? {
        record.withLock { record in
            guard !record.isStopped else { return nil }
            record.accepted += 1
            record.connections.append(descriptor)
            return record.accepted
        }
    }

    private func end(_ descriptor: Int32) {
        record.withLock { record in
            record.connections.removeAll { $0 == descriptor }
            close(descriptor)
        }
    }
}

/// One connection of a `ScriptedServer`; used by its thread.
struct ScriptedConnection: Sendable {
    let descriptor: Int32
    /// 1 for the server's first connection.
    let number: Int
    let server: ScriptedServer

    /// Reads one request, its body by `Content-Length` included. `nil` at the end of the connection.
    @discardableResult
    func readRequest() -> String? {
        var bytes: [UInt8] = []
        var rest = Int.max
        while rest > 0 {
            var byte: UInt8 = 0
            guard read(descriptor, &byte, 1) == 1 else { return nil }
            bytes.append(byte)
            rest -= 1
            if rest > 1 << 40, bytes.suffix(4) == [13, 10, 13, 10] {
                let head = String(decoding: bytes, as: UTF8.self)
                rest =
                    head.split(separator: "\r\n").compactMap { line in
                        line.lowercased().hasPrefix("content-length: ") ? Int(line.dropFirst(16)) : nil
                    }.first ?? 0
            }
        }
        let request = String(decoding: bytes, as: UTF8.self)
        server.add(request)
        return request
    }

    /// Sends these bytes; false where the peer has gone.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Sends this text.
    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Sends a whole answer with `Content-Length`.
    @discardableResult
    func answer(_ body: [UInt8], _ headers: String = "") -> Bool {
        write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\(headers)\r\n".utf8) + body)
    }

    /// Waits until the peer closes the connection.
    func waitForEnd() {
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) > 0 {}
    }

    /// Makes the end of the connection a reset.
    func resetAtEnd() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}

/// A port of 127.0.0.1 on which nobody listens, and nobody ever will: it stays taken.
func closedPort() -> Int { bindToLoopback(newSocket()).port }

/// A socket that programs started by other tests do not inherit, so that closing it here ends the connection.
private func newSocket() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
}

func bindToLoopback(_ descriptor: Int32) -> (status: Int32, port: Int) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
            let status = bind(descriptor, generic, length)
            getsockname(descriptor, generic, &length)
            return (status, Int(UInt16(bigEndian: pointer.pointee.sin_port)))
        }
    }
}

private func detachThread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let status = pthread_create(
        &thread, nil,
        { context in
            if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
            return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
    precondition(status == 0, "no thread")
    pthread_detach(thread)
}

extension ScriptedConnection {
    /// Waits until the peer's system has acknowledged what was sent.
    func waitUntilAcknowledged() {
        var unsent: Int32 = 1
        while unsent > 0, ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0 { sched_yield() }
    }
}
