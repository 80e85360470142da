import Clocks
import HTTPModel
import Pagination
import Sessions

/// A session as JSON.
struct SessionDocument {
    /// The session.
    var record: SessionRecord
    /// Whether a move's fetch is under way.
    var isBusy: Bool

    /// Writes the session as one object.
    func write(to writer: inout JSONWriter) {
        let definition = record.definition
        let state = record.state
        writer.object { writer in
            writer.member("id", record.id.description)
            writer.member("instance", definition.instance)
            writer.member("table", definition.table)
            writer.member("query", definition.query)
            writer.name("fields")
            writer.value(definition.fields.map { .array($0.map { .string($0) }) } ?? .null)
            writer.member("displayValue", definition.displayValue.rawValue)
            writer.member("excludeReferenceLink", definition.excludeReferenceLink)
            writer.member("view", definition.view)
            writer.member("queryCategory", definition.queryCategory)
            writer.member("queryNoDomain", definition.queryNoDomain)
            writer.member("stableOrder", definition.stableOrder)
            switch definition.readAhead {
            case .auto: writer.member("readAhead", "auto")
            case .pages(let count): writer.member("readAhead", count)
            }
            writer.member("idleTimeout", definition.idleTimeout)
            writer.member("page", state.page)
            writer.member("numberOfPages", state.numberOfPages)
            writer.member("itemsPerPage", state.itemsPerPage)
            writer.member("totalItems", state.totalItems)
            writer.member("hasNext", state.hasNext)
            writer.member("hasPrevious", state.hasPrevious)
            writer.member("isBusy", isBusy || record.isLeased)
            writer.member("isFinished", state.isFinished)
            writer.member("publisherShouldFinish", state.publisherShouldFinish)
            writer.member("publisher", "/sessions/\(record.id)/events")
            writer.member("position", record.position)
            writer.member("createdAt", record.createdAt.rfc3339)
            writer.member("expiresAt", record.expiresAt.rfc3339)
            SessionLinks(session: record).write(to: &writer)
        }
    }

    /// The session as a member of a problem report.
    var value: JSONValue {
        var writer = JSONWriter(capacity: 1024)
        write(to: &writer)
        return .written(writer.bytes)
    }
}

extension Timestamp {
    /// As in `2026-11-30T03:00:00.125Z`.
    var rfc3339: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
