import HTTPModel
import Synchronization
import Testing

@testable import DemoInstance

@Suite("A script")
struct ScriptTests {
    private static let instance = Task { try await DemoInstance(incidents: 50) }
    private static let list = "/api/now/table/incident?sysparm_query=ORDERBYsys_id&sysparm_fields=sys_id"

    private func script(_ steps: Script.Step...) async throws -> Script {
        Script(steps, before: try await Self.instance.value) { _ in Issue.record("nothing was to be awaited") }
    }

    private func call(_ script: Script, _ target: String = list) async throws(TransportError) -> IncomingResponse {
        try await ResponderTransport(script).send(OutgoingRequest(url: "http://demo.example" + target))
    }

    private func keys(_ script: Script, offset: Int = 0, limit: Int = 50) async throws -> [String?] {
        try Client.rows(try await call(script, Self.list + "&sysparm_offset=\(offset)&sysparm_limit=\(limit)").body)
            .map { $0["sys_id"] }
    }

    @Test("takes its steps in order, remembers every request, and leaves the rest to what stands behind it")
    func order() async throws {
        let script = try await script(
            .answer(Response(status: 418, headers: ["X-A": "b"], body: .bytes([1, 2, 3]))), .passOn(),
            .made { request in Response(status: 200, body: .bytes(Array(request.head.target.utf8))) })
        let first = try await call(script, "/one")
        #expect(first.status == 418 && first.headers["X-A"] == "b" && first.body == [1, 2, 3])
        #expect(try await keys(script).count == 50)
        #expect(try await call(script, "/three").body == Array("/three".utf8))
        #expect(script.isOver)
        #expect(try await keys(script).count == 50)
        script.append(.answer(Response(status: 204)), .answer(Response(status: 205)))
        #expect(!script.isOver)
        #expect(try await call(script).status == 204)
        #expect(try await call(script).status == 205)
        #expect(script.requests.map(\.head.target).filter { !$0.hasPrefix("/api") } == ["/one", "/three"])
        #expect(script.requests.count == 6)
        #expect(script.requests.allSatisfy { $0.head.headers["Host"] == "demo.example" })
    }

    @Test("cuts a body at any place, with and without a length that was announced", arguments: Script.Framing.allCases)
    func cuts(framing: Script.Framing) async throws {
        let response = Response(status: 200, body: .pieces([[1, 2][...], [3]]))
        for count in 0...3 {
            let script = try await script(.cut(response, after: count, framing))
            let answer = await script.respond(to: Request(RequestHead(method: "GET", target: "/")))
            #expect(answer.headers["Content-Length"] == (framing == .length ? "3" : nil))
            guard case .stream(let produce) = answer.body else { throw TransportError.cancelled }
            let collector = BodyCollector()
            await #expect(throws: CutShort.self) { try await produce(collector) }
            #expect(await collector.bytes == Array([1, 2, 3].prefix(count)))
        }
    }

    @Test("changes a list between two requests")
    func changes() async throws {
        let script = try await script(.passOn(), .passOn(lacking: 1), .passOn(lacking: 1), .passOn())
        let all = try await keys(script)
        #expect(try await keys(script, offset: 20, limit: 5) == Array(all[21..<26]))
        #expect(try await call(script).headers["X-Total-Count"] == "49")
        #expect(try await call(script).headers["X-Total-Count"] == "50")
    }

    @Test("lets what stands behind it go wrong as faults do")
    func faults() async throws {
        let script = try await script(.fault(.drop), .fault(.empty(status: 202)), .fault(.noCount))
        await #expect(throws: TransportError.self) { try await call(script) }
        #expect(try await call(script).status == 202)
        let answer = try await call(script)
        #expect(answer.status == 200 && answer.headers["X-Total-Count"] == nil)
    }

    @Test("takes a step after a while")
    func delay() async throws {
        let waits = Mutex<[Duration]>([])
        let script = Script(
            [.delayed(.seconds(2), .delayed(.seconds(3), .answer(Response(status: 418))))],
            before: try await Self.instance.value
        ) { wait in waits.withLock { $0.append(wait) } }
        #expect(try await call(script).status == 418)
        #expect(waits.withLock { $0 } == [.seconds(2), .seconds(3)])
    }
}
