import Clocks

/// A year of 365 days, the longest idle timeout there can be, with room to spare.
private let longestIdleTimeout = 1 << 31
/// The last millisecond of the year 9999, the latest moment that can be written.
private let latestMoment = 253_402_300_799_999

extension ByteWriter {
    /// Writes what never changes in a session.
    mutating func opening(owner: String, definition: SessionDefinition, createdAt: Timestamp) {
        text(owner)
        number(max(0, createdAt.milliseconds))
        text(definition.instance)
        text(definition.table)
        flags(
            definition.query != nil, definition.fields != nil, definition.view != nil,
            definition.queryCategory != nil, definition.excludeReferenceLink, definition.queryNoDomain,
            definition.stableOrder)
        if let query = definition.query { text(query) }
        if let fields = definition.fields {
            number(fields.count)
            for field in fields { text(field) }
        }
        if let view = definition.view { text(view) }
        if let queryCategory = definition.queryCategory { text(queryCategory) }
        switch definition.displayValue {
        case .actual: byte(0)
        case .display: byte(1)
        case .all: byte(2)
        }
        switch definition.readAhead {
        case .auto: number(0)
        case .pages(let count): number(count + 1)
        }
        number(definition.itemsPerPage)
        number(definition.idleTimeout)
    }
}

extension ByteReader {
    /// Reads what never changes in a session.
    ///
    /// - Throws: `SessionEncodingError`.
    mutating func opening() throws(SessionEncodingError) -> (String, SessionDefinition, Timestamp) {
        let owner = try text()
        let createdAt = Timestamp(milliseconds: try number(upTo: latestMoment))
        var definition = SessionDefinition(
            instance: try text(), table: try text(), itemsPerPage: 1, idleTimeout: 1)
        let flags = try flags(7)
        if flags[0] { definition.query = try text() }
        if flags[1] {
            // Each field takes a byte at least, so a false count is noticed before room is made for it.
            let count = try number(upTo: count)
            var fields: [String] = []
            fields.reserveCapacity(count)
            for _ in 0..<count { fields.append(try text()) }
            definition.fields = fields
        }
        if flags[2] { definition.view = try text() }
        if flags[3] { definition.queryCategory = try text() }
        (definition.excludeReferenceLink, definition.queryNoDomain, definition.stableOrder) = (
            flags[4], flags[5], flags[6]
        )
        switch try byte() {
        case 0: definition.displayValue = .actual
        case 1: definition.displayValue = .display
        case 2: definition.displayValue = .all
        default: throw .unknownFields
        }
        let readAhead = try number(upTo: 1 << 16)
        definition.readAhead = readAhead == 0 ? .auto : .pages(readAhead - 1)
        definition.itemsPerPage = try number()
        definition.idleTimeout = try number(upTo: longestIdleTimeout)
        guard definition.itemsPerPage >= 1, definition.idleTimeout >= 1 else {
            throw .damaged("its definition is impossible")
        }
        return (owner, definition, createdAt)
    }
}
