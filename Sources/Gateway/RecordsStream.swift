import HTTPModel
import Pagination
import RecordFormats
import Sessions
import TableAPI

/// One stream of all records of a session.
struct RecordsStream: Sendable {
    private enum End: Sendable {
        case read(Result<Void, any Error>)
        case sessionClosed
        case unwatched
    }

    /// The session.
    let session: Session
    /// Whose it is.
    let owner: String
    /// Its records, from where the stream begins.
    let records: TableRecords
    /// What they are asked for in.
    let window: RecordsWindow
    /// Writes them down.
    let encoder: RecordEncoder
    /// The language of problems.
    let language: Language
    /// The caller's credentials for the instance, if it brings its own.
    let authorization: ForwardedAuthorization?
    /// Is told why the stream is not whole.
    let failed: @Sendable (Problem) -> Void

    /// Writes all records, or as many as can be had and why there are no more.
    ///
    /// - Throws: where these are not all, so that the connection is cut.
    func run(to writer: any BodyWriter) async throws {
        // The body is written by another task than the one that took the request.
        try await ForwardedAuthorization.$current.withValue(authorization) {
            do {
                try await session.use(for: owner) { _ in try await follow(to: writer) }
            } catch let error as SessionError {
                try await end(RecordsFailure(Problem(error), resume: window.resume(window.start)), to: writer)
            } catch let failure as RecordsFailure {
                try await end(failure, to: writer)
            } catch is RecordEncoderError {
                failed(Problem(.internal, "a record could not be written as \(encoder.format.rawValue)"))
                throw BodyWriterError.closed
            }
        }
    }

    /// - Throws: always.
    private func end(_ failure: RecordsFailure, to writer: any BodyWriter) async throws -> Never {
        failed(failure.problem)
        let line = failure.line(encoder, in: language)
        if !line.isEmpty { try await writer.write(line[...]) }
        throw failure
    }

    /// Writes the records, unless the session is closed meanwhile.
    private func follow(to writer: any BodyWriter) async throws {
        let events = try await session.events(for: owner).events
        try await withThrowingTaskGroup(of: End.self) { group in
            group.addTask {
                do {
                    return .read(.success(try await copy(to: writer)))
                } catch {
                    return .read(.failure(error))
                }
            }
            group.addTask { await closes(events) ? .sessionClosed : .unwatched }
            defer { group.cancelAll() }
            var isClosed = false
            for try await end in group {
                switch end {
                case .unwatched: break
                case .sessionClosed:
                    isClosed = true
                    group.cancelAll()
                case .read(.failure(RecordsReadError<any Error>.records(let error))):
                    let problem = isClosed ? Problem(.expired) : Problem(error.problem)
                    throw RecordsFailure(problem, resume: window.resume(error.resume))
                case .read(.failure(RecordsReadError<any Error>.receiver(let error))): throw error
                case .read(let result): return try result.get()
                }
            }
        }
    }

    private func copy(to writer: any BodyWriter) async throws {
        var encoder = encoder
        try await write(encoder.head[...], to: writer)
        try await records.read { batch in
            // Part by part, so that nothing but the batch itself waits for whoever reads slowly.
            for part in batch.rows.parts(byteCount: 64 << 10) {
                for piece in try encoder.pieces(of: part) { try await write(piece, to: writer) }
            }
        }
        try await write(encoder.tail[...], to: writer)
    }

    private func write(_ piece: ArraySlice<UInt8>, to writer: any BodyWriter) async throws {
        if !piece.isEmpty { try await writer.write(piece) }
    }

    /// Waits for the session to be closed. A watcher that fell behind sees no more, which does no harm: the records are
    /// still the caller's own.
    private func closes(_ events: AsyncThrowingStream<SessionEvent, any Error>) async -> Bool {
        do {
            for try await event in events {
                if case .closed = event { return true }
            }
        } catch {}
        return false
    }
}
