internal import CMicroHTTPD
internal import Glibc
internal import HTTPModel

/// A request's head as libmicrohttpd hands it over, whether it can be read in one way only, and what it says of the body.
///
/// libmicrohttpd 0.9.75 reads more than HTTP allows, and tells of that nowhere; where it left the parts in memory does.
/// A head in order is one row of bytes from the method to the empty line, each part where it was received; what was folded
/// leaves a gap. NULs and line feeds alone, which need not, were seen when they came.
struct ReceivedHead {
    /// The lines, in order.
    private(set) var headers = HeaderFields()
    /// The minor version: 0 for HTTP/1.0, 1 for HTTP/1.1.
    private(set) var minorVersion = 1
    /// Why the head is to be refused; of several faults the first.
    private(set) var fault: HeadFault?
    /// Whether there is a `Transfer-Encoding`.
    private(set) var isTransferEncoded = false
    /// Whether nothing may be read behind the request, since others would not.
    private(set) var endsConnection = false
    /// What has come behind the head. Safe because libmicrohttpd has not touched it yet; read at once.
    private(set) var behind = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The value of the `Content-Length`.
    private var contentLength: String?
    private var hasHost = false
    /// One bit for each field that was there and may be there once.
    private var seen: UInt32 = 0
    /// Where the next line has to begin. Safe because it is compared first, and read only where that shows that it is in the head.
    private var next: UnsafePointer<CChar>

    /// Reads the head of a request; the three pointers are libmicrohttpd's. Safe because this is done while it calls with them:
    /// method and version end with a NUL, and the whole head is in the connection's memory.
    ///
    /// - Parameters:
    ///   - stream: what has come on the connection; the request is counted as begun.
    ///   - maxBytes: above this the head is too large, all its bytes counted.
    init(
        of connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        target: ReceivedTarget, in stream: inout ReceivedStream, maxBytes: Int
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
        if let count = stream.begin(method, size) {
            behind = UnsafeRawBufferPointer(start: method + size, count: count)
        } else {
            note(.lines)
        }
        if next + lineEndSize != method + size || !isLineEnd(next) { note(.lines) }
        if isTransferEncoded {
            if minorVersion == 0 { note(.transferCodingInHTTP10) }
            if contentLength != nil { note(.contentLength) }
        }
        if let length = contentLength.flatMap({ Int($0) }) { stream.skipBody(length) }
        // Chunks may have been read otherwise, and a method of other characters for none.
        if isTransferEncoded || !cmhd_is_common_method(method, methodSize) { endsConnection = true }
    }

    private mutating func note(_ fault: HeadFault) {
        if self.fault == nil { self.fault = fault }
    }

    private mutating func append(
        _ name: UnsafePointer<CChar>?, _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int
    ) {
        guard let name, let value else { return note(.lines) }
        guard headers.fields.count < maxFields else { return note(.tooManyFields) }
        let isInPlace = name == next && cmhd_follows(name, nameSize, value)
        if !isInPlace || !isLineEnd(value + valueSize) {
            note(.lines)
        } else if !cmhd_is_token(name, nameSize) {
            note(.fieldName)
        } else if !cmhd_is_text(value, valueSize) {
            note(.fieldValue)
        }
        next = value + valueSize + lineEndSize
        var text = receivedText(value, valueSize)
        // Tabs around a value, which HTTP allows, are not taken by all where it matters. Safe because name and value lie in one
        // row where they are in place.
        var hasTab: Bool {
            isInPlace && memchr(name + nameSize, 0x09, value + valueSize - (name + nameSize)) != nil
        }
        // Blanks behind a value are no part of it (RFC 9110, 5.5); libmicrohttpd drops those in front. A secret is left as it
        // was sent.
        let isCredential = nameSize == 13 && strncasecmp(name, "authorization", 13) == 0
        while !isCredential, let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        switch nameSize {
        case 4 where strncasecmp(name, "host", 4) == 0:
            if hasHost { note(.repeatedHost) }
            hasHost = true
            if hasTab { note(.fieldValue) }
        case 14 where strncasecmp(name, "content-length", 14) == 0:
            // As libmicrohttpd reads it, blanks behind it among it, so that nobody reads it otherwise.
            if contentLength != nil || valueSize == 0 || hasTab || text.utf8.count != valueSize
                || !text.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
            {
                note(.contentLength)
            }
            contentLength = text
        case 17 where strncasecmp(name, "transfer-encoding", 17) == 0:
            if isTransferEncoded || valueSize != 7 || hasTab || strncasecmp(value, "chunked", 7) != 0 {
                note(.transferCoding)
            }
            isTransferEncoded = true
        case 10 where strncasecmp(name, "connection", 10) == 0:
            // Some look for the word alone, wherever it stands.
            if text.lowercased().contains("close") { endsConnection = true }
        default:
            let bit = cmhd_single_field(name, nameSize)
            if seen & bit != 0 { note(.repeatedField) }
            seen |= bit
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
