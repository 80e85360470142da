import Pagination
import SimdJSON
import Testing

@testable import TableAPI

@Suite struct RowsDigestTests {
    private func digest(_ rows: String) -> RowsDigest? {
        guard case .rows(_, let identity) = PageBody.read(Array("{\"result\":[\(rows)]}".utf8), withIdentity: true)
        else {
            Issue.record("refused: \(rows)")
            return nil
        }
        return identity.map { RowsDigest(of: $0) }
    }

    @Test(
        "Rows with the same keys have the same digest, whatever else they hold",
        arguments: [
            (#"{"sys_id":"a"},{"sys_id":"b"}"#, #"{"sys_id":"a","n":1},{"n":{"sys_id":"c"},"sys_id":"b"}"#),
            (#"{"sys_id":"a"}"#, #" { "sys_\u0069d" : "\u0061" } "#),
            (#"{"sys_id":"a"}"#, #"{"sys_id":{"display_value":"A","value":"a"}}"#),
            (#"{"n":1},{}"#, #"{"n":1} , {}"#),
            (#"{"sys_id":null}"#, #"{"sys_id":null}"#),
        ])
    func same(left: String, right: String) {
        #expect(digest(left) != nil)
        #expect(digest(left) == digest(right))
    }

    @Test(
        "Other rows have another digest",
        arguments: [
            (#"{"sys_id":"a"}"#, #"{"sys_id":"b"}"#),
            (#"{"sys_id":"a"},{"sys_id":"b"}"#, #"{"sys_id":"b"},{"sys_id":"a"}"#),
            (#"{"sys_id":"a"},{"sys_id":"b"}"#, #"{"sys_id":"ab"}"#),
            (#"{"n":1}"#, #"{"n":2}"#),
            (#"{}"#, #"{},{}"#),
            (#"{"sys_id":null,"n":1}"#, #"{"sys_id":null,"n":2}"#),
            (#"{"sys_id":"","n":1}"#, #"{"sys_id":"","n":2}"#),
            (#"{"sys_id":7,"n":1}"#, #"{"sys_id":7,"n":2}"#),
        ])
    func different(left: String, right: String) {
        #expect(digest(left) != digest(right))
    }

    @Test("No rows have no digest")
    func absent() {
        #expect(digest("") == nil)
    }

    @Test(
        "SipHash-2-4-128 gives what its reference and OpenSSL give",
        arguments: [
            (0, "A3817F04BA25A8E66DF67214C7550293"), (1, "DA87C1D86B99AF44347659119B22FC45"),
            (15, "5493E99933B0A8117E08EC0F97CFC3D9"), (16, "6EE2A4CA67B054BBFD3315BF85230577"),
            (63, "5150D1772F50834A503E069A973FBD7C"),
        ] as [(UInt8, String)])
    func published(length: UInt8, expected: String) {
        let digest = SipHash.digest(Array(0..<length))
        let bytes = [digest.first, digest.second].flatMap { word in (0..<8).map { UInt8(word >> ($0 * 8) & 255) } }
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        #expect(digits.joined() == expected)
    }
}
