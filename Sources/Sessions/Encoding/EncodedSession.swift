public import Clocks
import Pagination

/// A session as bytes, in three parts, so that a store writes no more than what has changed, and reads a page's rows only
/// for whoever wants that page.
///
/// The session's name, expiry, revision and sequence are none of them: stores look for those. Each part carries the
/// format's version and a checksum. Bytes of a newer version, with unknown fields, or that are not what was written are
/// refused as a whole.
public struct EncodedSession: Sendable, Equatable {
    /// What never changes: owner, definition, time of opening.
    public var opening: [UInt8]
    /// What a move or a changed flag changes: state, position, the move that led there, the kept page without its rows.
    public var state: [UInt8]
    /// The rows of the kept page; `nil` where it has none or they are not kept. They belong to one position and are written
    /// together with its state.
    public var rows: [UInt8]?

    /// Puts parts together that were stored apart.
    ///
    /// - Parameter rows: `nil` also for whoever does not want them; the page is then one without its rows.
    public init(opening: [UInt8], state: [UInt8], rows: [UInt8]? = nil) {
        self.opening = opening
        self.state = state
        self.rows = rows
    }

    /// Encodes all of a session.
    public init(_ record: SessionRecord) {
        opening = Self.opening(of: record)
        state = Self.state(of: record)
        rows = Self.rows(of: record)
    }

    /// Encodes what never changes in a session.
    public static func opening(of record: SessionRecord) -> [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.byte(UInt8(Seal.version))
        writer.opening(owner: record.owner, definition: record.definition, createdAt: record.createdAt)
        Seal.close(&writer)
        return writer.bytes
    }

    /// Encodes what every move changes in a session, but for the page's rows.
    public static func state(of record: SessionRecord) -> [UInt8] {
        var writer = ByteWriter(capacity: 96)
        writer.byte(UInt8(Seal.version))
        writer.number(record.position)
        writer.byte(record.reachedBy.map(code) ?? 0)
        writer.state(record.state.saved)
        writer.keptPage(record.keptPage)
        Seal.close(&writer)
        return writer.bytes
    }

    /// Encodes the rows of a session's kept page; `nil` where there are none.
    public static func rows(of record: SessionRecord) -> [UInt8]? {
        guard case .page(let page) = record.keptPage, !page.rows.isEmpty else { return nil }
        var writer = ByteWriter(capacity: page.rows.byteCount + 4 * page.rows.count + 64)
        writer.byte(UInt8(Seal.version))
        writer.number(record.position)
        writer.rows(page.rows)
        Seal.close(&writer)
        return writer.bytes
    }
}

extension SessionRecord {
    /// Reads a session back.
    ///
    /// - Parameters:
    ///   - encoded: its parts. Where the kept page's rows are left out, the page is one without its rows.
    ///   - id: its name.
    ///   - expiresAt: when it ends unless it is used before.
    ///   - revision: how often it was replaced.
    ///   - sequence: its place in the order of opening.
    /// - Throws: `SessionEncodingError`.
    public init(
        _ encoded: EncodedSession, id: SessionID, expiresAt: Timestamp, revision: Int, sequence: Int
    ) throws(SessionEncodingError) {
        // These three are not sealed.
        guard expiresAt.isCommon, revision >= 0, sequence >= 0 else {
            throw .damaged("its end or number is impossible")
        }
        var opening = try Seal.open(encoded.opening)
        let (owner, definition, createdAt) = try opening.opening()
        try opening.end()
        var reader = try Seal.open(encoded.state)
        let position = try reader.number(upTo: .max - 1)
        let reachedBy = try move(code: try reader.byte())
        guard let state = PaginatorState(try reader.state()), state.itemsPerPage == definition.itemsPerPage,
            (position == 0) == (reachedBy == nil)
        else { throw .damaged("its state is impossible") }
        self.init(
            id: id, owner: owner, definition: definition, createdAt: createdAt, state: state, expiresAt: expiresAt)
        self.position = position
        self.reachedBy = reachedBy
        keptPage = try reader.keptPage()
        try reader.end()
        self.revision = revision
        self.sequence = sequence
        if case .withoutRows(var page) = keptPage, let bytes = encoded.rows {
            var rows = try Seal.open(bytes)
            guard try rows.number() == position else { throw .damaged("its rows are those of another page") }
            page.rows = try rows.rows()
            try rows.end()
            keptPage = .page(page)
        }
    }
}

private func code(_ move: SessionMove) -> UInt8 {
    switch move {
    case .first: 1
    case .next: 2
    case .previous: 3
    case .last: 4
    case .reset: 5
    }
}

private func move(code: UInt8) throws(SessionEncodingError) -> SessionMove? {
    switch code {
    case 0: nil
    case 1: .first
    case 2: .next
    case 3: .previous
    case 4: .last
    case 5: .reset
    default: throw .unknownFields
    }
}
