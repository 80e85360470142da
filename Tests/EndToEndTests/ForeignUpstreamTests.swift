import Foundation
import HTTPModel
import PaginatordTesting
import Testing

/// The service over an upstream that is not ours.
@Suite(.timeLimit(.minutes(10)))
struct ForeignUpstreamTests {
    /// 45 rows of fixed JSON over Python's own HTTP server. `mode` is `count` or `nocount`, or the path of a
    /// file that has to be there before it answers.
    private static let script = """
        import http.server, json, os, sys, time, urllib.parse
        mode = sys.argv[1]
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_GET(self):
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
                offset, limit = int(query["sysparm_offset"][0]), int(query["sysparm_limit"][0])
                while "/" in mode and not os.path.exists(mode): time.sleep(0.01)
                rows = [{"sys_id": "%032x" % i, "note": "caf\\u00e9 {]} \\"" + str(i)} for i in range(45)][offset:offset + limit]
                body = json.dumps({"result": rows}, indent=1).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                if mode != "nocount": self.send_header("X-Total-Count", "45")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print("listening on http://127.0.0.1:%d" % server.server_port, flush=True)
        server.serve_forever()
        """

    private func upstream(_ mode: String) throws -> RunningProgram {
        try RunningProgram(["python3", "-c", Self.script, mode], executable: URL(fileURLWithPath: "/usr/bin/env"))
    }

    private func service(over url: String, _ settings: [String: String] = [:]) throws -> RunningProgram {
        try RunningProgram(
            ["serve", "--listen", "127.0.0.1:0"],
            environment: ["PAGINATORD_INSTANCE_URL": url].merging(settings) { $1 })
    }

    @Test("A walk delivers every row exactly once, with and without a count", arguments: ["count", "nocount"])
    func walk(mode: String) async throws {
        let upstream = try upstream(mode)
        let program = try service(over: await upstream.listeningURL())
        let caller = try Caller(await program.listeningURL())
        let session = try await caller.open(#"{"table":"u_thing"}"#)
        var keys: [String] = []
        var sizes: [Int] = []
        var next: String? = session + "/next?after=0"
        while let target = next {
            let answer = try await caller.call("POST", target)
            try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            keys += answer.keys
            sizes.append(answer.keys.count)
            next = answer.link("next")
        }
        #expect(keys == (0..<45).map { String(repeating: "0", count: 30) + String(format: "%02x", $0) })
        // Without a count only an empty page shows the end.
        #expect(sizes == (mode == "count" ? [20, 20, 5] : [20, 20, 5, 0]))
        let last = try await caller.call("POST", session + "/last")
        #expect(last["page"] == 3 && last.keys.count == 5)
        await caller.close()
        #expect(try await program.stop() == 0)
        try await upstream.kill()
    }

    @Test("SIGTERM answers what is under way, refuses nothing halfway and ends with 0")
    func stop() async throws {
        let folder = try OwnFolder()
        let upstream = try upstream(folder.path("go"))
        let program = try service(over: await upstream.listeningURL(), ["PAGINATORD_SHUTDOWN_GRACE": "600"])
        let caller = try Caller(await program.listeningURL())
        let session = try await caller.open(#"{"table":"u_thing"}"#)
        async let moving = caller.call("POST", session + "/next")
        try await eventually("the upstream is asked") {
            let instances = try await caller.call("GET", "/instances")["instances", as: [[String: Any]].self]
            return instances?.first?["inFlight"] as? Int == 1
        }
        program.terminate()
        try await eventually("it stops") { program.standardError.contains("service-stopping") }
        try Data().write(to: URL(fileURLWithPath: folder.path("go")))
        let answer = try await moving
        #expect(answer.status == 200 && answer.keys.count == 20)
        #expect(try await program.exitStatus() == 0)
        await caller.close()
        try await upstream.kill()
    }

    @Test("An upstream that is not there is reported as such, then left alone, and the session stays as it was")
    func unreachable() async throws {
        let upstream = try upstream("count")
        let folder = try OwnFolder()
        let circuit = "{ instances: { default: { circuit: { open: '600s' } } } }"
        try circuit.write(toFile: folder.path("c.json5"), atomically: true, encoding: .utf8)
        let program = try service(
            over: await upstream.listeningURL(), ["PAGINATORD_CONFIG": folder.path("c.json5")])
        let caller = try Caller(await program.listeningURL())
        let session = try await caller.open(#"{"table":"u_thing"}"#)
        #expect(try await caller.call("POST", session + "/next").status == 200)
        try await upstream.kill()
        let answer = try await caller.call("POST", session + "/next?after=1")
        #expect(answer.status == 502)
        #expect(answer["type"] == "/problems/upstream-failed")
        let refused = try await caller.call("POST", session + "/next?after=1")
        #expect(refused.status == 503)
        #expect(refused["type"] == "/problems/upstream-unavailable")
        #expect(refused.headers["Retry-After"].flatMap { Int($0) }.map { 1...600 ~= $0 } == true)
        let instances = try await caller.call("GET", "/instances")["instances", as: [[String: Any]].self]
        #expect(instances?.first?["state"] as? String == "open")
        #expect(instances?.first?["inFlight"] as? Int == 0 && instances?.first?["queued"] as? Int == 0)
        let session2 = try await caller.call("GET", session)
        #expect(session2["position"] == 1 && session2["page"] == 1 && session2["isBusy"] == false)
        await caller.close()
        #expect(try await program.stop() == 0)
    }
}
