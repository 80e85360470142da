/// Why the head of a request is refused before anybody looks at what it asks for: it can be read in more than one way,
/// or it is larger than may be.
///
/// Whoever stands in front of the server may have read such a head otherwise, so its connection ends with the refusal.
public enum HeadFault: Sendable, Equatable, CaseIterable {
    /// Method, target and version are not parted by single blanks, or the method is no token (RFC 9112 §3).
    case requestLine
    /// The version is neither HTTP/1.1 nor HTTP/1.0.
    case version
    /// A line is folded, ends with a line feed alone, or holds a NUL (RFC 9112 §2.2, §5.2).
    case lines
    /// A field's name is no token; blanks before the colon make it so (RFC 9112 §5.1).
    case fieldName
    /// A field's value holds a control character (RFC 9110 §5.5).
    case fieldValue
    /// There is more than one `Host` (RFC 9112 §3.2).
    case repeatedHost
    /// A field that is there once at most is there more than once (RFC 9110 §5.3).
    case repeatedField
    /// `Content-Length` is there more than once, is no number, or stands beside `Transfer-Encoding` (RFC 9112 §6).
    case contentLength
    /// The transfer coding is another than `chunked`, once (RFC 9112 §6.1).
    case transferCoding
    /// HTTP/1.0 has no transfer codings (RFC 9112 §6.1).
    case transferCodingInHTTP10
    /// The chunks of the body, or its trailer, are not framed as they have to be (RFC 9112 §7.1).
    case chunks
    /// There are too many fields.
    case tooManyFields
    /// The head is too large.
    case tooLarge
    /// The target alone is too long.
    case targetTooLong

    /// The status code of the refusal.
    public var status: Int {
        switch self {
        case .requestLine, .lines, .fieldName, .fieldValue, .repeatedHost, .repeatedField, .contentLength,
            .transferCodingInHTTP10, .chunks:
            400
        case .targetTooLong: 414
        case .tooManyFields, .tooLarge: 431
        case .transferCoding: 501
        case .version: 505
        }
    }

    /// What is wrong and what would be right, for the caller.
    public var detail: String {
        switch self {
        case .requestLine: "The request line has to be a method, a target and a version with one space between them."
        case .version: "Only HTTP/1.1 and HTTP/1.0 are spoken here."
        case .lines:
            "Each header has to be on one line of its own, without a NUL and ended by a carriage return and a line feed."
        case .fieldName: "A header’s name has to be a token, and the colon has to follow it at once."
        case .fieldValue: "A header’s value must not hold control characters."
        case .repeatedHost: "The Host header is there more than once."
        case .repeatedField:
            "A header that may be there once is there more than once: Authorization, a condition, a content’s type or range, "
                + "or what a browser says of a request’s origin (Sec-Fetch-Site, Sec-Fetch-Mode)."
        case .contentLength:
            "There may be one Content-Length, it has to be a number, and Transfer-Encoding excludes it."
        case .transferCoding: "The only Transfer-Encoding that is known here is chunked, once."
        case .transferCodingInHTTP10: "HTTP/1.0 has no Transfer-Encoding."
        case .chunks:
            "Each chunk has to be its size in hexadecimal digits, its bytes, and carriage returns with line feeds between them."
        case .tooManyFields: "The request has too many headers."
        case .tooLarge: "The request’s head is larger than the limit."
        case .targetTooLong: "The request target is longer than the limit."
        }
    }
}
