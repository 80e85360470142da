internal import Clocks
internal import Pagination
internal import Sessions

/// A session's event as it is published to all replicas.
///
/// A page and a reset are a line of numbers (revision, sequence, expiry, and the lengths of what follows) and the session's
/// encoded parts, the rows of the page among them; the `replace` script writes the same.
enum EventMessage {
    /// The first word of a page.
    static let page = "page"
    /// The first word of a reset.
    static let reset = "reset"
    private static let failure = "failure"
    private static let closed = "closed"

    /// Encodes an event.
    static func encode(_ event: SessionEvent) -> [UInt8] {
        switch event {
        case .page(let page, var record):
            record.keptPage = .page(page)
            return encode(Self.page, record)
        case .reset(let record): return encode(reset, record)
        case .failure(let error):
            var writer = ByteWriter(capacity: 128)
            writer.failure(error)
            return Array("\(failure)\n".utf8) + writer.bytes
        case .closed: return Array(closed.utf8)
        }
    }

    private static func encode(_ kind: String, _ record: SessionRecord) -> [UInt8] {
        let parts = EncodedSession(record)
        let rows = parts.rows ?? []
        let header = "\(kind) \(record.revision) \(record.sequence) \(record.expiresAt.milliseconds) "
        return Array("\(header)\(parts.opening.count) \(parts.state.count) \(rows.count)\n".utf8)
            + parts.opening + parts.state + rows
    }

    /// Decodes an event of a session; `nil` where it is none, or one of a newer version.
    static func decode(_ bytes: [UInt8], of id: SessionID) -> SessionEvent? {
        if bytes.elementsEqual(closed.utf8) { return .closed }
        guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        let body = bytes[(end + 1)...]
        if words == [failure[...]] {
            var reader = ByteReader(body)
            return (try? reader.failure()).map { .failure($0) }
        }
        let numbers = words.dropFirst().compactMap { Int($0) }
        guard numbers.count == 6, let record = record(numbers, body, id) else { return nil }
        switch (words.first, record.keptPage) {
        case (page[...], .page(let page)): return .page(page, record)
        case (reset[...], _): return .reset(record)
        default: return nil
        }
    }

    private static func record(_ numbers: [Int], _ body: ArraySlice<UInt8>, _ id: SessionID) -> SessionRecord? {
        let (opening, state, rows) = (numbers[3], numbers[4], numbers[5])
        // Without a sum, which could overflow.
        guard 0...body.count ~= opening, 0...(body.count - opening) ~= state, rows == body.count - opening - state
        else { return nil }
        let parts = EncodedSession(
            opening: Array(body.prefix(opening)), state: Array(body.dropFirst(opening).prefix(state)),
            rows: rows == 0 ? nil : Array(body.suffix(rows)))
        return try? SessionRecord(
            parts, id: id, expiresAt: Timestamp(milliseconds: numbers[2]), revision: numbers[0], sequence: numbers[1])
    }
}
