// The one place beside RedisSessions that imports hiredis: what a server sends reaches us through its reader.
import CHiredis
import Clocks
import Pagination
import Sessions

@testable import RedisSessions

/// What a Redis server sends: behind a first byte of 0 an event that was published, behind any other one replies.
enum RedisReplyTarget {
    private static let id = SessionID()
    private static let known = SessionRecord(
        id: id, owner: "ann",
        definition: SessionDefinition(instance: "default", table: "incident", itemsPerPage: 20, idleTimeout: 900),
        publisherShouldFinish: false, now: Timestamp(milliseconds: 1_796_007_600_000))

    static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let first = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        if first == 0 { try checkEvent(rest) } else { try checkReplies(rest) }
    }

    private static func checkEvent(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let event = EventMessage.decode(bytes, of: id) else { return }
        let written = EventMessage.encode(event)
        let again = try require(EventMessage.decode(written, of: id), "an event can be sent on: \(event)")
        try require(EventMessage.encode(again) == written && again == event, "an event survives: \(event)")
    }

    private static func checkReplies(_ bytes: [UInt8]) throws(BrokenProperty) {
        // hiredis 0.14 makes room for as many replies as a list is said to have, before any of them comes. The server is the
        // operator's own, so that this is no hole, but it would stop the fuzzer.
        guard !hasLongList(bytes), let reader = redisReaderCreate() else { return }
        // Safe because the reader lives until the end of this call, copies what it is fed, and every reply is freed once.
        defer { redisReaderFree(reader) }
        let isFed = bytes.withUnsafeBytes { buffer in
            redisReaderFeed(reader, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        guard isFed == REDIS_OK else { return }
        for _ in 0..<64 {
            var pointer: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &pointer) == REDIS_OK, let pointer else { return }
            defer { freeReplyObject(pointer) }
            try check(RedisReply(pointer.assumingMemoryBound(to: redisReply.self)))
        }
    }

    private static func hasLongList(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0] == 0x2A && bytes[($0 + 1)...].prefix { 0x30...0x39 ~= $0 }.count > 5 }
    }

    private static func check(_ reply: RedisReply) throws(BrokenProperty) {
        for known in [nil, known] {
            var live: SessionRecord?
            do throws(SessionStoreError) {
                switch try StoredSession(reply, id: id, known: known) {
                case .live(let record): live = record
                case .gone, .unknown: break
                }
            } catch {
                guard case .unavailable(let text) = error else {
                    throw BrokenProperty(description: "a reply that is not understood means an absent store: \(error)")
                }
                try require(!text.isEmpty && !text.contains("\n"), "an error is one line: \(shown(text))")
            }
            if let live { try check(live) }
        }
        _ = (reply.text, reply.integer, reply.bytes, reply.elements?.count)
    }

    private static func check(_ record: SessionRecord) throws(BrokenProperty) {
        var bytes: [UInt8] = []
        record.expiresAt.write(to: &bytes)
        try require(bytes.allSatisfy { 0x2B...0x5A ~= $0 }, "a moment can be written: \(record.expiresAt)")
        try require(record.revision >= 0 && record.sequence >= 0, "numbers are none below 0")
        _ = EventMessage.encode(.reset(record))
    }
}
