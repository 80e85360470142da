internal import CHiredis

/// What a server answers, in the terms of RESP2.
enum RedisReply: Sendable, Equatable {
    /// Any bytes.
    case bytes([UInt8])
    /// A word such as `OK`.
    case status(String)
    /// A number.
    case integer(Int)
    /// Nothing.
    case null
    /// Several replies.
    case array([RedisReply])
    /// An error, with its text.
    case failure(String)

    /// Copies a reply of hiredis, which stays its owner's.
    init(_ reply: UnsafeMutablePointer<redisReply>) {
        let raw = reply.pointee
        switch raw.type {
        case REDIS_REPLY_STRING: self = .bytes(Self.bytes(raw))
        case REDIS_REPLY_STATUS: self = .status(String(decoding: Self.bytes(raw), as: UTF8.self))
        case REDIS_REPLY_ERROR: self = .failure(String(decoding: Self.bytes(raw), as: UTF8.self))
        case REDIS_REPLY_INTEGER: self = .integer(Int(raw.integer))
        case REDIS_REPLY_ARRAY:
            // hiredis nests replies seven deep at most.
            self = .array((0..<raw.elements).map { raw.element[$0].map(RedisReply.init) ?? .null })
        default: self = .null
        }
    }

    private static func bytes(_ raw: redisReply) -> [UInt8] {
        // Safe because hiredis keeps `len` bytes at `str` until the reply is freed.
        Array(UnsafeRawBufferPointer(start: raw.str, count: raw.len))
    }
}

extension RedisReply {
    /// The bytes; `nil` where it is something else.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// The text; `nil` where it is something else.
    var text: String? {
        switch self {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .status(let text): text
        default: nil
        }
    }

    /// The number, be it written in digits; `nil` where it is something else.
    var integer: Int? {
        switch self {
        case .integer(let value): value
        case .bytes(let bytes): Int(String(decoding: bytes, as: UTF8.self))
        default: nil
        }
    }

    /// The replies in it; `nil` where it is no array.
    var elements: [RedisReply]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}
