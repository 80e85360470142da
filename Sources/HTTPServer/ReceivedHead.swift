internal import CMicroHTTPD
internal import Glibc
internal import HTTPModel

/// A request's head as libmicrohttpd hands it over, and what it says of the body.
struct ReceivedHead {
    /// The lines, in order.
    var headers = HeaderFields()
    /// The value of the first `Content-Length`.
    var contentLength: String?
    /// Whether there is a `Transfer-Encoding`.
    var isTransferEncoded = false
    /// The bytes of all lines as they are commonly sent.
    var byteCount = 0

    /// Reads all header lines of a request.
    init(of connection: OpaquePointer) {
        headers.reserveCapacity(8)
        withUnsafeMutablePointer(to: &self) { head in
            // Safe because the iteration ends before this closure does.
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { head, _, name, nameSize, value, valueSize in
                    head?.assumingMemoryBound(to: ReceivedHead.self).pointee
                        .append(name, nameSize, value, valueSize)
                    return .YES
                }, head)
        }
    }

    private mutating func append(
        _ name: UnsafePointer<CChar>?, _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int
    ) {
        guard let name else { return }
        byteCount += nameSize + valueSize + 4
        var value = value.map { text($0, valueSize) } ?? ""
        switch nameSize {
        case 14 where strncasecmp(name, "content-length", 14) == 0:
            if contentLength == nil { contentLength = value }
        case 17 where strncasecmp(name, "transfer-encoding", 17) == 0: isTransferEncoded = true
        default:
            // Blanks behind a value are no part of it (RFC 9110, 5.5); libmicrohttpd drops those in front. What frames the
            // body is left as libmicrohttpd reads it, so that nobody reads it otherwise.
            while let last = value.utf8.last, last == 0x20 || last == 0x09 { value.removeLast() }
        }
        headers.append(text(name, nameSize), value)
    }

    /// Whether a body follows the head.
    var hasBody: Bool {
        isTransferEncoded || (contentLength.map { $0 != "0" } ?? false)
    }

    /// Whether the head alone says that the body is longer than that; a length that is no number counts as too long.
    func announcesMore(than limit: Int) -> Bool {
        guard !isTransferEncoded, let contentLength else { return false }
        guard contentLength.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let length = Int(contentLength) else { return true }
        return length > limit
    }

    /// The announced length, at most `limit`, as a hint for the room to reserve.
    func expectedBytes(upTo limit: Int) -> Int {
        isTransferEncoded ? 0 : min(limit, contentLength.flatMap { Int($0) } ?? 0)
    }
}

/// Text that libmicrohttpd owns; bytes that are no UTF-8 become replacement characters.
func text(_ start: UnsafePointer<CChar>, _ size: Int) -> String {
    // Safe because libmicrohttpd keeps the `size` bytes in place while it calls us.
    start.withMemoryRebound(to: UInt8.self, capacity: size) {
        String(decoding: UnsafeBufferPointer(start: $0, count: size), as: UTF8.self)
    }
}
