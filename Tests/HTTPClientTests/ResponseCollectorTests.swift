import HTTPModel
import Testing

@testable import HTTPClient

@Suite("How an answer is put together", .timeLimit(.minutes(10)))
struct ResponseCollectorTests {
    private func collect(_ lines: [String], body: String = "", limit: Int = 100) -> (ResponseCollector, Bool) {
        var collector = ResponseCollector(maxBodyBytes: limit)
        var accepted = true
        for line in lines {
            accepted =
                accepted && Array((line + "\r\n").utf8).withUnsafeBufferPointer { collector.receiveHeaderLine($0) }
        }
        for byte in body.utf8 {
            accepted = accepted && [byte].withUnsafeBufferPointer { collector.receiveBody($0) }
        }
        return (collector, accepted)
    }

    @Test("Folded lines, lines without a name and trailers are left out")
    func oddLines() {
        let (collector, accepted) = collect([
            "HTTP/1.1 200 OK", "A: 1", " folded: x", "\tfolded: y", "nothing", ": no name", "B :2", "", "Trailer: 1",
        ])
        #expect(accepted)
        #expect(collector.response.headers == ["A": "1", "B": "2"])
    }

    @Test("The header is complete with the empty line of the final response")
    func completeness() {
        #expect(!collect([]).0.isHeaderComplete)
        #expect(!collect(["HTTP/1.1 200 OK", "A: 1"]).0.isHeaderComplete)
        #expect(!collect(["HTTP/1.1 100 Continue", ""]).0.isHeaderComplete)
        #expect(collect(["HTTP/1.1 100 Continue", "", "HTTP/1.1 204 X", ""]).0.isHeaderComplete)
    }

    @Test(
        "A status line without a status is refused",
        arguments: ["", "HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 099 X", "ICY 200 OK"])
    func malformed(_ line: String) {
        let (collector, accepted) = collect([line])
        #expect(!accepted)
        #expect(collector.refusal == .malformed)
    }

    @Test("Bytes of no UTF-8 in a value are replaced, not refused")
    func encoding() {
        var collector = ResponseCollector(maxBodyBytes: 0)
        for line in [Array("HTTP/1.1 200 \u{E9}\r\n".utf8), [0x41, 0x3A, 0xE9, 0x0D, 0x0A]] {
            #expect(line.withUnsafeBufferPointer { collector.receiveHeaderLine($0) })
        }
        #expect(collector.response.headers["A"] == "\u{FFFD}")
    }

    @Test("A refused body is not kept")
    func limit() {
        let (collector, accepted) = collect(["HTTP/1.1 200 OK", ""], body: "abcd", limit: 3)
        #expect(!accepted)
        #expect(collector.refusal == .bodyTooLarge)
        #expect(collector.response.body.isEmpty)
    }

    @Test("An enormous announced length makes no enormous reservation")
    func reservation() {
        let (collector, accepted) = collect(
            ["HTTP/1.1 200 OK", "Content-Length: 9000000000", ""], body: "a", limit: .max)
        #expect(accepted)
        #expect(collector.response.body.capacity < 8 << 20)
    }

    @Test("Announced lengths of no sense are not relied upon", arguments: ["-1", "x", "1, 1", "99999999999999999999"])
    func lengths(_ length: String) {
        let (collector, accepted) = collect(["HTTP/1.1 200 OK", "Content-Length: \(length)", ""], body: "abc")
        #expect(accepted)
        #expect(collector.response.body == Array("abc".utf8))
    }
}
