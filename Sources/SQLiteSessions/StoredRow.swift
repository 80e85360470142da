import Clocks
import Sessions

/// A session as a row of its table, without its kept rows.
struct StoredRow: Sendable {
    /// The 16 bytes of its name.
    var name: [UInt8]
    /// Its place in the order of opening, and its key.
    var sequence: Int64
    /// When it ends, as it was written last.
    var expiresAt: Timestamp
    /// How often it was replaced.
    var revision: Int
    /// What never changes, encoded.
    var opening: [UInt8]
    /// What a move changes, encoded.
    var state: [UInt8]

    /// The session that it says.
    ///
    /// - Throws: `SessionEncodingError`.
    func record(rows: [UInt8]?) throws(SessionEncodingError) -> SessionRecord {
        guard let id = SessionID(bytes: name) else { throw .damaged("it has no name") }
        let encoded = EncodedSession(opening: opening, state: state, rows: rows)
        return try SessionRecord(
            encoded, id: id, expiresAt: expiresAt, revision: revision, sequence: Int(sequence))
    }
}

/// A session whose written time is up.
struct DueSession: Sendable {
    /// Its name.
    var id: SessionID
    /// Its place in the order of opening.
    var sequence: Int64
    /// When it ended by what is written.
    var expiresAt: Timestamp
}
