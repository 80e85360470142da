internal import HTTPModel

extension OutgoingRequest {
    /// Checks everything that libcurl would pass on as it is, before any of it reaches libcurl.
    ///
    /// - Throws: `TransportError.invalidRequest`, without quoting a value.
    func check() throws(TransportError) {
        guard !method.isEmpty, method.utf8.allSatisfy(isTokenByte) else {
            throw .invalidRequest("the method is not a token")
        }
        guard authorityAndTarget(ofURL: url) != nil else { throw .invalidRequest("not an http or https URL") }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .invalidRequest("the URL holds a character that is not percent-encoded")
        }
        for field in headers.fields {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(isTokenByte) else {
                throw .invalidRequest("a header's name is not a token")
            }
            guard !field.value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
                throw .invalidRequest("the value of the header \(field.name) holds a line break or NUL")
            }
            guard !ownFields.contains(where: { equalIgnoringCase($0, field.name) }) else {
                throw .invalidRequest("the header \(field.name) is the transport's own")
            }
        }
    }
}

/// What the transport derives from the URL and the body; a second opinion would break the framing.
private let ownFields = ["Host", "Content-Length", "Transfer-Encoding", "Expect"]

/// Whether a byte may stand in a token (RFC 9110 §5.6.2).
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E:
        true
    default: false
    }
}
