import HTTPModel
import Pagination
import Sessions

/// What happens to a session, as one event of a stream (HTML Standard, "Server-sent events").
struct ServerSentEvent {
    /// The event's bytes, with the empty line that ends it. Rows are not copied unless they stand on several lines.
    let pieces: [ArraySlice<UInt8>]

    /// The number of its bytes.
    var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

    /// How long a client waits before it comes back, in milliseconds.
    static let retry = ServerSentEvent(pieces: [Array("retry: 2000\n\n".utf8)[...]])

    /// A comment, which keeps the connection from looking idle.
    static let heartbeat = ServerSentEvent(pieces: [Array(":\n\n".utf8)[...]])

    private init(pieces: [ArraySlice<UInt8>]) {
        self.pieces = pieces
    }

    private init(_ name: String, id: Int?, _ data: [ArraySlice<UInt8>]) {
        let id = id.map { "id: \($0)\n" } ?? ""
        pieces = [Array("event: \(name)\n\(id)data: ".utf8)[...]] + data.map(Self.onOneLine) + [[0x0A, 0x0A]]
    }

    /// A delivered page; the record is the session right after it.
    static func page(_ page: Page, of record: SessionRecord) -> ServerSentEvent {
        let document = PageDocument(
            page: page, position: record.position, links: SessionLinks(page: page, of: record))
        return ServerSentEvent("page", id: record.position, document.pieces)
    }

    /// A reset.
    static func reset(_ record: SessionRecord) -> ServerSentEvent {
        ServerSentEvent("reset", id: record.position, [session(record)])
    }

    /// The publisher's end.
    static func finished(_ record: SessionRecord) -> ServerSentEvent {
        ServerSentEvent("finished", id: nil, [session(record)])
    }

    /// Something that went wrong. It has no `id`: a client that comes back starts behind the event before it.
    static func error(_ problem: Problem, in language: Language) -> ServerSentEvent {
        var writer = JSONWriter()
        let kind = ProblemKind(rawValue: problem.name)
        problem.write(title: kind?.title(in: language) ?? problem.name, to: &writer)
        return ServerSentEvent("error", id: nil, [writer.bytes[...]])
    }

    /// The latest event of a session; `nil` where there was none, or its page was dropped for want of room.
    static func latest(of record: SessionRecord) -> ServerSentEvent? {
        if record.reachedBy == .reset { return .reset(record) }
        guard case .page(let page) = record.keptPage else { return nil }
        return .page(page, of: record)
    }

    private static func session(_ record: SessionRecord) -> ArraySlice<UInt8> {
        var writer = JSONWriter(capacity: 1024)
        SessionDocument(record: record, isBusy: false).write(to: &writer)
        return writer.bytes[...]
    }

    /// Line breaks stand between the tokens of JSON only, never within one; as spaces they do not end the event.
    private static func onOneLine(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard piece.contains(where: isLineBreak) else { return piece }
        return piece.map { isLineBreak($0) ? 0x20 : $0 }[...]
    }
}

private func isLineBreak(_ byte: UInt8) -> Bool {
    byte == 0x0A || byte == 0x0D
}
