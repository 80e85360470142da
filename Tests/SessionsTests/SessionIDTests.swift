import Sessions
import Testing

@Suite struct SessionIDTests {
    @Test("A name reads back as it is written: 32 hexadecimal digits in lower case")
    func roundTrip() throws {
        for _ in 0..<1000 {
            let id = SessionID()
            let text = id.description
            #expect(text.utf8.count == 32)
            #expect(text.allSatisfy { "0123456789abcdef".contains($0) })
            #expect(SessionID(text) == id)
        }
    }

    @Test(
        "Every digit counts, in its place",
        arguments: [
            "00000000000000000000000000000000", "0123456789abcdeffedcba9876543210", "ffffffffffffffffffffffffffffffff",
            "80000000000000000000000000000001",
        ])
    func spelling(text: String) throws {
        #expect(try #require(SessionID(text)).description == text)
    }

    @Test(
        "There is no second spelling",
        arguments: [
            "", "0", "0123456789ABCDEFfedcba9876543210", "0123456789abcdeffedcba987654321",
            "00123456789abcdeffedcba9876543210",
            " 123456789abcdeffedcba9876543210", "0123456789abcdef-fedcba987654321", "g123456789abcdeffedcba9876543210",
            "0x23456789abcdeffedcba9876543210", "٠123456789abcdeffedcba987654321", "0123456789abcdeffedcba987654321/",
            "0123456789abcdeffedcba987654321:", "0123456789abcdeffedcba987654321`",
        ])
    func otherSpellings(text: String) {
        #expect(SessionID(text) == nil)
    }

    @Test("No two are alike")
    func unique() {
        #expect(Set((0..<10_000).map { _ in SessionID() }).count == 10_000)
    }
}
