internal import Clocks
internal import Sessions

extension StoredSession {
    /// What the `read` script says of a session.
    ///
    /// - Parameter known: the session of the revision that the script was told.
    /// - Throws: `SessionStoreError.unavailable` where the session cannot be read.
    init(_ reply: RedisReply, id: SessionID, known: SessionRecord? = nil) throws(SessionStoreError) {
        switch reply {
        case .array(let fields) where fields.count == 2:
            guard var record = known, let expiry = fields[0].integer.map({ Timestamp(milliseconds: $0) }),
                expiry.isCommon
            else { throw SessionStoreError(.malformed) }
            record.expiresAt = expiry
            record.isLeased = fields[1].integer == 1
            self = .live(record)
        case .null: self = .unknown
        case .bytes: self = .gone(owner: reply.text ?? "")
        case .array(let fields) where fields.count == 8:
            let record = try SessionRecord(fields: fields[..<5] + fields[7...], rows: fields[5].bytes, id: id)
            self = .live(record)
        default: throw SessionStoreError(.malformed)
        }
    }
}

extension SessionRecord {
    /// A session of its stored fields: revision, sequence, expiry, opening, state, whether it is leased.
    ///
    /// - Throws: `SessionStoreError.unavailable` where it cannot be read.
    init(fields: ArraySlice<RedisReply>, rows: [UInt8]?, id: SessionID) throws(SessionStoreError) {
        let fields = Array(fields)
        guard fields.count == 6, let revision = fields[0].integer, let sequence = fields[1].integer,
            let expiry = fields[2].integer, let opening = fields[3].bytes, let state = fields[4].bytes
        else { throw SessionStoreError(.malformed) }
        do {
            try self.init(
                EncodedSession(opening: opening, state: state, rows: rows), id: id,
                expiresAt: Timestamp(milliseconds: expiry), revision: revision, sequence: sequence)
        } catch {
            throw SessionStoreError(error)
        }
        isLeased = fields[5].integer == 1
    }
}

extension SessionStoreError {
    /// That a command has no reply, in words that name no address: callers get to see them.
    init(_ error: RedisError) {
        switch error {
        case .away, .stopped: self = .unavailable("the session store cannot be reached now")
        case .lost:
            self = .unavailable("the session store did not answer; what was asked for may have been done or not")
        case .refused(.outOfMemory, _): self = .unavailable("the session store is full")
        case .refused(let refusal, _): self = .unavailable("the session store refuses now (\(refusal.rawValue))")
        case .malformed: self = .unavailable("the session store gave an answer that was not understood")
        }
    }
}
