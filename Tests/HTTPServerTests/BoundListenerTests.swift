import Glibc
import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct BoundListenerTests {
    private static let anyPort = ListenAddress.tcp(host: "127.0.0.1", port: 0)
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private let kinds = Answers { head in .answer(.text("\(head.connection)")) }

    @Test("A second server on a port is refused by name")
    func takenPort() throws {
        let first = try BoundListener(Self.anyPort)
        let port = try #require(first.port)
        #expect(port != 0)
        let error = #expect(throws: HTTPServerError.self) {
            _ = try BoundListener(.tcp(host: "127.0.0.1", port: port))
        }
        #expect(error == .addressInUse("127.0.0.1:\(port)"))
        #expect(error?.description == "127.0.0.1:\(port) is already in use")
    }

    @Test("A port is free again as soon as its listener is closed")
    func freedPort() throws {
        let first = try BoundListener(Self.anyPort)
        let port = try #require(first.port)
        first.close()
        first.close()
        _ = try BoundListener(.tcp(host: "127.0.0.1", port: port))
    }

    @Test(
        "The description is the URL that reaches the listener from this machine",
        arguments: [
            ("127.0.0.1", false, "http://127.0.0.1:"), ("0.0.0.0", false, "http://127.0.0.1:"),
            ("::1", false, "http://[::1]:"), ("::", false, "http://[::1]:"), ("127.0.0.1", true, "https://127.0.0.1:"),
        ])
    func descriptions(host: String, isTLS: Bool, prefix: String) throws {
        let listener = try BoundListener(.tcp(host: host, port: 0), isTLS: isTLS)
        #expect(listener.description == prefix + String(try #require(listener.port)))
        #expect(listener.kind == (isTLS ? .tls : .tcp))
    }

    @Test("Both families can be bound to one port, as the one for IPv6 is for it alone")
    func bothFamilies() throws {
        // The free port of one family may be taken in the other by somebody else; not twenty times in a row.
        let bound = try (0..<20).contains { _ in
            let first = try BoundListener(.tcp(host: "::", port: 0))
            let port = try #require(first.port)
            return (try? BoundListener(.tcp(host: "0.0.0.0", port: port))) != nil
        }
        #expect(bound)
    }

    @Test("An address that is not this machine's, or none at all, is refused", arguments: ["192.0.2.1", "999.1.1.1"])
    func badAddress(host: String) {
        let error = #expect(throws: HTTPServerError.self) { _ = try BoundListener(.tcp(host: host, port: 0)) }
        switch error {
        case .addressUnavailable, .unusableAddress: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test("IPv6 answers")
    func overIPv6() async throws {
        try await withServer(on: .tcp(host: "::1", port: 0), responder: kinds) { server in
            let peer = try RawConnection(port: server.port, overIPv6: true)
            try await peer.send(Self.request)
            #expect(try await peer.response().text == "tcp")
        }
    }

    @Test("A Unix socket answers, has mode 0660 whatever the umask, and is gone afterwards")
    func unixSocket() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/socket"
            try await withServer(on: .unix(path: path), responder: kinds) { server in
                #expect(server.listener.description == "unix:\(path)")
                var status = stat()
                #expect(lstat(path, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o660)
                let peer = try RawConnection(path: path)
                try await peer.send(Self.request)
                #expect(try await peer.response().text == "unix")
            }
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test("A socket file that nobody listens on is replaced")
    func staleSocket() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/socket"
            let stale = makeSocket(boundTo: path)
            close(stale)
            #expect(access(path, F_OK) == 0)
            try await withServer(on: .unix(path: path), responder: kinds) { _ in
                let peer = try RawConnection(path: path)
                try await peer.send(Self.request)
                #expect(try await peer.response().status == 200)
            }
        }
    }

    @Test("A Unix socket in use, and a file that is no socket, are left alone")
    func notReplaced() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/socket"
            let first = try BoundListener(.unix(path: path))
            #expect(throws: HTTPServerError.addressInUse("unix:\(path)")) { _ = try BoundListener(.unix(path: path)) }
            #expect(access(path, F_OK) == 0)
            first.close()

            let file = directory + "/file"
            close(open(file, O_CREAT | O_WRONLY, 0o600))
            #expect(throws: HTTPServerError.addressInUse("unix:\(file)")) { _ = try BoundListener(.unix(path: file)) }
            #expect(access(file, F_OK) == 0)
        }
    }

    @Test("A socket file that another server has put in place is not removed")
    func replacedFile() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/socket"
            let first = try BoundListener(.unix(path: path))
            unlink(path)
            let second = try BoundListener(.unix(path: path))
            first.close()
            #expect(access(path, F_OK) == 0)
            second.close()
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test("A path that does not fit is refused", arguments: ["", String(repeating: "x", count: 108)])
    func badPath(path: String) {
        #expect(throws: HTTPServerError.self) { _ = try BoundListener(.unix(path: path)) }
    }

    @Test("An inherited socket answers, of either kind, once it listens")
    func inherited() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/socket"
            let descriptor = makeSocket(boundTo: path)
            #expect(throws: HTTPServerError.self) { _ = try BoundListener(.descriptor(descriptor)) }
            #expect(listen(descriptor, 10) == 0)
            try await withServer(on: .descriptor(descriptor), responder: kinds) { server in
                #expect(server.listener.description == "unix:\(path)")
                let peer = try RawConnection(path: path)
                try await peer.send(Self.request)
                #expect(try await peer.response().text == "unix")
            }
        }
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #expect(listen(listening, 10) == 0)
        try await withServer(on: .descriptor(listening), responder: kinds) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(Self.request)
            #expect(try await peer.response().text == "tcp")
        }
    }

    @Test("A descriptor that is closed, or no socket, is refused")
    func notInherited() throws {
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        for descriptor in [file, 9999] {
            #expect(throws: HTTPServerError.self) { _ = try BoundListener(.descriptor(descriptor)) }
        }
    }
}

private func makeSocket(boundTo path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    #expect(status == 0)
    return descriptor
}
