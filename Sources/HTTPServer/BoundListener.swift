internal import Glibc
public import HTTPModel
internal import Synchronization

/// A socket that listens, bound once.
///
/// It is bound with `SO_REUSEADDR` alone: `SO_REUSEPORT` would let a second server onto the same port without a word.
/// Closed by the server that was given it, by `close()`, or when it is given up.
public final class BoundListener: Sendable, CustomStringConvertible {
    /// How peers reach the server through it.
    public let kind: ConnectionKind
    /// What it really listens on, port 0 replaced.
    public let address: ListenAddress
    /// The socket's file, to be removed at the end if it is still ours.
    private let file: SocketFile?
    private let descriptor: Mutex<Int32>

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - address: where; an inherited descriptor must listen already and is taken over.
    ///   - isTLS: whether peers speak TLS; a Unix socket never does.
    /// - Throws: every case of `HTTPServerError` but `cannotStart`.
    public init(_ address: ListenAddress, isTLS: Bool = false) throws(HTTPServerError) {
        let socket: OwnedSocket
        switch address {
        case .tcp(let host, let port):
            socket = try OwnedSocket.listening(on: host, port: port)
            file = nil
        case .unix(let path):
            socket = try OwnedSocket.listening(atPath: path)
            file = SocketFile(path)
        case .descriptor(let inherited):
            socket = try OwnedSocket.inherited(inherited)
            file = nil
        }
        let name = socket.address(insteadOf: address)
        if case .unix = name { kind = .unix } else { kind = isTLS ? .tls : .tcp }
        self.address = name
        descriptor = Mutex(socket.take())
    }

    /// The port, where there is one.
    public var port: UInt16? {
        if case .tcp(_, let port) = address { port } else { nil }
    }

    /// The URL that reaches it from this machine, as `http://127.0.0.1:8080`; `unix:/path` for a Unix socket.
    public var description: String {
        guard case .tcp(let host, let port) = address else { return address.description }
        let reachable =
            switch host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            default: host
            }
        return "\(kind == .tls ? "https" : "http")://\(ListenAddress.tcp(host: reachable, port: port))"
    }

    /// Ends listening and removes the socket's file. Closing twice is allowed.
    public func close() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        guard open >= 0 else { return }
        file?.remove()
        Glibc.close(open)
    }

    /// A duplicate for whoever accepts, who closes it.
    func duplicate() throws(HTTPServerError) -> Int32 {
        let copy = descriptor.withLock { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        guard copy >= 0 else { throw .unusableAddress(address.description, reason: systemMessage(errno)) }
        return copy
    }

    deinit {
        close()
    }
}

/// The file of a Unix socket that this process has bound.
struct SocketFile {
    private let path: String
    private let device: dev_t
    private let node: ino_t

    /// Remembers the file, so that one that somebody else puts in its place is left alone.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        node = status.st_ino
    }

    /// Removes the file if it is still the same.
    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == node else { return }
        unlink(path)
    }
}

/// What the system says about an error number.
func systemMessage(_ number: Int32) -> String {
    String(cString: strerror(number))
}
