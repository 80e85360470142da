import Foundation
import DemoInstance
import HTTPModel
import PaginatordTesting
import Testing

/// Who is addressed.
@Suite(.timeLimit(.minutes(10))) struct HostCasesTests {
    @Test("1: A foreign Host is refused, and the refusal names the setting that would allow it")
    func foreignHost() async throws {
        try await Deployment.run { service in
            for host in [
                "evil.example", "evil.example:\(service.port)", "localhost.evil.example", "127.0.0.1.evil.example",
            ] {
                let raw = service.request("GET", "/sessions/x", host: host)
                let answer = try await service.expectRefusal(raw, 421, "host-not-allowed")
                #expect((answer.members["detail"] as? String)?.contains("access.hosts") == true)
                #expect(!answer.text.contains("evil"))
            }
        }
    }

    @Test("3: HTTP/1.1 without a Host is refused")
    func noHost() async throws {
        try await Deployment.run { service in
            try await service.expectRefusal(
                service.request("GET", "/livez", host: nil), 400, "malformed-request", closes: true)
            try await service.expectRefusal(
                service.request("GET", "/livez", host: ""), 400, "malformed-request", closes: true)
        }
    }

    @Test("4: Two Hosts are refused, whichever is ours, and the same one twice")
    func twoHosts() async throws {
        try await Deployment.run { service in
            let own = "localhost:\(service.port)"
            for (first, second) in [(own, "evil.example"), ("evil.example", own), (own, own)] {
                let raw = service.request("GET", "/livez", ["host: \(second)"], host: first)
                try await service.expectRefusal(raw, 400, "malformed-request", closes: true)
            }
        }
    }

    @Test("5: Blanks in front of a colon are refused")
    func blankBeforeColon() async throws {
        try await Deployment.run { service in
            for line in [
                "Host : localhost", "Host\t: localhost", "X : y", "Authorization : Bearer \(Deployment.token)",
            ] {
                try await service.expectRefusal(
                    service.request("GET", "/livez", [line], host: nil), 400, "malformed-request", closes: true)
            }
        }
    }

    @Test("7: Loopback names and addresses are accepted")
    func loopback() async throws {
        try await Deployment.run { service in
            for host in [
                "[::1]:\(service.port)", "127.0.0.1", "LOCALHOST", "a.localhost", "localhost.:1", "127.9.9.9:0",
            ] {
                let answer = try await service.call("GET", "/livez", token: nil, host: host)
                #expect(answer.status == 200, "\(host)")
            }
        }
    }

    @Test("8: An IP address is accepted as a Host, and a token needed all the same")
    func address() async throws {
        try await Deployment.run { service in
            for host in ["192.168.1.9:\(service.port)", "[2001:db8::1]"] {
                #expect(try await service.call("GET", "/sessions", host: host).status == 200)
                let raw = service.request("GET", "/sessions", token: nil, host: host)
                try await service.expectRefusal(raw, 401, "authentication-required")
            }
        }
    }

    @Test("9: The authority of an absolute target wins over Host, and has to be ours")
    func absoluteTarget() async throws {
        try await Deployment.run { service in
            let raw = service.request("GET", "http://evil.example/sessions/x")
            try await service.expectRefusal(raw, 421, "host-not-allowed")
            for target in ["http://localhost@evil.example/livez", "http:///livez", "http://:80/livez"] {
                try await service.expectRefusal(service.request("GET", target), 400, "malformed-request", closes: true)
            }
            for target in ["ftp://localhost/livez", "localhost:80", "*", "livez"] {
                try await service.expectRefusal(service.request("GET", target), 400, "malformed-request", closes: true)
            }
            #expect(try await service.call("GET", "http://localhost:\(service.port)/livez").status == 200)
        }
    }

    @Test("54: Over the Unix socket any Host will do, and a socket that a killed service left behind is replaced")
    func unixSocket() async throws {
        try await Deployment.run { service in
            for host in ["evil.example", "..", "", nil] {
                let raw = service.request("GET", "/sessions", host: host)
                let answer = try await service.answer(raw, overUnix: true)
                #expect(answer.status == 200, "\(host ?? "none")")
            }
            let two = service.request("GET", "/sessions", ["Host: a"], host: "b")
            #expect(try await service.answer(two, overUnix: true).status == 400)
            let attributes = try FileManager.default.attributesOfItem(atPath: service.socket)
            #expect((attributes[.posixPermissions] as? Int) == 0o660)

            let path = service.socket + "-2"
            for isKilled in [true, false] {
                let program = try RunningProgram(["serve", "--demo", "--listen", "unix:\(path)"])
                _ = try await program.listeningURL()
                let peer = try RawConnection(path: path)
                try await peer.send("GET /livez HTTP/1.1\r\n\r\n")
                #expect(try await peer.response().status == 200)
                if isKilled {
                    try await program.kill()
                    #expect(FileManager.default.fileExists(atPath: path))
                } else {
                    #expect(try await program.stop() == 0)
                    #expect(!FileManager.default.fileExists(atPath: path))
                }
            }
        }
    }
}
