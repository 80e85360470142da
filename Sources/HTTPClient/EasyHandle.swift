internal import CCurl
internal import HTTPModel

/// An easy handle of libcurl, used for one transfer after the other.
///
/// What all requests share is set once; a request sets little more than its URL. Every method is called on the loop of
/// its owner. libcurl holds pointers to this object until `deinit` frees the handle.
final class EasyHandle {
    /// libcurl's handle.
    let raw: UnsafeMutableRawPointer
    /// What is being transferred.
    private(set) var transfer: Transfer?
    private var collector = ResponseCollector(maxBodyBytes: 0)
    private var verb: Verb?
    private var headers: HeaderFields?
    private var list = HeaderList()
    private let errorText: UnsafeMutablePointer<CChar>
    private let connectTimeout: Duration

    /// How libcurl is told the method: what it takes for granted about a body depends on it.
    private enum Verb: Equatable {
        case get
        case head
        case withoutBody(String)
        case withBody(String)
    }

    /// Makes a handle with all that does not change between requests.
    ///
    /// - Parameter context: the multi handle's context for the socket callbacks.
    /// - Throws: `TransportError.connectionFailed` where libcurl refuses an option.
    init(_ configuration: HTTPClientConfiguration, context: UnsafeMutableRawPointer) throws(TransportError) {
        guard let raw = curl_easy_init() else { throw .connectionFailed("libcurl is out of memory") }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        connectTimeout = configuration.connectTimeout
        var options = EasyOptions(raw)
        options.setProtocol()
        options.setSockets(context)
        options.set(configuration)
        options.setReceivers(Unmanaged.passUnretained(self).toOpaque(), errorText: errorText)
        guard options.failure == CURLE_OK else {
            throw .connectionFailed(String(cString: curl_easy_strerror(options.failure)))
        }
    }

    deinit {
        curl_easy_cleanup(raw)
        errorText.deallocate()
    }

    /// The object of a handle of libcurl. Safe because every handle that is in a multi handle is one of these, and the
    /// owner keeps it as long as it is there.
    static func behind(_ raw: UnsafeMutableRawPointer) -> EasyHandle? {
        var pointer: UnsafeMutableRawPointer?
        ccurl_get_private(raw, &pointer)
        return pointer.map(at)
    }

    /// The object behind a context pointer. Safe because libcurl calls back only while the handle is in a multi
    /// handle, and the owner keeps the object as long as it is there.
    static func at(_ context: UnsafeMutableRawPointer) -> EasyHandle {
        Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: One transfer

    /// Prepares for a request that `OutgoingRequest.check` has let pass.
    ///
    /// - Throws: `TransportError.invalidRequest` where libcurl refuses it.
    func prepare(_ transfer: Transfer) throws(TransportError) {
        let request = transfer.request
        collector = ResponseCollector(maxBodyBytes: request.maxBodyBytes)
        errorText.pointee = 0
        let hasBody = !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method)
        var options = EasyOptions(raw)
        options.set(CURLOPT_URL, request.url)
        // A limit of 1 ms libcurl (7.88) heeds only after 200.
        options.set(CURLOPT_TIMEOUT_MS, max(2, milliseconds(request.timeout)))
        setVerb(request.method, hasBody: hasBody, in: &options)
        if hasBody {
            options.note(request.body.withUnsafeBytes { ccurl_set_body(raw, $0.baseAddress, $0.count) })
        }
        setHeaders(request.headers, hasBody: hasBody, in: &options)
        guard options.failure == CURLE_OK else {
            throw .invalidRequest(String(cString: curl_easy_strerror(options.failure)))
        }
        self.transfer = transfer
    }

    /// Ends the transfer, which libcurl no longer has, and makes room for the next.
    ///
    /// - Parameter code: libcurl's result.
    func finish(_ code: CURLcode) -> Result<IncomingResponse, TransportError> {
        let error = end(code).error
        let response = collector.response
        clear()
        return error.map { .failure($0) } ?? .success(response)
    }

    /// Forgets the transfer and what came of it, which libcurl no longer has.
    func clear() {
        transfer = nil
        collector = ResponseCollector(maxBodyBytes: 0)
        if case .withBody = verb {
            // Frees libcurl's copy, which may hold credentials.
            ccurl_set_pointer(raw, CURLOPT_POSTFIELDS, nil)
            verb = nil
        }
    }

    /// Takes a header line. Called by libcurl.
    func receiveHeaderLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        collector.receiveHeaderLine(line)
    }

    /// Takes a piece of the body. Called by libcurl.
    func receiveBody(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        collector.receiveBody(piece)
    }

    private func end(_ code: CURLcode) -> TransferEnd {
        // A whole answer needs no further question.
        guard code != CURLE_OK else { return TransferEnd(code: code, isHeaderComplete: collector.isHeaderComplete) }
        return TransferEnd(
            code: code, wasSent: time(CURLINFO_PRETRANSFER_TIME_T) > 0,
            receivedBytes: collector.hasReceived || time(CURLINFO_STARTTRANSFER_TIME_T) > 0,
            isHeaderComplete: collector.isHeaderComplete, status: collector.response.status, refusal: collector.refusal,
            maxBodyBytes: transfer?.request.maxBodyBytes ?? 0, text: String(cString: errorText))
    }

    private func time(_ information: CURLINFO) -> curl_off_t {
        var microseconds: curl_off_t = 0
        ccurl_get_offset(raw, information, &microseconds)
        return microseconds
    }

    private func setVerb(_ method: String, hasBody: Bool, in options: inout EasyOptions) {
        let verb: Verb =
            switch method {
            case "GET" where !hasBody: .get
            case "HEAD" where !hasBody: .head
            default: hasBody ? .withBody(method) : .withoutBody(method)
            }
        guard verb != self.verb else { return }
        self.verb = verb
        switch verb {
        case .get:
            options.set(CURLOPT_HTTPGET, 1)
            options.set(CURLOPT_CUSTOMREQUEST, nil)
        case .head:
            options.set(CURLOPT_NOBODY, 1)
            options.set(CURLOPT_CUSTOMREQUEST, nil)
        case .withoutBody(let method):
            options.set(CURLOPT_HTTPGET, 1)
            options.set(CURLOPT_CUSTOMREQUEST, method)
        case .withBody(let method):
            options.set(CURLOPT_POST, 1)
            options.set(CURLOPT_CUSTOMREQUEST, method == "POST" ? nil : method)
        }
    }

    /// Sets the header lines, unless they are those of the request before, as they commonly are.
    private func setHeaders(_ headers: HeaderFields, hasBody: Bool, in options: inout EasyOptions) {
        guard hasBody || headers != self.headers else { return }
        var list = HeaderList()
        for field in headers.fields { list.append(field) }
        if hasBody {
            // What libcurl would add by itself.
            if headers["Content-Type"] == nil { list.remove("Content-Type") }
            list.remove("Expect")
        }
        options.note(list.isWhole ? ccurl_set_list(raw, CURLOPT_HTTPHEADER, list.first) : CURLE_OUT_OF_MEMORY)
        self.list = list
        self.headers = hasBody ? nil : headers
    }
}
