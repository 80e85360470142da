internal import CCurl
internal import HTTPModel

/// What is known about a transfer that has ended, and what error that is.
struct TransferEnd {
    /// libcurl's result.
    var code: CURLcode
    /// Whether a connection stood and the request was being sent.
    var wasSent = false
    /// Whether any byte of an answer had come.
    var receivedBytes = false
    /// Whether the header of the final response had come whole.
    var isHeaderComplete = false
    /// The status in that header; 0 before it had come.
    var status = 0
    /// Why the transfer was ended by us, if it was.
    var refusal: ResponseCollector.Refusal?
    /// The limit that the request set.
    var maxBodyBytes = 0
    /// libcurl's own words about this failure.
    var text = ""

    /// The error, or `nil` where the answer is whole.
    var error: TransportError? {
        if let refusal { return error(of: refusal) }
        switch code {
        case CURLE_OK:
            // libcurl takes a connection that ends inside the header for an answer without a body.
            return isHeaderComplete ? nil : .noResponse("the connection ended inside the answer's header")
        case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
            return .invalidRequest("libcurl does not accept the URL")
        case CURLE_LOGIN_DENIED:
            return .invalidRequest("the URL holds credentials")
        case CURLE_UNSUPPORTED_PROTOCOL where !wasSent:
            return .invalidRequest("not an http or https URL")
        case _ where isAboutTLS:
            return .tlsFailed(detail)
        case CURLE_OPERATION_TIMEDOUT where wasSent:
            return .timedOut(receivedBytes: receivedBytes)
        case _ where !wasSent:
            return .connectionFailed(detail)
        case _ where isHeaderComplete:
            return .bodyIncomplete(summary, status: status)
        case CURLE_UNSUPPORTED_PROTOCOL:
            return .noResponse("the answer is not HTTP/1.1")
        default:
            return .noResponse(receivedBytes ? "the connection ended inside the answer's header" : summary)
        }
    }

    private func error(of refusal: ResponseCollector.Refusal) -> TransportError {
        switch refusal {
        case .bodyTooLarge: .bodyTooLarge(limit: maxBodyBytes)
        case .headerTooLarge:
            .noResponse("the answer's header is larger than \(ResponseCollector.maxHeaderBytes) bytes")
        case .malformed: .noResponse("the answer is not HTTP/1.1")
        }
    }

    private var isAboutTLS: Bool {
        switch code {
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_USE_SSL_FAILED:
            true
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            // In TLS 1.3 a server refuses a client's certificate only after the handshake, by an alert.
            !receivedBytes && text.contains("SSL") && text.contains("alert")
        default: false
        }
    }

    /// libcurl's words for this kind of failure: they hold nothing of the request.
    private var summary: String { String(cString: curl_easy_strerror(code)) }

    /// libcurl's words for this failure, which name host and port, where they cannot hold a query or credentials.
    private var detail: String {
        let isSafe = !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x3F && $0 != 0x40 }
        return isSafe ? text : summary
    }
}
