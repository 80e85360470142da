import Foundation
import Glibc
import HTTPModel
import DemoInstance
import PaginatordTesting
import Testing

/// Peers that take their time, and a service that stops.
@Suite(.timeLimit(.minutes(10))) struct DeadlineCasesTests {
    @Test(
        "39: A head that drips is cut, from the first byte of a connection on",
        arguments: ["", "GET /livez HTTP/1.1\r\nX: "])
    func slowHead(begin: String) async throws {
        try await Deployment.run(limits: ["headTimeout": "'1s'"]) { service in
            let peer = try service.connect()
            if !begin.isEmpty { try await peer.send(begin) }
            #expect(try await peer.isCut(sending: "x"))
            #expect(try await peer.readToEnd() == [])
        }
    }

    @Test("Wherever a head or a body stops, or drips on, it is cut, and it moves nothing", arguments: [true, false])
    func stops(drips: Bool) async throws {
        try await Deployment.run(limits: ["headTimeout": "'1s'", "bodyTimeout": "'1s'"]) { service in
            let session = try await service.open()
            var numbers = SeededGenerator(seed: 7)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    let length = Int.random(in: 50_000...1_000_000, using: &numbers)
                    let framing = numbers.one(of: ["Content-Length: \(length)", "Transfer-Encoding: chunked"])
                    let head = service.request("POST", session + "/next", [framing])
                    let body = (framing.hasSuffix("d") ? "ffff\r\n" : "") + numbers.text(of: "xyz\r\n", 0...9999)
                    let place = Int.random(in: 0...head.utf8.count - 5, using: &numbers)
                    let start = numbers.one(of: [head + body, String(decoding: head.utf8.prefix(place), as: UTF8.self)])
                    group.addTask {
                        let peer = try service.connect()
                        // A stall of this machine may be all the time there was.
                        try? await peer.send(start)
                        if drips { #expect(try await peer.isCut(sending: "x")) }
                        let answer = String(decoding: try await peer.readToEnd(), as: UTF8.self)
                        // What has been made of it by the drops may be wrong besides.
                        #expect(answer.isEmpty || (drips && answer.hasPrefix("HTTP/1.1 4")), "\(start): \(answer)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await service.position(of: session) == 0)
            #expect(service.instance.requests.isEmpty)
        }
    }

    @Test("40: A body that drips, and one that never ends, are cut", arguments: [true, false])
    func slowBody(drips: Bool) async throws {
        try await Deployment.run(limits: ["bodyTimeout": "'1s'"]) { service in
            let session = try await service.open()
            let peer = try service.connect()
            try await peer.send(service.request("POST", session + "/next", ["Content-Length: 100000"]) + "x")
            if drips { #expect(try await peer.isCut(sending: "x")) }
            #expect(try await peer.readToEnd() == [])
            #expect(try await service.position(of: session) == 0)
        }
    }

    @Test("41: A stream whose reader takes a byte now and then is cut, and others are served meanwhile")
    func slowReader() async throws {
        try await Deployment.run(limits: ["stallTimeout": "'1s'"], incidents: 20_000) { service in
            let session = try await service.open()
            let peer = try RawConnection(port: service.port, receiveBuffer: 4 << 10)
            try await peer.send(service.request("GET", session + "/records"))
            #expect(try await peer.readHead().status == 200)
            try await eventually("the stream is over for the service") {
                // There may be nothing more to take before the log has it.
                try? await peer.takeByte()
                #expect(try await service.call("GET", "/livez").status == 200)
                try await Task.sleep(for: .milliseconds(100))
                return service.program.standardError.contains("/records")
            }
            let rest = String(decoding: try await peer.readToEnd(), as: UTF8.self)
            #expect(!rest.hasSuffix("\r\n0\r\n\r\n"))
            let asked = service.instance.requests.count
            #expect(asked < 20_000 / 1000)
        }
    }

    @Test("42: Connections beyond the limit are closed at once, and the admin listener answers all the while")
    func tooManyConnections() async throws {
        let settings = #"admin: { listen: "127.0.0.1:0" },"#
        try await Deployment.run(settings, limits: ["connections": "20"]) { service in
            let admin = try #require(service.adminPort)
            func health(_ target: String) async throws -> Int {
                let peer = try RawConnection(port: admin)
                try await peer.send(
                    service.request("GET", target, token: target == "/sessions" ? Deployment.token : nil))
                let status = try await peer.response().status
                await peer.close()
                return status
            }
            let idle = try (0..<70).map { _ in try service.connect() }
            var closed = 0
            for peer in idle[20...] where try await peer.readToEnd() == [] { closed += 1 }
            #expect(closed == 50)
            for target in ["/livez", "/readyz"] { #expect(try await health(target) == 200) }
            #expect(try await health("/sessions") == 404)
            await idle[0].close()
            // There is room again, and health is not on this listener.
            try await eventually("an answer") {
                guard let peer = try? service.connect() else { return false }
                try? await peer.send(service.request("GET", "/livez"))
                return await (try? peer.response())?.status == 404
            }
            // The admin listener has room of its own, and it, too, has an end.
            let others = try (0..<80).map { _ in try RawConnection(port: admin) }
            #expect(try await others[79].readToEnd() == [])
            for peer in idle + others { await peer.close() }
        }
    }

    @Test("55: Told to stop, it answers or ends what is under way, and ends in order within the grace")
    func stop() async throws {
        try await Deployment.run(#"shutdownGrace: "3s","#) { service in
            let gate = Gate()
            defer { gate.open() }
            let held = try await service.open()
            for _ in 0..<200 {
                service.instance.append(
                    .made { _ in
                        await gate.wait(); return Response(status: 503)
                    })
            }
            let streams = try (0..<50).map { _ in try service.connect() }
            for peer in streams {
                try await peer.send(service.request("GET", held + "/events"))
                #expect(try await peer.readHead().status == 200)
            }
            var waiting: [RawConnection] = []
            for number in 0..<100 {
                // Each with a page of its own, or they would share one request.
                let session = try await service.open(#","query":"priority=\#(number)""#)
                let peer = try service.connect()
                try await peer.send(service.request("POST", session + "/next"))
                waiting.append(peer)
            }
            try await eventually("requests at the instance") { service.instance.requests.count >= 8 }
            service.program.terminate()
            #expect(try await service.program.exitStatus() == 0)
            for peer in waiting {
                let end = String(decoding: try await peer.readToEnd(), as: UTF8.self)
                #expect(end.isEmpty || end.hasPrefix("HTTP/1.1 5"), "\(end)")
            }
            for peer in streams { _ = try await peer.readToEnd() }
        }
    }
}
