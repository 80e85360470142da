import HTTPModel

/// Keeps out requests whose length can be read in two ways, so that no part of one is ever taken for the next.
enum Framing {
    /// Why a request is kept out, or `nil` (RFC 9112 §5.1, §6.1, §6.3).
    static func refusal(of headers: HeaderFields) -> Problem? {
        var length: String?
        var coding: String?
        for field in headers.fields {
            switch field.name.utf8.count {
            case 14 where equalIgnoringCase(field.name, "Content-Length"):
                guard length == nil, field.value.isDecimal else {
                    return Problem(.malformedRequest, "There has to be one Content-Length, and it has to be a number.")
                }
                length = field.value
            case 17 where equalIgnoringCase(field.name, "Transfer-Encoding"):
                guard coding == nil, equalIgnoringCase(field.value, "chunked") else {
                    return Problem(.notImplemented, "The only Transfer-Encoding that is known here is chunked, once.")
                }
                coding = field.value
            default:
                guard let last = field.name.utf8.last, last != 0x20, last != 0x09 else {
                    return Problem(
                        .malformedRequest, "There must be no white space between a header’s name and its colon.")
                }
            }
        }
        guard length == nil || coding == nil else {
            return Problem(.malformedRequest, "Content-Length and Transfer-Encoding exclude each other.")
        }
        return nil
    }
}
