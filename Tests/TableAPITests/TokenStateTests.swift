import Pagination
import Testing

@testable import TableAPI

@Suite struct TokenStateTests {
    private func grant(_ token: String, lifetime: Int?, refresh: String? = nil) -> TokenGrant {
        TokenGrant(token: Secret(token), lifetime: lifetime, refreshToken: refresh.map { Secret($0) })
    }

    private func state(_ lifetime: Int?, refresh: String? = nil, start: Int = 1000) -> TokenState {
        var state = TokenState()
        state.complete(.success(grant("a", lifetime: lifetime, refresh: refresh)), start: start, now: start)
        return state
    }

    private func expectRefusal(of token: Secret, now: Int, is expected: Bool, _ state: inout TokenState) {
        let mayBeAnother = state.refuse(token, now: now)
        #expect(mayBeAnother == expected)
    }

    private let failure = PageSourceError.unavailable(nil, retryAfter: nil)

    @Test(
        "A token is renewed a tenth of its life, and a minute at most, before its end",
        arguments: [(1800, 1740), (100, 90), (10, 9), (2, 2), (1, 1), (86_400, 86_340), (Int.max, (1 << 40) - 60)])
    func renewal(lifetime: Int, usable: Int) {
        let state = state(lifetime)
        #expect(state.action(now: 1000 + usable - 1) == .use(Secret("a")))
        guard case .renew = state.action(now: 1000 + usable) else {
            Issue.record("not renewed")
            return
        }
    }

    @Test("While a token is being renewed before its end the old one will do, and afterwards it won't")
    func meanwhile() {
        let state = state(100, refresh: "r")
        #expect(state.action(now: 1099) == .renew(refreshToken: Secret("r"), meanwhile: Secret("a")))
        #expect(state.action(now: 1100) == .renew(refreshToken: Secret("r"), meanwhile: nil))
    }

    @Test("A token of unknown lifetime is used until it is refused")
    func unknownLifetime() {
        var state = state(nil)
        #expect(state.action(now: 1 << 40) == .use(Secret("a")))
        expectRefusal(of: Secret("a"), now: 2000, is: true, &state)
        #expect(state.action(now: 2000) == .renew(refreshToken: nil, meanwhile: nil))
    }

    @Test("After a failure the endpoint is left in peace, longer each time and half a minute at most")
    func pauses() {
        var state = TokenState()
        var now = 1000
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            #expect(state.action(now: now) == .renew(refreshToken: nil, meanwhile: nil))
            state.complete(.failure(failure), start: now, now: now)
            #expect(state.action(now: now) == .fail(failure))
            #expect(state.action(now: now + pause - 1) == .fail(failure))
            now += pause
        }
        state.complete(.success(grant("a", lifetime: 100)), start: now, now: now)
        #expect(state.action(now: now) == .use(Secret("a")))
        state.complete(.failure(failure), start: now + 100, now: now + 100)
        #expect(state.action(now: now + 101) == .renew(refreshToken: nil, meanwhile: nil))
    }

    @Test("A clock that is put back does not prolong the pause")
    func clockPutBack() {
        var state = TokenState()
        state.complete(.failure(failure), start: 1000, now: 1000)
        #expect(state.action(now: 10) == .renew(refreshToken: nil, meanwhile: nil))
    }

    @Test("A renewal that fails before the token's end leaves it in use until then")
    func failsEarly() {
        var state = state(100)
        state.complete(.failure(failure), start: 1090, now: 1090)
        #expect(state.action(now: 1090) == .use(Secret("a")))
        state.complete(.failure(failure), start: 1099, now: 1099)
        #expect(state.action(now: 1100) == .fail(failure))
    }

    @Test("A caller that gave up is no failure")
    func cancelled() {
        var state = TokenState()
        state.complete(.failure(.stopping), start: 1000, now: 1000)
        #expect(state.action(now: 1000) == .renew(refreshToken: nil, meanwhile: nil))
    }

    @Test("A token is taken back once, whoever brings the news; a newer one stays")
    func refusals() {
        var state = state(100)
        expectRefusal(of: Secret("a"), now: 1000, is: true, &state)
        expectRefusal(of: Secret("a"), now: 1000, is: true, &state)
        state.complete(.success(grant("b", lifetime: 100)), start: 1000, now: 1000)
        expectRefusal(of: Secret("a"), now: 1000, is: true, &state)
        #expect(state.action(now: 1000) == .use(Secret("b")))
    }

    @Test("A token that replaced a refused one and is refused at once is not replaced again within a second")
    func refusedAgain() {
        var state = state(100)
        expectRefusal(of: Secret("a"), now: 1000, is: true, &state)
        state.complete(.success(grant("b", lifetime: 100)), start: 1000, now: 1000)
        expectRefusal(of: Secret("b"), now: 1000, is: false, &state)
        #expect(state.action(now: 1000) == .use(Secret("b")))
        expectRefusal(of: Secret("b"), now: 1001, is: true, &state)
        #expect(state.action(now: 1001) == .renew(refreshToken: nil, meanwhile: nil))
    }
}
