internal import CMicroHTTPD
internal import Glibc
internal import HTTPModel

/// A request's head as libmicrohttpd hands it over, whether it can be read in one way only, and what it says of the body.
///
/// libmicrohttpd 0.9.75 reads more than HTTP allows, and tells of that nowhere; where it left the parts in memory does.
/// A head in order is one row of bytes from the method to the empty line, each part where it was received; what was cut
/// folded, or ended by a line feed alone leaves a gap. What leaves none, a NUL in the place of a line's end and a line of a
/// colon and a line feed, was seen when it came.
struct ReceivedHead {
    /// The lines, in order.
    private(set) var headers = HeaderFields()
    /// The minor version: 0 for HTTP/1.0, 1 for HTTP/1.1.
    private(set) var minorVersion = 1
    /// Why the head is to be refused; of several faults the first.
    private(set) var fault: HeadFault?
    /// Whether there is a `Transfer-Encoding`.
    private(set) var isTransferEncoded = false
    /// The value of the `Content-Length`.
    private var contentLength: String?
    private var hasHost = false
    /// Where the next line has to begin. Safe because it is compared first, and read only where that shows that it is in the head.
    private var next: UnsafePointer<CChar>

    /// Reads the head of a request; the three pointers are libmicrohttpd's. Safe because this is done while it calls with them:
    /// method and version end with a NUL, and the whole head is in the connection's memory.
    ///
    /// - Parameters:
    ///   - odd: the first byte on the connection that libmicrohttpd takes for a line's end though it is none.
    ///   - maxBytes: above this the head is too large, all its bytes counted.
    init(
        of connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        target: ReceivedTarget, odd: UnsafePointer<CChar>?, maxBytes: Int
    ) {
        let methodSize = strlen(method)
        next = version + versionSize + lineEndSize
        if !cmhd_is_token(method, methodSize) || target.start != method + methodSize + 1
            || version != method + methodSize + 1 + target.size + 1
        {
            fault = .requestLine
        }
        if strcmp(version, "HTTP/1.1") != 0 {
            minorVersion = 0
            if strcmp(version, "HTTP/1.0") != 0 { note(.version) }
        }
        if strnlen(version, versionSize + 1) == versionSize, !isLineEnd(version + versionSize) { note(.lines) }
        let size = cmhd_head_size(connection)
        if size > maxBytes { note(target.size > maxBytes ? .targetTooLong : .tooLarge) }
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
        if let odd, odd < method + size { note(.lines) }
        if next + lineEndSize != method + size || !isLineEnd(next) { note(.lines) }
        if isTransferEncoded {
            if minorVersion == 0 { note(.transferCodingInHTTP10) }
            if contentLength != nil { note(.contentLength) }
        }
    }

    private mutating func note(_ fault: HeadFault) {
        if self.fault == nil { self.fault = fault }
    }

    private mutating func append(
        _ name: UnsafePointer<CChar>?, _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int
    ) {
        guard let name, let value else { return note(.lines) }
        guard headers.fields.count < maxFields else { return note(.tooManyFields) }
        if name != next || !cmhd_follows(name, nameSize, value) || !isLineEnd(value + valueSize) {
            note(.lines)
        } else if !cmhd_is_token(name, nameSize) {
            note(.fieldName)
        } else if !cmhd_is_text(value, valueSize) {
            note(.fieldValue)
        }
        next = value + valueSize + lineEndSize
        var text = receivedText(value, valueSize)
        // Blanks behind a value are no part of it (RFC 9110, 5.5); libmicrohttpd drops those in front. A secret is left as it
        // was sent.
        let isCredential = nameSize == 13 && strncasecmp(name, "authorization", 13) == 0
        while !isCredential, let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        switch nameSize {
        case 4 where strncasecmp(name, "host", 4) == 0:
            if hasHost { note(.repeatedHost) }
            hasHost = true
        case 14 where strncasecmp(name, "content-length", 14) == 0:
            // As libmicrohttpd reads it, blanks behind it among it, so that nobody reads it otherwise.
            if contentLength != nil || valueSize == 0 || text.utf8.count != valueSize
                || !text.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
            {
                note(.contentLength)
            }
            contentLength = text
        case 17 where strncasecmp(name, "transfer-encoding", 17) == 0:
            if isTransferEncoded || valueSize != 7 || strncasecmp(value, "chunked", 7) != 0 { note(.transferCoding) }
            isTransferEncoded = true
        default: break
        }
        headers.append(receivedText(name, nameSize), text)
    }

    /// Whether a body follows the head.
    var hasBody: Bool {
        isTransferEncoded || (contentLength.map { $0 != "0" } ?? false)
    }

    /// Whether the head alone says that the body is longer than that.
    func announcesMore(than limit: Int) -> Bool {
        guard let contentLength else { return false }
        guard let length = Int(contentLength) else { return true }
        return length > limit
    }

    /// The announced length, at most `limit`, as a hint for the room to reserve.
    func expectedBytes(upTo limit: Int) -> Int {
        min(limit, contentLength.flatMap { Int($0) } ?? 0)
    }
}

/// The most fields of a head. Browsers send about twenty, and a row of proxies adds its own.
private let maxFields = 100

/// The bytes of `HTTP/1.1`.
private let versionSize = 8

/// Carriage return and line feed.
private let lineEndSize = 2

/// Whether a line ends there: libmicrohttpd puts NULs in the places of both bytes. A NUL that was sent ends a value before its
/// line, and what then stands behind it could fill the second place.
private func isLineEnd(_ place: UnsafePointer<CChar>) -> Bool {
    // Safe because a head ends with an empty line, so that two bytes more than any place before its end are there.
    place[0] == 0 && place[1] == 0
}

/// Text that libmicrohttpd owns; bytes that are no UTF-8 become replacement characters.
func receivedText(_ start: UnsafePointer<CChar>, _ size: Int) -> String {
    // Safe because libmicrohttpd keeps the `size` bytes in place while it calls us.
    start.withMemoryRebound(to: UInt8.self, capacity: size) {
        String(decoding: UnsafeBufferPointer(start: $0, count: size), as: UTF8.self)
    }
}
