import DemoInstance
import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

/// What an instance may answer, generated.
@Suite(.timeLimit(.minutes(10))) struct GeneratedAnswersTests {
    @Test("Whatever becomes of an answer's bytes, it is a page or a problem of a known kind, and only a page moves")
    func mutatedAnswers() async throws {
        let sound =
            Array(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Total-Count: 1\r\nContent-Length: 34\r\nX-A: b\r\n\r\n"
                    .utf8) + Array(#"{"result":[{"sys_id":"0","a":[]}]}"#.utf8)
        var numbers = SeededGenerator(seed: 7)
        let answers = (0..<220).map { _ in
            var bytes = sound
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                let byte = numbers.one(of: Array("\r\n\t :0159axX{}[]\",\\\u{1}\u{7F}".utf8))
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: bytes[place] = byte
                case 1: bytes.remove(at: place)
                case 2: bytes.removeLast(min(place, bytes.count - 1) / 4)
                default: bytes.insert(byte, at: place)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        let instance = try RawInstance(start: answers.joined(separator: "\u{1E}"), repeated: "")
        defer { instance.kill() }
        let restraint = #"retries: 0, timeout: "2s", deadline: "3s", circuit: { failures: 0 }"#
        try await Deployment.run(restraint: restraint, url: instance.url) { service in
            for number in answers.indices {
                let session = try await service.open(#","readAhead":0,"query":"a=\#(number)""#)
                let answer = try await service.call("POST", session + "/next")
                let known = answer.status == 200 || answer.problem == "query-rejected"
                #expect(known || answer.problem?.hasPrefix("upstream-") == true, "\(number): \(answer.text)")
                #expect(answer.headers["X-A"] == nil)
                #expect(try await service.position(of: session) == (answer.status == 200 ? 1 : 0))
            }
        }
    }

    @Test("Wherever a page is cut, it is none, and moves nothing")
    func cutPages() async throws {
        let page = Array(#"{"result":[{"sys_id":"0","a":{"display_value":"\u00e9","value":[1.5e3,true,null]}}]} "#.utf8)
        try await Deployment.run(restraint: "retries: 0, circuit: { failures: 0 }") { service in
            let session = try await service.open()
            var numbers = SeededGenerator(seed: 7)
            for count in 0..<page.count - 1 {
                let body = Array(page.prefix(count))
                let filler = numbers.text(of: " \n\t", 0...9)
                let html = "<\(numbers.text(of: visible, 0...99))"
                let whole = Response(status: 200, headers: ["Content-Type": "application/json"], body: .bytes(page))
                service.instance.append(
                    .answer(Response(status: 200, body: .bytes(Array(filler.utf8) + body))),
                    .cut(whole, after: count, numbers.one(of: [.chunks, .length])),
                    .answer(Response(status: 200, body: .bytes(Array((filler + html).utf8)))))
                for problems in [
                    ["upstream-incomplete", "upstream-not-json"], ["upstream-incomplete"], ["upstream-not-json"],
                ] {
                    let answer = try await service.call("POST", session + "/next")
                    #expect(answer.status == 502 && problems.contains(answer.problem ?? ""), "\(count): \(answer.text)")
                }
            }
            #expect(try await service.position(of: session) == 0)
        }
    }

    @Test("Wherever an instance points to, nobody is asked but itself, and nothing moves")
    func redirects() async throws {
        let other = Witness()
        try await serving(other) { listener in
            try await Deployment.run(restraint: "retries: 0, circuit: { failures: 0 }") { service in
                let session = try await service.open()
                var numbers = SeededGenerator(seed: 7)
                let own = "http://127.0.0.1:\(service.port)"
                for number in 1...220 {
                    let place = numbers.one(of: [
                        listener.description, own, "", "//evil.example", "HTTP://localhost", "file://",
                    ])
                    let location = place + "/" + numbers.text(of: "abc/.?#%@:;&=", 0...30)
                    let status = numbers.one(of: [300, 301, 302, 303, 305, 307, 308])
                    service.instance.append(.answer(Response(status: status, headers: ["Location": location])))
                    let answer = try await service.call("POST", session + "/next")
                    #expect(answer.status == 502 && answer.problem == "upstream-failed", "\(location): \(answer.text)")
                    #expect(service.instance.requests.count == number)
                }
                #expect(try await service.position(of: session) == 0)
            }
        }
        #expect(other.heads.isEmpty)
    }
}
