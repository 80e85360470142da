internal import CCurl

extension EasyOptions {
    /// Plain HTTP/1.1 over TCP or TLS, and nothing that libcurl could do beyond it: no redirects, cookies, passwords
    /// from files, remembered hosts or other protocols.
    mutating func setProtocol() {
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_HTTP09_ALLOWED, 0)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NETRC, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_ACCEPT_ENCODING, "gzip")
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // One file and no directory: only then are the parsed certificates kept between connections.
        set(CURLOPT_CAPATH, nil)
    }

    /// How sockets are made and kept, and by whom they are opened and closed.
    ///
    /// - Parameter context: the multi handle's.
    mutating func setSockets(_ context: UnsafeMutableRawPointer) {
        set(CURLOPT_NOSIGNAL, 1)
        // A name that is still being looked up when its transfer ends must not hold up the loop.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_TCP_KEEPIDLE, 60)
        set(CURLOPT_TCP_KEEPINTVL, 30)
        // Below 128 KiB, where the allocator would map and unmap memory for each transfer.
        set(CURLOPT_BUFFERSIZE, 64 << 10)
        // Now and then a new connection, so that a changed address of the host is noticed.
        set(CURLOPT_MAXLIFETIME_CONN, 3600)
        setSockets(open: MultiHandle.open, close: MultiHandle.close)
        set(CURLOPT_OPENSOCKETDATA, pointer: context)
        set(CURLOPT_CLOSESOCKETDATA, pointer: context)
    }

    /// What the client's owner chose.
    mutating func set(_ configuration: HTTPClientConfiguration) {
        set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(configuration.connectTimeout))
        set(CURLOPT_MAXAGE_CONN, max(1, Int(configuration.maxIdleTime.components.seconds)))
        if let path = configuration.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if !configuration.checksCertificate {
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        if let file = configuration.certificateAuthorityFile { set(CURLOPT_CAINFO, file) }
        if let identity = configuration.identity {
            set(CURLOPT_SSLCERT, identity.certificateFile)
            set(CURLOPT_SSLKEY, identity.keyFile)
        }
        switch configuration.proxy {
        case .environment: break
        case .direct: set(CURLOPT_PROXY, "")
        case .url(let url):
            set(CURLOPT_PROXY, url)
            set(CURLOPT_NOPROXY, "")
        }
    }

    /// Where what comes goes to.
    ///
    /// - Parameters:
    ///   - context: the `EasyHandle`.
    ///   - errorText: room for `CURL_ERROR_SIZE` characters.
    mutating func setReceivers(_ context: UnsafeMutableRawPointer, errorText: UnsafeMutablePointer<CChar>) {
        set(CURLOPT_PRIVATE, pointer: context)
        set(CURLOPT_ERRORBUFFER, pointer: errorText)
        set(CURLOPT_HEADERDATA, pointer: context)
        set(CURLOPT_WRITEDATA, pointer: context)
        setReceiver(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            receive(bytes, size * count, context) { $0.receiveHeaderLine($1) }
        }
        setReceiver(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            receive(bytes, size * count, context) { $0.receiveBody($1) }
        }
    }
}

/// Hands received bytes on. Returns their number, or 0 to end the transfer (libcurl never delivers 0 bytes of a header,
/// and 0 of 0 is success).
private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ take: (EasyHandle, UnsafeBufferPointer<UInt8>) -> Bool
) -> Int {
    guard let bytes, let context else { return 0 }
    // Safe because both types are one byte wide and hold any byte, libcurl keeps that many of them until this returns, and
    // whoever takes them copies them.
    let isTaken = bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
        take(EasyHandle.at(context), UnsafeBufferPointer(start: $0, count: count))
    }
    return isTaken ? count : 0
}
