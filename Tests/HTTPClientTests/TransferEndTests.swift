import CCurl
import HTTPModel
import Testing

@testable import HTTPClient

@Suite("What error the end of a transfer is", .timeLimit(.minutes(10)))
struct TransferEndTests {
    private func kind(_ code: CURLcode, sent: Bool, received: Bool = false, header: Bool = false) -> Kind {
        Kind(TransferEnd(code: code, wasSent: sent, receivedBytes: received, isHeaderComplete: header).error)
    }

    @Test("Success is an answer only with a whole header")
    func success() {
        #expect(kind(CURLE_OK, sent: true, received: true, header: true) == .success)
        #expect(kind(CURLE_OK, sent: true, received: true) == .noResponse)
    }

    @Test(
        "No code of libcurl but success passes for an answer, in whatever phase",
        arguments: 1..<UInt32(CURL_LAST.rawValue))
    func closed(_ code: UInt32) {
        let code = CURLcode(rawValue: code)
        for (sent, received, header) in [
            (false, false, false), (true, false, false), (true, true, false), (true, true, true),
        ] {
            #expect(kind(code, sent: sent, received: received, header: header) != .success)
            #expect(kind(code, sent: sent, received: received, header: header) != .cancelled)
        }
    }

    @Test(
        "Ends of a connection are told apart by how far it came",
        arguments: [
            CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_WEIRD_SERVER_REPLY,
        ])
    func phases(_ code: CURLcode) {
        #expect(kind(code, sent: false) == .connectionFailed)
        #expect(kind(code, sent: true) == .noResponse)
        #expect(kind(code, sent: true, received: true) == .noResponse)
        #expect(kind(code, sent: true, received: true, header: true) == .bodyIncomplete)
    }

    @Test("Time is up")
    func timeout() {
        #expect(kind(CURLE_OPERATION_TIMEDOUT, sent: false) == .connectionFailed)
        #expect(kind(CURLE_OPERATION_TIMEDOUT, sent: true) == .timedOut(receivedBytes: false))
        #expect(kind(CURLE_OPERATION_TIMEDOUT, sent: true, received: true) == .timedOut(receivedBytes: true))
    }

    @Test(
        "What names no cause but TLS is a TLS failure",
        arguments: [
            CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
        ])
    func tls(_ code: CURLcode) {
        #expect(kind(code, sent: false) == .tlsFailed)
    }

    @Test("A refusal of ours outweighs the code")
    func refusals() {
        let end = TransferEnd(
            code: CURLE_WRITE_ERROR, wasSent: true, isHeaderComplete: true, refusal: .bodyTooLarge, maxBodyBytes: 7)
        #expect(end.error == .bodyTooLarge(limit: 7))
    }

    @Test("libcurl's words are passed on unless they may hold a query, credentials or a second line")
    func details() {
        func detail(_ text: String) -> TransportError? {
            TransferEnd(code: CURLE_COULDNT_CONNECT, text: text).error
        }
        #expect(detail("Failed to connect to host") == .connectionFailed("Failed to connect to host"))
        for text in ["", "a?secret", "user:secret@host", "a\nsecret", "a\u{7F}secret", "sécret"] {
            #expect(detail(text) == .connectionFailed("Couldn't connect to server"))
        }
    }
}
