import HTTPModel
import TableAPI
import Testing

@testable import Gateway

struct AccessTokensTests {
    @Test("Each token is found among any number of others, and nothing else is", arguments: [0, 1, 2, 3, 64, 1000])
    func found(count: Int) throws {
        let names = (0..<count).map { "name-\($0)" }
        let tokens = try AccessTokens(Dictionary(uniqueKeysWithValues: names.map { ($0, "secret-0123456789-\($0)") }))
        #expect(tokens.isEmpty == (count == 0))
        for name in names { #expect(tokens.holder(of: bearer("secret-0123456789-\(name)"))?.name == name) }
        for other in ["", "secret-0123456789-", "secret-0123456789-name-\(count)", "SECRET-0123456789-name-0"] {
            #expect(tokens.holder(of: bearer(other)) == nil)
        }
    }

    @Test(
        "A token is taken from one header, as RFC 6750 writes it",
        arguments: [
            (["Bearer TOKEN"], true), (["bearer TOKEN"], true), (["BEARER   TOKEN"], true), (["BearerTOKEN"], false),
            (["Bearer\tTOKEN"], false), (["Bearer TOKEN "], false), (["Bearer TOKEN x"], false), (["TOKEN"], false),
            (["Bearer"], false), (["Bearer "], false), ([""], false), ([], false), (["Bearer \"TOKEN\""], false),
            (["Basic TOKEN"], false), (["Bearer token"], false), (["Bearer TOKEN,"], false), (["Bearer TOKE"], false),
            (["Bearer TOKENN"], false), (["Bearer TOKEN", "Bearer TOKEN"], false), (["Bearer é TOKEN"], false),
            (["Bearer TOKEN", "Basic x"], false), (["Béarer TOKEN"], false), (["Bearer TOKEN\u{301}"], false),
        ])
    func spellings(values: [String], isKnown: Bool) throws {
        let token = "K-0123456789abcdef"
        let tokens = try AccessTokens(["a": token])
        let headers = HeaderFields(values.map { .init("Authorization", $0.replacing("TOKEN", with: token)) })
        #expect((tokens.holder(of: headers) != nil) == isKnown)
    }

    @Test("A text that is equal to a token for Unicode only is not it")
    func equivalent() throws {
        // The Kelvin sign is canonically equivalent to the letter.
        #expect(try AccessTokens(["a": "K-0123456789abcdef"]).holder(of: bearer("\u{212A}-0123456789abcdef")) == nil)
    }

    @Test(
        "What cannot be a token is refused, and changes nothing",
        arguments: [
            ("", AccessTokenFault.tooShort), ("0123456789abcde", .tooShort), ("0123456789 abcdef", .unsendable),
            ("0123456789abcdef\n", .unsendable), ("0123456789abcdef\u{7F}", .unsendable),
            ("0123456789abcdeé", .unsendable), ("bob-0123456789abcdef", .sameAs("bob")),
        ])
    func faults(text: String, fault: AccessTokenFault) throws {
        var tokens = try AccessTokens(["alice": "alice-0123456789abcdef", "bob": "bob-0123456789abcdef"])
        #expect(throws: fault) { try tokens.set(Secret(text), for: "alice") }
        #expect(tokens.holder(of: bearer("alice-0123456789abcdef"))?.name == "alice")
        #expect(tokens.holder(of: bearer("bob-0123456789abcdef"))?.name == "bob")
        #expect(!fault.description.contains("0123456789abcd"))
    }

    @Test("Another secret for a name is the same holder, and the secret before is nobody’s")
    func rotated() throws {
        var tokens = try AccessTokens(["alice": "alice-0123456789abcdef"])
        let holder = try #require(tokens.holder(of: bearer("alice-0123456789abcdef")))
        try tokens.set(Secret("fresh-0123456789abcdef"), for: "alice")
        #expect(tokens.holder(of: bearer("fresh-0123456789abcdef")) === holder)
        #expect(tokens.holder(of: bearer("alice-0123456789abcdef")) == nil)
        try tokens.set(Secret("fresh-0123456789abcdef"), for: "alice")
        try tokens.set(Secret("alice-0123456789abcdef"), for: "bob")
        #expect(tokens.holder(of: bearer("alice-0123456789abcdef"))?.name == "bob")
    }

    @Test("No name’s sessions are those of everybody or of a caller with credentials of its own")
    func owners() throws {
        let forwarded = try #require(ForwardedAuthorization(["Authorization": "Bearer x"])).owner
        for name in ["default", forwarded, String(repeating: "0", count: 32)] {
            let owner = TokenHolder(name).owner
            #expect(owner != "" && owner != name && owner.utf8.contains(UInt8(ascii: ":")))
        }
        #expect(forwarded.utf8.count == 32 && !forwarded.utf8.contains(UInt8(ascii: ":")))
    }
}
