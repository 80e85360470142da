import EventLoops
import Foundation
import HTTPModel
import HTTPServer
import Synchronization

/// The bytes that a client sends on one connection before it closes its end.
enum ServerConnectionTarget {
    /// A server on a Unix socket, for the whole life of the process.
    private static let server = Task {
        let path = NSTemporaryDirectory() + "/fuzz-\(getpid()).sock"
        unlink(path)
        let seen = SeenRequests()
        var configuration = HTTPServerConfiguration()
        configuration.headTimeout = .seconds(1)
        configuration.bodyTimeout = .seconds(1)
        configuration.idleTimeout = .seconds(1)
        let server = HTTPServer(
            listeners: [try BoundListener(.unix(path: path))], configuration: configuration, responder: seen,
            group: try EventLoopGroup(count: 1))
        try await server.start()
        return (server, seen, path)
    }

    static func check(_ bytes: [UInt8]) async throws(BrokenProperty) {
        guard let (_, seen, path) = try? await server.value else {
            throw BrokenProperty(description: "there is a server")
        }
        _ = seen.take()
        let answer = try exchange(bytes, path: path)
        let requests = seen.take()
        let text = String(decoding: answer, as: UTF8.self)
        try require(answer.isEmpty || text.hasPrefix("HTTP/1."), "an answer is one: \(shown(text))")
        var position = 0
        // A target that is none, such as one with a carriage return, is the gateway's to refuse: see RequestHeadTarget.
        for head in requests where RequestTarget(head.target) != nil {
            try checkFraming(head)
            position = try require(
                end(of: head, in: bytes, from: position),
                "this was sent: \(head), in \(shown(String(decoding: bytes, as: UTF8.self)))")
        }
    }

    /// Where a head ends that stands in the bytes as HTTP has it, line by line with nothing between; `nil` for none.
    private static func end(of head: RequestHead, in bytes: [UInt8], from start: Int) -> Int? {
        let line = "\(head.method) \(head.target) HTTP/1.\(head.minorVersion)"
        let method = Array(head.method.utf8)
        starts: for index in start..<bytes.count where bytes[index...].starts(with: method) {
            guard let end = lineEnd(in: bytes[index...]),
                String(decoding: bytes[index..<end], as: UTF8.self) == line
            else { continue }
            var rest = bytes[(end + 2)...]
            for field in head.headers.fields {
                guard let end = lineEnd(in: rest),
                    let found = fields(of: [String(decoding: rest[..<end], as: UTF8.self)]).first,
                    found.name == field.name, found.value == field.value || isCredential(field, found.value)
                else { continue starts }
                rest = rest[(end + 2)...]
            }
            if lineEnd(in: rest) == rest.startIndex { return rest.startIndex + 2 }
        }
        return nil
    }

    /// Where the first line ends.
    private static func lineEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        guard let feed = bytes.firstIndex(of: 0x0A), feed > bytes.startIndex, bytes[feed - 1] == 0x0D else {
            return nil
        }
        return feed - 1
    }

    /// Credentials are left as they are sent.
    private static func isCredential(_ field: HeaderFields.Field, _ value: String) -> Bool {
        field.name.lowercased() == "authorization" && field.value.hasPrefix(value)
    }

    /// A request has one length and one host, and nothing in it that another reader would take otherwise.
    private static func checkFraming(_ head: RequestHead) throws(BrokenProperty) {
        let fields = head.headers.fields
        func values(_ name: String) -> [String] { fields.filter { $0.name.lowercased() == name }.map(\.value) }
        let (lengths, codings) = (values("content-length"), values("transfer-encoding"))
        try require(lengths.count + codings.count <= 1, "a body has one length")
        try require(
            lengths.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }, "a length is a number")
        try require(codings.allSatisfy { $0.lowercased() == "chunked" }, "the coding is chunked")
        try require(values("host").count <= 1, "there is one host")
        for field in fields {
            try require(
                !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A },
                "a name is one word: \(field)")
            try require(
                field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "a value is one line: \(field)")
        }
    }

    /// Sends the bytes, closes that direction, and reads until the server has closed the other.
    private static func exchange(_ bytes: [UInt8], path: String) throws(BrokenProperty) -> [UInt8] {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try require(isConnected == 0, "the server takes a connection: \(String(cString: strerror(errno)))")
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // libFuzzer's clock interrupts calls.
            if count < 0, errno == EINTR { continue }
            // The server may refuse the rest.
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
        shutdown(descriptor, Int32(SHUT_WR))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            if count == 0 || (count < 0 && errno == ECONNRESET) { return answer }
            try require(count > 0, "the server closes a connection in time: \(String(cString: strerror(errno)))")
            answer += buffer.prefix(count)
        }
    }
}

/// Answers every request and remembers its head.
private final class SeenRequests: Responder {
    private let heads = Mutex<[RequestHead]>([])

    func take() -> [RequestHead] {
        heads.withLock { heads in
            defer { heads = [] }
            return heads
        }
    }

    func receive(_ head: RequestHead) -> Reception {
        heads.withLock { $0.append(head) }
        return .body(limit: 4096, tooLarge: { Response(status: 413) }) { request in
            Response(status: 200, body: .bytes(request.body))
        }
    }
}
