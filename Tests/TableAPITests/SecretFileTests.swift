import HTTPModel
import Pagination
import Synchronization
import Testing

@testable import TableAPI

/// A file in memory, and a clock that a test moves.
private final class MemoryFile: Sendable {
    struct State {
        var text: String?
        var version = 1
        var uptime = Duration.zero
        var looks = 0
        var reads = 0
    }

    private let state: Mutex<State>

    init(_ text: String) {
        state = Mutex(State(text: text))
    }

    var looks: Int { state.withLock { $0.looks } }
    var reads: Int { state.withLock { $0.reads } }

    var secret: Secret {
        Secret(in: SecretFile(state.withLock { $0.text } ?? "", access: access))
    }

    func write(_ text: String?, changingVersion: Bool = true) {
        state.withLock {
            $0.text = text
            if changingVersion { $0.version += 1 }
        }
    }

    func advance(milliseconds: Int) {
        state.withLock { $0.uptime += .milliseconds(milliseconds) }
    }

    private var access: SecretFile.Access {
        SecretFile.Access(
            version: {
                self.state.withLock { state in
                    state.looks += 1
                    return state.text == nil ? nil : SecretFile.Version([state.version])
                }
            },
            text: {
                self.state.withLock { state in
                    state.reads += 1
                    return state.text
                }
            },
            uptime: { self.state.withLock { $0.uptime } })
    }
}

@Suite struct SecretFileTests {
    @Test("A changed file is read again, and looked at once a second at most")
    func changes() {
        let file = MemoryFile("one")
        let secret = file.secret
        file.advance(milliseconds: 1000)
        #expect(secret.revealed == "one")
        let looks = file.looks
        file.write("two")
        file.advance(milliseconds: 999)
        for _ in 0..<100 { #expect(secret.revealed == "one") }
        #expect(file.looks == looks)
        file.advance(milliseconds: 1)
        for _ in 0..<100 { #expect(secret.revealed == "two") }
        #expect(file.looks == looks + 1)
    }

    @Test("A file that has not changed is not read again")
    func unchanged() {
        let file = MemoryFile("one")
        let secret = file.secret
        file.advance(milliseconds: 1000)
        #expect(secret.revealed == "one")
        let reads = file.reads
        for _ in 0..<10 {
            file.advance(milliseconds: 1000)
            #expect(secret.revealed == "one")
        }
        #expect(file.reads == reads)
    }

    @Test("While the file is away, the last secret stands")
    func away() {
        let file = MemoryFile("one")
        let secret = file.secret
        file.write(nil)
        file.advance(milliseconds: 5000)
        #expect(secret.revealed == "one")
        file.write("two")
        file.advance(milliseconds: 1000)
        #expect(secret.revealed == "two")
    }

    @Test(
        "A refused secret is read again at once, and another attempt is made only if it is another one",
        arguments: [(true, 2), (false, 1)])
    func refused(isReplaced: Bool, attempts: Int) async throws {
        let file = MemoryFile("old")
        let secret = file.secret
        let transport = AnsweringTransport { request in
            request.headers["Authorization"] == "Bearer new" ? .page(1, total: 1) : .refused
        }
        let service = TableService(
            instance: try Instance(url: "https://x.service-now.com", credentials: .bearer(secret)),
            transport: transport)
        if isReplaced { file.write("new", changingVersion: false) }
        let result = await Result { () async throws in
            try await service.source(of: "incident").fetch(PageRequest(offset: 40, limit: 20))
        }
        #expect(transport.requests.count == attempts)
        #expect(Set(transport.requests.map(\.url)).count == 1)
        switch result {
        case .success(let page): #expect(isReplaced && page.rows.count == 1)
        case .failure(let error):
            guard case .unauthenticated? = error as? PageSourceError else {
                Issue.record("\(error)")
                return
            }
            #expect(!isReplaced)
        }
    }

    @Test("What no header can carry is not sent, and not told")
    func unsendable() async throws {
        let file = MemoryFile("good")
        let secret = file.secret
        let transport = AnsweringTransport { _ in .page(1, total: 1) }
        let service = TableService(
            instance: try Instance(url: "https://x.service-now.com", credentials: .apiKey(secret)),
            transport: transport)
        file.write("hunter2\r\nX-Evil: 1")
        file.advance(milliseconds: 1000)
        let error = await #expect(throws: PageSourceError.self) {
            try await service.source(of: "incident").fetch(PageRequest(offset: 0, limit: 1))
        }
        #expect(transport.requests.isEmpty)
        #expect(!"\(error as Any)".contains("hunter2"))
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
