import Foundation
import HTTPModel
import PaginatordTesting
import Testing

/// Three replicas behind nginx, as `config/nginx.conf` has it.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct BehindNginxTests {
    private static let nginx = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(
        "A walk, a stream and a replica that is killed: callers see one service", .enabled(if: nginx != nil))
    func walk() async throws {
        let service = try await SharedService(incidents: 600)
        var replicas: [SharedService.Replica] = []
        for _ in 0..<3 { replicas.append(try await service.start()) }
        let folder = try OwnFolder()
        let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config/nginx.conf")
        var text = try String(contentsOf: example, encoding: .utf8)
        for (number, replica) in replicas.enumerated() {
            #expect(text.contains("server replica-\(number + 1):8080 "))
            text.replace("replica-\(number + 1):8080", with: "127.0.0.1:\(replica.port)")
        }
        let socket = folder.path("nginx.sock")
        text.replace("listen 8080;", with: "listen unix:\(socket);")
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path($0));"
        }
        text.replace("access_log off;", with: "access_log off;\n\(places.joined(separator: "\n"))")
        let file = folder.path("nginx.conf")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let nginx = try RunningProgram(
            ["-c", file, "-e", "stderr", "-g", "daemon off; master_process off; pid \(folder.path("pid"));"],
            executable: URL(fileURLWithPath: try #require(Self.nginx)))
        try await eventually("nginx listens") { (try? RawConnection(path: socket)) != nil }

        let opened = try await call("POST", "/sessions", socket, #"{"table":"incident","fields":["sys_id"]}"#)
        let session = try #require(opened.headers["Location"])
        let stream = try RawConnection(path: socket)
        try await stream.send("GET \(session)/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try await stream.readHead().status == 200)
        var link = session + "/next?after=0"
        var keys: [String] = []
        for page in 1...30 {
            if page == 10 { try await replicas[1].program.kill() }
            // A move that nginx had already given to the killed one is asked for again.
            var answer = try await call("POST", link, socket)
            let deadline = ContinuousClock.now + .seconds(60)
            while (502...504).contains(answer.status), ContinuousClock.now < deadline {
                answer = try await call("POST", link, socket)
            }
            try #require(answer.status == 200, "\(answer.text)")
            let members = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
            #expect(members["page"] as? Int == page)
            keys += (members["items"] as? [[String: Any]] ?? []).compactMap { $0["sys_id"] as? String }
            link = (members["links"] as? [String: String])?["next"] ?? ""
            // Each event is here before the next move is made, so nginx keeps none back.
            if page < 10 { _ = try await stream.read(upTo: "id: \(page)\n") }
        }
        #expect(link.isEmpty && keys.count == 600 && keys == keys.sorted() && Set(keys).count == 600)
        await stream.close()
        try await nginx.kill()
        await replicas[1].caller.close()
        #expect(try await service.close([replicas[0], replicas[2]]) == [0, 0])
    }

    private func call(
        _ method: String, _ target: String, _ socket: String, _ body: String = ""
    ) async throws -> RawConnection.RawResponse {
        let connection = try RawConnection(path: socket)
        let head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        try await connection.send("\(head)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        let response = try await connection.response()
        await connection.close()
        return response
    }
}
