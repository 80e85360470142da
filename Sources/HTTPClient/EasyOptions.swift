internal import CCurl

/// Sets options of an easy handle and remembers the first that was refused.
struct EasyOptions {
    private let raw: UnsafeMutableRawPointer
    /// What the first refused option was refused with; `CURLE_OK` as long as none was.
    private(set) var failure = CURLE_OK

    /// Makes a setter for that handle of libcurl.
    init(_ raw: UnsafeMutableRawPointer) {
        self.raw = raw
    }

    /// Sets a number, or a flag as 0 or 1.
    mutating func set(_ option: CURLoption, _ value: Int) {
        note(ccurl_set_long(raw, option, value))
    }

    /// Sets a text, which libcurl copies, or takes it back.
    mutating func set(_ option: CURLoption, _ value: String?) {
        note(ccurl_set_string(raw, option, value))
    }

    /// Sets a pointer that has to stay valid as long as the handle has it.
    mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
        note(ccurl_set_pointer(raw, option, pointer))
    }

    /// Sets who opens and closes sockets.
    mutating func setSockets(open: curl_opensocket_callback, close: curl_closesocket_callback) {
        note(ccurl_set_sockets(raw, open, close))
    }

    /// Sets who receives the header or the body.
    mutating func setReceiver(_ option: CURLoption, _ receiver: curl_write_callback) {
        note(ccurl_set_receiver(raw, option, receiver))
    }

    /// Takes in the result of another setter.
    mutating func note(_ code: CURLcode) {
        if failure == CURLE_OK { failure = code }
    }
}

/// A duration in the milliseconds of libcurl's options, rounded up, at least 1 because 0 means no limit.
func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    let largest = Int(Int32.max)
    guard seconds < Int64(largest / 1000) else { return largest }
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
}
