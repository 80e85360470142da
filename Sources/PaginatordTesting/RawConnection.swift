internal import Dispatch
internal import Glibc
public import HTTPModel

/// A client that speaks bytes: what a test writes is what the server gets.
///
/// It blocks a thread of its own, never one of Swift's pool, and gives up after a minute without a byte.
public actor RawConnection {
    /// Why a test's connection did not do what was asked.
    public enum Failure: Error, Equatable {
        /// It could not be opened; the number is the system's.
        case notConnected(Int32)
        /// Nothing came for a minute.
        case timedOut
        /// The peer closed or reset the connection before the whole of it had come; these bytes had.
        case ended(after: [UInt8])
        /// The bytes are no HTTP response.
        case notHTTP(String)
    }

    /// A response as it was read.
    public struct RawResponse: Sendable, Equatable {
        /// The status code.
        public var status: Int
        /// The header lines, in order.
        public var headers: HeaderFields
        /// The body after transfer decoding.
        public var body: [UInt8]

        /// The body as text.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let thread = BlockingExecutor()
    private var descriptor: Int32
    private var buffer: [UInt8] = []

    /// The connection's own thread. Safe because the actor, which holds the executor, outlives the reference's use.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Connects to a TCP port of this machine.
    ///
    /// - Parameter receiveBuffer: the bytes that the system may keep for us unread, for tests of slow readers.
    public init(port: UInt16, overIPv6: Bool = false, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(overIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var receiveBuffer {
            // Safe because the call reads this one variable, in its own size.
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        let status: Int32
        if overIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            status = connectTo(descriptor, &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            status = connectTo(descriptor, &address)
        }
        try Self.prepare(descriptor, status)
    }

    /// Connects to a Unix socket.
    public init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try Self.prepare(descriptor, connectTo(descriptor, path: path))
    }

    private static func prepare(_ descriptor: Int32, _ status: Int32) throws {
        guard status == 0 else {
            let number = errno
            Glibc.close(descriptor)
            throw Failure.notConnected(number)
        }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        // Safe because the call reads this one variable, in its own size.
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    // MARK: Writing

    /// Writes the text as it is.
    public func send(_ text: String) throws {
        try send(bytes: Array(text.utf8))
    }

    /// Writes the bytes as they are.
    public func send(bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Safe because the call stays within the bytes that it is given.
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.ended(after: []) }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes the text again and again with short pauses until the peer has ended the connection, a minute at most; says
    /// whether it has.
    public func isCut(sending text: String) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            guard (try? send(text)) != nil else { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// Says that nothing more will be written; reading goes on.
    public func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the connection in order.
    public func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    // MARK: Reading

    /// Reads one response, whose end is known by its length or its final chunk, or `close` where neither is given.
    ///
    /// - Parameter isHead: whether the request was `HEAD`, so that no body follows.
    public func response(toHead isHead: Bool = false) throws -> RawResponse {
        let head = try readHead()
        guard !isHead, head.status >= 200, head.status != 204, head.status != 304 else { return head }
        var response = head
        if let length = head.headers["Content-Length"].flatMap({ Int($0) }) {
            response.body = try read(length)
        } else if head.headers["Transfer-Encoding"] == "chunked" {
            response.body = try readChunks()
        } else {
            response.body = try readToEnd()
        }
        return response
    }

    /// Reads the head of a response and leaves its body unread.
    public func readHead() throws -> RawResponse {
        let lines = try read(upTo: "\r\n\r\n").split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw Failure.notHTTP(lines.joined(separator: "|"))
        }
        var headers = HeaderFields()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Failure.notHTTP(String(line)) }
            headers.append(String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
        return RawResponse(status: status, headers: headers, body: [])
    }

    /// Reads that many bytes.
    public func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw Failure.ended(after: buffer) }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Takes one byte from the system and leaves the rest there, as a slow reader does.
    ///
    /// - Throws: `Failure.ended` where the peer has ended the connection, in order or not.
    public func takeByte() throws {
        var byte: UInt8 = 0
        // Safe because the call is given room for one byte, and this is one.
        let count = uninterrupted { unsafe recv(descriptor, &byte, 1, 0) }
        if count < 0, errno == EAGAIN { throw Failure.timedOut }
        guard count > 0 else { throw Failure.ended(after: []) }
    }

    /// Reads until the peer ends the connection, in order or not.
    public func readToEnd() throws -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// Reads and forgets everything up to the moment at which the last bytes read are the mark; returns how many bytes.
    public func skip(through mark: String) throws -> Int {
        var count = 0
        while true {
            if buffer.suffix(mark.utf8.count).elementsEqual(mark.utf8) {
                defer { buffer = [] }
                return count + buffer.count
            }
            let excess = max(0, buffer.count - mark.utf8.count)
            buffer.removeFirst(excess)
            count += excess
            guard try fill() else { throw Failure.ended(after: buffer) }
        }
    }

    private func readChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        do {
            while true {
                let line = try read(upTo: "\r\n")
                guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else { throw Failure.notHTTP(line) }
                body += try read(size)
                _ = try read(2)
                if size == 0 { return body }
            }
        } catch Failure.ended {
            throw Failure.ended(after: body)
        }
    }

    /// Reads up to and without the mark, and takes the mark away.
    public func read(upTo mark: String) throws -> String {
        let mark = Array(mark.utf8)
        var start = 0
        while true {
            while start + mark.count <= buffer.count {
                if buffer[start..<start + mark.count].elementsEqual(mark) {
                    defer { buffer.removeFirst(start + mark.count) }
                    return String(decoding: buffer[..<start], as: UTF8.self)
                }
                start += 1
            }
            guard try fill() else { throw Failure.ended(after: buffer) }
        }
    }

    /// Waits until there is something to read, or the end, and leaves it unread.
    public func isReadable(within limit: Duration = .seconds(60)) -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Safe because the call is told of one descriptor, and this is one.
        return uninterrupted { unsafe poll(&event, 1, Int32(limit / .milliseconds(1))) } == 1
    }

    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        // Safe because the call stays within the array that it is given.
        let count = uninterrupted { unsafe recv(descriptor, &chunk, chunk.count, 0) }
        if count < 0 {
            guard errno != EAGAIN else { throw Failure.timedOut }
            return false
        }
        buffer += chunk[..<count]
        return count > 0
    }
}

/// Makes a call of the system again where a signal has interrupted it: a process that was stopped and goes on has all its
/// waiting with a time limit interrupted.
private func uninterrupted<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
        let number = call()
        if number >= 0 || errno != EINTR { return number }
    }
}

/// Connects a descriptor to a Unix socket and gives the system's answer back, 0 where it is connected. A path that is too
/// long is cut, so that nothing is found there.
func connectTo(_ descriptor: Int32, path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // Safe because no more is copied than the field has room for, with the zero behind it.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) {
        unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    return connectTo(descriptor, &address)
}

private func connectTo<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    // Safe because every kind of address begins as `sockaddr` does, and the call is told this one's size.
    unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
        }
    }
}

/// Runs an actor on a queue of its own, whose thread it may block.
private final class BlockingExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "raw connection")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Safe because the job runs once, and its closure holds the executor until then.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
