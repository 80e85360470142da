import Foundation
import HTTPModel
import HTTPServer
import PaginatordTesting
import Synchronization
import Testing

/// The same bytes to nginx, in front of an echo, and to the service: the service never answers more requests than nginx
/// has found in them.
@Suite(.timeLimit(.minutes(10))) struct DifferentialTests {
    private static let nginx = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    /// How many streams are on their way at once, each to a listener of nginx's own.
    private static let lanes = 16

    /// How far the lanes have come together.
    private final class Progress: Sendable {
        let next = Mutex(0)
        let answered = Mutex(0)
    }

    /// Counts the requests of each lane.
    private struct Echo: Responder {
        private let list = Box()

        private final class Box: Sendable {
            let counts = Mutex([String: Int]())
        }

        func count(of lane: Int) -> Int { list.counts.withLock { $0["\(lane)"] ?? 0 } }

        func receive(_ head: RequestHead) -> Reception {
            .body(limit: 1 << 24, tooLarge: { Response(status: 413) }) { request in
                // Counted once it is whole: nginx may begin with one that then turns out to be none.
                list.counts.withLock { $0[request.head.headers["X-Lane"] ?? "-", default: 0] += 1 }
                return Response(status: 200, body: .bytes(request.body))
            }
        }
    }

    @Test(
        "In no stream of the corpus is there a request for the service that is none for nginx",
        .enabled(if: nginx != nil))
    func corpus() async throws {
        let service = try await OwnService()
        let session = try #require(try await service.open())
        let streams = Self.streams(target: session + "/reset")
        let echo = Echo()
        let progress = Progress()
        try await serving(echo) { echoListener in
            try await withNginx(before: try #require(echoListener.port)) { sockets in
                try await serving(service) { listener in
                    let port = try #require(listener.port)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for (lane, socket) in sockets.enumerated() {
                            group.addTask {
                                while true {
                                    let number = progress.next.withLock { next in
                                        defer { next += 1 }
                                        return next
                                    }
                                    guard number < streams.count else { return }
                                    let pieces = streams[number]
                                    let before = echo.count(of: lane)
                                    _ = try await Self.exchange(pieces, on: try RawConnection(path: socket))
                                    let forwarded = echo.count(of: lane) - before
                                    let ours = try await Self.exchange(pieces, on: try RawConnection(port: port))
                                    let text = String(decoding: Array(pieces.joined()), as: UTF8.self)
                                    #expect(ours <= forwarded, "\(text.debugDescription)")
                                    progress.answered.withLock { $0 += ours }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
            }
        }
        // Most streams begin with sound requests, so that something is compared at all.
        #expect(progress.answered.withLock { $0 } > streams.count / 2)
    }

    /// Sends the pieces one after the other, and counts the answers that are no refusals.
    private static func exchange(_ pieces: [[UInt8]], on peer: RawConnection) async throws -> Int {
        for piece in pieces {
            // The peer may have had enough.
            guard (try? await peer.send(bytes: piece)) != nil else { break }
            if pieces.count > 1 { try await Task.sleep(for: .milliseconds(1)) }
        }
        await peer.finishSending()
        let answer = String(decoding: try await peer.readToEnd(), as: UTF8.self)
        await peer.close()
        return answer.matches(of: /HTTP\/1\.1 [23][0-9][0-9][ ]/).count
    }

    /// Sound and malformed requests in one stream, each stream in one piece and in several.
    private static func streams(target: String) -> [[[UInt8]]] {
        var numbers = SeededGenerator(seed: 11)
        let sound = [
            "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", "HEAD /livez HTTP/1.0\r\n\r\n",
            "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
            "POST \(target) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nGET",
        ].map { Array($0.utf8) }
        var streams: [[[UInt8]]] = []
        for kind in MalformedRequest.Kind.allCases {
            for _ in 0..<50 {
                var stream: [UInt8] = []
                for _ in 0..<Int.random(in: 0...2, using: &numbers) {
                    stream += sound.randomElement(using: &numbers) ?? []
                }
                let request = MalformedRequest(
                    kind, target: Bool.random(using: &numbers) ? target : "/livez", using: &numbers)
                stream += request.bytes
                for _ in 0..<Int.random(in: 0...2, using: &numbers) {
                    stream += sound.randomElement(using: &numbers) ?? []
                }
                streams.append([stream])
                streams.append(split(stream, using: &numbers))
            }
        }
        for stream in smugglers(target: target) + oddities(target: target) {
            streams.append([Array(stream.utf8)])
            streams.append(split(Array(stream.utf8), using: &numbers))
        }
        return streams
    }

    /// What libmicrohttpd takes and nginx does not, each before a request that must not be read then.
    private static func oddities(target: String) -> [String] {
        let sound = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let heads = [
            "Host: localhost\r\n:\n", "Host: localhost\n:\r\n", "Host: localhost\r\nX: y\n:\r\n",
            "Host: localhost\n\0\r\n",
            "Host: localhost\0\n\r\n", "Host: localhost\r\n\0\n", "Host: localhost\r\nContent-Length: 0\n:\r\n",
            "Host:\tlocalhost\r\n\r\n", "Host: localhost\t\r\n\r\n", "Host: localhost\r\nContent-Length:\t 0\r\n\r\n",
            "Host: localhost\r\nConnection: xclose\r\n\r\n", "Host: localhost\r\nConnection: close;x\r\n\r\n",
            "Host: localhost\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n",
            "Host: localhost\r\nIf-Match: \"0\"\r\nIf-Match: \"0\"\r\n\r\n",
            "Host: localhost\r\nExpect: x\r\nExpect: x\r\n\r\n",
            "Host: localhost\r\nContent-Length: 9\r\n\r\nhello",
        ]
        let chunks = [
            "5;a\rb\r\nhello\r\n0\r\n\r\n", "5;x\r\r\nhello\r\n0\r\n\r\n", "0;a\rb\r\n\r\n", "0\r\nX: a\rb\r\n\r\n",
            "0\r\nX: y\r\n:z\r\n", "0\r\nX: y\r\n:\n", "0\r\n\0\r\n", "0\r\nX: y\r\n\0\r\n", "",
        ]
        let chunked = "Host: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        return (heads + chunks.map { chunked + $0 }).flatMap { rest in
            ["GET /livez", "POST \(target)", "0POST \(target)"].flatMap { line in
                [sound, ""].map { "\($0)\(line) HTTP/1.1\r\n\(rest)\(sound)" } + ["\(line) HTTP/1.1\r\n\(rest)"]
            }
        }
    }

    private static func split(_ stream: [UInt8], using numbers: inout SeededGenerator) -> [[UInt8]] {
        let places = Set((0..<4).map { _ in Int.random(in: 0...stream.count, using: &numbers) }).sorted()
        return zip([0] + places, places + [stream.count]).map { Array(stream[$0..<$1]) }.filter { !$0.isEmpty }
    }

    /// Requests with another one in their bodies, for whoever ends them elsewhere.
    private static func smugglers(target: String) -> [String] {
        let inner = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let framings = [
            "Content-Length: \(inner.utf8.count)\r\nContent-Length: 0",
            "Content-Length: 0\r\nContent-Length: \(inner.utf8.count)",
            "Content-Length: 4\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 4",
            "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
            "Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked", "X: y\r\n Transfer-Encoding: chunked",
            "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: \u{B}chunked", "X: y\rTransfer-Encoding: chunked",
            "X: y\nTransfer-Encoding: chunked", "Transfer_Encoding: chunked", "Content-Length: \(inner.utf8.count)",
            "Content-Length: +0", "Content-Length: 0\0", "Content-Length:\r\n 0", "Content-Length: 0\u{B}",
            "Content-Length : 0",
            "Content-Lengt\r\n h: 0", "Transfer-Encodin\r\n g: chunked", "Hos: evil\r\n t", "Expect: 100-continue",
            "X: y",
            "Connection: Content-Length\r\nContent-Length: \(inner.utf8.count)", "Upgrade: h2c\r\nConnection: Upgrade",
        ]
        let bodies = [
            "0\r\n\r\n", "0\n\n", "0\r\n", "", "5;x=y\nhello\n0\n\n", "5\r\nhello\r\n0\r\nX: y\r\n\r\n",
            "0\r\nContent-Length: 9\r\n\r\n",
        ]
        return framings.flatMap { framing in
            bodies.map { "POST \(target) HTTP/1.1\r\nHost: localhost\r\n\(framing)\r\n\r\n\($0)\(inner)" }
        }
    }

    /// Runs nginx for the closure, which gets its sockets.
    private func withNginx(before port: UInt16, _ body: ([String]) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "nginx-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let sockets = (0..<Self.lanes).map { "\(folder.path)/\($0)" }
        let servers = sockets.enumerated().map { lane, socket in
            """
            server {
                listen unix:\(socket);
                location / {
                    proxy_pass http://127.0.0.1:\(port);
                    proxy_http_version 1.1;
                    proxy_set_header X-Lane \(lane);
                    proxy_set_header Connection "";
                }
            }
            """
        }
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path)/\($0);"
        }
        let text = """
            worker_processes 1;
            events { worker_connections 256; }
            http {
                access_log off;
                client_header_timeout 600s;
                client_body_timeout 600s;
                keepalive_timeout 600s;
                lingering_close off;
                proxy_ignore_client_abort on;
                client_max_body_size 0;
                large_client_header_buffers 8 64k;
                \(places.joined(separator: "\n"))
                \(servers.joined(separator: "\n"))
            }
            """
        let file = folder.path + "/nginx.conf"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let program = try RunningProgram(
            [
                "-c", file, "-e", folder.path + "/errors", "-g",
                "daemon off; master_process off; pid \(folder.path)/pid;",
            ],
            executable: URL(fileURLWithPath: try #require(Self.nginx)))
        let result: Result<Void, any Error>
        do {
            try await eventually("nginx listens") { (try? RawConnection(path: sockets[Self.lanes - 1])) != nil }
            result = .success(try await body(sockets))
        } catch {
            result = .failure(error)
        }
        try await program.kill()
        try result.get()
    }
}
