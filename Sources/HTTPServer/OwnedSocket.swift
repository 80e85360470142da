// The compiler attributes the system's socket types to whichever of these two modules it happens to load first.
internal import CMicroHTTPD
internal import Glibc

/// A socket while it is made to listen: closed unless it is taken.
struct OwnedSocket: ~Copyable {
    private let descriptor: Int32

    private init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    private static func make(_ family: Int32, for name: ListenAddress) throws(HTTPServerError) -> OwnedSocket {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw refusal(errno, name) }
        return OwnedSocket(owning: descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// Hands the descriptor over.
    consuming func take() -> Int32 {
        let taken = descriptor
        discard self
        return taken
    }

    /// Listens on a TCP port, over IPv6 for IPv6 alone.
    static func listening(on host: String, port: UInt16) throws(HTTPServerError) -> OwnedSocket {
        let name = ListenAddress.tcp(host: host, port: port)
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0, let first = found else {
            if status == EAI_FAMILY { throw .addressUnavailable(name.description) }
            throw .unusableAddress(name.description, reason: String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(found) }
        let socket = try make(first.pointee.ai_family, for: name)
        socket.set(SOL_SOCKET, SO_REUSEADDR)
        if first.pointee.ai_family == AF_INET6 { socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
        guard Glibc.bind(socket.descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
            listen(socket.descriptor, SOMAXCONN) == 0
        else { throw refusal(errno, name) }
        return socket
    }

    /// Listens on a Unix socket of mode 0660. A file that is a socket nobody listens on is replaced.
    static func listening(atPath path: String) throws(HTTPServerError) -> OwnedSocket {
        let name = ListenAddress.unix(path: path)
        guard var address = unixAddress(path) else {
            throw .unusableAddress(name.description, reason: "the path is empty or too long")
        }
        let socket = try make(AF_UNIX, for: name)
        if !socket.bind(&address) {
            guard errno == EADDRINUSE, isStale(path, &address) else { throw refusal(errno, name) }
            unlink(path)
            guard socket.bind(&address) else { throw refusal(errno, name) }
        }
        // Between bind and listen, so that nobody connects under another mode.
        guard chmod(path, 0o660) == 0, listen(socket.descriptor, SOMAXCONN) == 0 else { throw refusal(errno, name) }
        return socket
    }

    /// Takes over a socket that listens already.
    static func inherited(_ inherited: Int32) throws(HTTPServerError) -> OwnedSocket {
        let name = ListenAddress.descriptor(inherited).description
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(inherited, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0 else {
            throw .unusableAddress(name, reason: systemMessage(errno))
        }
        guard isListening != 0 else { throw .unusableAddress(name, reason: "the socket does not listen") }
        _ = fcntl(inherited, F_SETFD, FD_CLOEXEC)
        _ = fcntl(inherited, F_SETFL, fcntl(inherited, F_GETFL) | O_NONBLOCK)
        return OwnedSocket(owning: inherited)
    }

    /// What the socket is really bound to.
    func address(insteadOf asked: ListenAddress) -> ListenAddress {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // Safe because the system writes at most `size` bytes, and each view below is of the family that it reports.
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &size) == 0 else { return asked }
                if Int32(UnsafeRawPointer(address).load(as: sa_family_t.self)) == AF_UNIX {
                    if case .unix = asked { return asked }
                    // Safe because what stands behind the family of a Unix address is its path, as characters.
                    let path = UnsafeRawPointer(address).advanced(by: 2).assumingMemoryBound(to: CChar.self)
                    return .unix(path: size > 2 ? String(cString: path) : "")
                }
                var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
                guard
                    getnameinfo(
                        address, size, &host, socklen_t(host.count), &service, socklen_t(service.count),
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0,
                    let port = UInt16(text(service))
                else { return asked }
                return .tcp(host: text(host), port: port)
            }
        }
    }

    private func set(_ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private borrowing func bind(_ address: inout sockaddr_un) -> Bool {
        withAddress(&address) { Glibc.bind(descriptor, $0, $1) } == 0
    }

    /// Whether the file is a socket to which connecting is refused: its server is gone.
    private static func isStale(_ path: String, _ address: inout sockaddr_un) -> Bool {
        defer { errno = EADDRINUSE }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
            let probe = try? make(AF_UNIX, for: .unix(path: path))
        else { return false }
        return withAddress(&address) { connect(probe.descriptor, $0, $1) } != 0 && errno == ECONNREFUSED
    }
}

private func unixAddress(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, !bytes.contains(0), bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
        return nil
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
}

private func withAddress(_ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: &address) {
        // Safe because every kind of socket address begins as `sockaddr` does, and the length goes with it.
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
}

private func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

private func refusal(_ number: Int32, _ name: ListenAddress) -> HTTPServerError {
    switch number {
    case EADDRINUSE: .addressInUse(name.description)
    case EADDRNOTAVAIL, EAFNOSUPPORT: .addressUnavailable(name.description)
    case EACCES, EPERM: .notPermitted(name.description)
    default: .unusableAddress(name.description, reason: systemMessage(number))
    }
}
