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
        Secret(in: SecretFile(state.withLock { $0.text } ?? "", setting: "instances.x.auth.key", access: access))
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

/// What a secret can be good for.
private enum SecretUse: Sendable {
    case token, key, basicPassword, clientSecret, grantPassword

    func credentials(_ secret: Secret) -> Credentials {
        switch self {
        case .token: .bearer(secret)
        case .key: .apiKey(secret)
        case .basicPassword: .basic(username: "reader", password: secret)
        case .clientSecret: .oauth(OAuthClient(id: "id", secret: secret, grant: .clientCredentials))
        case .grantPassword:
            .oauth(OAuthClient(id: "id", secret: Secret("s"), grant: .password(username: "u", password: secret)))
        }
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

    @Test(
        "What a file holds that is no secret is no failure of the instance: nothing is sent, and the setting is named",
        arguments: [
            (.token, "hunter2\r\nX-Evil: 1"), (.token, ""), (.key, "hunter2\u{7F}"), (.key, ""), (.basicPassword, ""),
            (.clientSecret, ""), (.grantPassword, ""),
        ] as [(SecretUse, String)])
    fileprivate func unusable(use: SecretUse, text: String) async throws {
        let file = MemoryFile("good")
        let secret = file.secret
        let instance = GrantingInstance()
        let transport = AnsweringTransport { request in
            request.url.hasSuffix(tokenPath) ? instance.answer(request) : .page(1, total: 1)
        }
        let time = ManualTime(skipsSleep: true)
        let gate = LocalGate(Restraint(requestsPerHour: 2), clock: time.clock)
        let service = TableService(
            instance: try Instance(url: "https://x.service-now.com", credentials: use.credentials(secret)),
            transport: transport, gate: gate, clock: time.clock)
        let source = try service.source(of: "incident")
        file.write(text)
        file.advance(milliseconds: 1000)
        for _ in 0..<10 {
            let error = await #expect(throws: PageSourceError.self) {
                try await source.fetch(PageRequest(offset: 0, limit: 1))
            }
            guard case .failed(nil, let reason) = error else {
                Issue.record("another problem")
                return
            }
            #expect(reason.contains("instances.x.auth.key") && !reason.contains("hunter2"))
        }
        #expect(transport.requests.isEmpty && time.slept.isEmpty && gate.current.passage == .ok)
        // And what was not asked for is still there to be asked for.
        file.write("better")
        file.advance(milliseconds: 1000)
        #expect(try await source.fetch(PageRequest(offset: 0, limit: 1)).rows.count == 1)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
