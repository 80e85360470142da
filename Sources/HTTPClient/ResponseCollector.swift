internal import HTTPModel

/// Puts an answer together from the header lines and the pieces of the body that libcurl delivers.
struct ResponseCollector {
    /// Why the rest of an answer is not wanted.
    enum Refusal: Equatable {
        /// The body is larger than the request allows.
        case bodyTooLarge
        /// All header lines together are larger than `maxHeaderBytes`.
        case headerTooLarge
        /// What came is no header of HTTP.
        case malformed
    }

    private enum Part {
        case statusLine
        case fields
        case body
    }

    /// The largest acceptable sum of all header lines, those of interim responses included.
    static let maxHeaderBytes = 128 << 10
    /// The most room that is made on the word of `Content-Length` alone.
    private static let maxReservation = 4 << 20

    /// What has come of the final response.
    private(set) var response = IncomingResponse(status: 0)
    /// Set when the transfer has to be ended.
    private(set) var refusal: Refusal?
    private let maxBodyBytes: Int
    private var headerBytes = 0
    private var part = Part.statusLine

    /// Makes a collector that takes a body of at most that many bytes, after decompression.
    init(maxBodyBytes: Int) {
        self.maxBodyBytes = maxBodyBytes
    }

    /// Whether the header of the final response has come whole.
    var isHeaderComplete: Bool { part == .body }

    /// Whether anything of an answer has come.
    var hasReceived: Bool { headerBytes > 0 }

    /// Takes one line of a header, its line break included. Lines of interim responses (RFC 9110 §15.2) are dropped
    /// when the final response begins; trailers are dropped.
    ///
    /// - Returns: false if the transfer has to be ended; `refusal` then says why.
    mutating func receiveHeaderLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        headerBytes += line.count
        guard headerBytes <= Self.maxHeaderBytes else { return refuse(.headerTooLarge) }
        let text = trimmed(line[...])
        switch part {
        case .statusLine:
            guard let status = statusCode(text) else { return refuse(.malformed) }
            response.status = status
            response.headers = HeaderFields()
            response.headers.reserveCapacity(16)
            part = .fields
        case .fields where text.isEmpty:
            part = response.status < 200 ? .statusLine : .body
        case .fields:
            receiveField(text, isContinuation: line.first == 0x20 || line.first == 0x09)
        case .body: break
        }
        return true
    }

    /// Takes a piece of the body.
    ///
    /// - Returns: false if the transfer has to be ended; `refusal` then says why.
    mutating func receiveBody(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        if response.body.isEmpty, !makeRoom() { return refuse(.bodyTooLarge) }
        guard piece.count <= maxBodyBytes - response.body.count else { return refuse(.bodyTooLarge) }
        response.body.append(contentsOf: piece)
        return true
    }

    /// Reserves what `Content-Length` announces. False if that is more than is wanted.
    private mutating func makeRoom() -> Bool {
        guard let declared = response.headers["Content-Length"].flatMap({ Int($0) }), declared > 0 else { return true }
        if response.headers["Content-Encoding"] == nil {
            guard declared <= maxBodyBytes else { return false }
            response.body.reserveCapacity(min(declared, Self.maxReservation))
        } else {
            // JSON commonly shrinks to less than a quarter; the rest grows by doubling.
            response.body.reserveCapacity(min(4 * min(declared, Self.maxReservation), maxBodyBytes))
        }
        return true
    }

    private mutating func receiveField(_ line: Slice<UnsafeBufferPointer<UInt8>>, isContinuation: Bool) {
        // A folded line (RFC 9112 §5.2) belongs to a field that nothing here relies on; a line without a name to none.
        guard !isContinuation, let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { return }
        let name = trimmed(line[..<colon])
        let value = trimmed(line[(colon + 1)...])
        response.headers.append(
            String(decoding: UnsafeBufferPointer(rebasing: name), as: UTF8.self),
            String(decoding: UnsafeBufferPointer(rebasing: value), as: UTF8.self))
    }

    private mutating func refuse(_ reason: Refusal) -> Bool {
        refusal = reason
        response.body = []
        return false
    }
}

/// The line without the white space and the line break around it.
private func trimmed(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
    var line = line
    while let last = line.last, isSpace(last) { line.removeLast() }
    while let first = line.first, isSpace(first) { line.removeFirst() }
    return line
}

/// The code of a status line such as `HTTP/1.1 200 OK`.
private func statusCode(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: 0x20) else { return nil }
    let digits = line[(space + 1)...].prefix(3)
    guard digits.count == 3, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    let status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return status >= 100 ? status : nil
}
