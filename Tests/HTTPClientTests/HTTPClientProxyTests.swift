import HTTPModel
import Testing

@testable import HTTPClient

/// The environment of these tests names a proxy that refuses connections, and `localhost` as needing none.
@Suite("Which proxy an HTTPClient uses", .timeLimit(.minutes(10)))
struct HTTPClientProxyTests {
    private static let script: ScriptedServer.Script = { connection in
        while let request = connection.readRequest() {
            connection.answer(Array(request.split(separator: "\r\n")[0].utf8))
        }
    }

    @Test("The environment's, where so configured, except for the hosts it exempts")
    func environment() async throws {
        try await withServer(HTTPClientConfiguration(proxy: .environment), script: Self.script) { server, client in
            #expect(await client.kind(of: OutgoingRequest(url: server.url)) == .connectionFailed)
            #expect(server.accepted == 0)
            #expect(await client.text(of: "http://localhost:\(server.port)/") == "GET / HTTP/1.1")
        }
    }

    @Test("None, where so configured, whatever the environment says")
    func direct() async throws {
        try await withServer(HTTPClientConfiguration(proxy: .direct), script: Self.script) { server, client in
            #expect(await client.text(of: server.url + "/a") == "GET /a HTTP/1.1")
        }
    }

    @Test("A configured one, also for the hosts that the environment exempts")
    func configured() async throws {
        let proxy = ScriptedServer(Self.script)
        defer { proxy.stop() }
        try await withClient(HTTPClientConfiguration(proxy: .url(proxy.url))) { client, _ in
            #expect(await client.text(of: "http://localhost:9/a?b") == "GET http://localhost:9/a?b HTTP/1.1")
        }
    }

    @Test("A proxy that refuses a tunnel is a failed connection, and nothing of the request reaches it")
    func refusedTunnel() async throws {
        let proxy = ScriptedServer { connection in
            connection.readRequest()
            connection.write("HTTP/1.1 403 Forbidden\r\nX-Proxy: 1\r\nContent-Length: 0\r\n\r\n")
        }
        defer { proxy.stop() }
        try await withClient(HTTPClientConfiguration(proxy: .url(proxy.url))) { client, _ in
            let request = OutgoingRequest(url: "https://host.invalid/secret", headers: ["Authorization": "secret"])
            #expect(await client.kind(of: request) == .connectionFailed)
            #expect(proxy.requests.count == 1)
            #expect(proxy.requests[0].hasPrefix("CONNECT host.invalid:443 HTTP/1.1\r\n"))
            #expect(!proxy.requests[0].contains("secret"))
        }
    }

    @Test(
        "Errors about a proxy do not repeat its credentials",
        arguments: ["http://user:secret@127.0.0.1:1", "what://user:secret@127.0.0.1:1", "http://user:secret@:x"])
    func credentials(_ url: String) async throws {
        try await withClient(HTTPClientConfiguration(proxy: .url(url))) { client, _ in
            let error = await client.error(of: OutgoingRequest(url: "http://127.0.0.1:9/"))
            #expect(Kind(error) == .connectionFailed)
            #expect(!"\(error as Any)".contains("secret"))
        }
    }
}
