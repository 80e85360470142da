import Pagination

/// All records of a query, as `TableService.records` describes them. Nothing is asked of the instance before `read` or
/// `begun`.
public struct TableRecords: Sendable {
    /// Whether they are read by key, unless the instance turns out not to allow it; what it is then is told by where a batch
    /// or an error says to go on.
    public let isByKey: Bool
    private let source: RecordsSource
    private var reading: RecordsReading

    init(_ reading: RecordsReading, isByKey: Bool, source: RecordsSource) {
        self.reading = reading
        self.isByKey = isByKey
        self.source = source
    }

    /// Fetches them and hands them over in batches, in order, one after the other.
    ///
    /// While a batch is being received the next ones are fetched, but no more than the reading's concurrency are under way
    /// or kept here. Cancelling the calling task ends all requests.
    ///
    /// - Parameter receive: receives a batch; called by the task and in the isolation of the caller.
    /// - Throws: `RecordsReadError`. Every batch delivered until then was right.
    public func read<Receiver: Error>(
        _ receive: (RecordBatch) async throws(Receiver) -> Void
    ) async throws(RecordsReadError<Receiver>) {
        var reading = reading
        let result = await withTaskGroup(of: RecordsSource.Outcome.self) { group in
            defer { group.cancelAll() }
            while true {
                let batch: RecordBatch?
                do throws(RecordsError) {
                    batch = try await nextBatch(&reading, &group)
                } catch {
                    return Result<Void, RecordsReadError<Receiver>>.failure(.records(error))
                }
                guard let batch else { return .success(()) }
                do throws(Receiver) {
                    try await receive(batch)
                } catch {
                    return .failure(.receiver(error))
                }
            }
        }
        try result.get()
    }

    /// The same records with the first of them at hand, or the certainty that there are none: for whoever has to know
    /// that they can be read before it promises them to somebody else.
    ///
    /// - Throws: `RecordsError` where the first of them cannot be read.
    public func begun() async throws(RecordsError) -> TableRecords {
        var reading = reading
        let result = await withTaskGroup(of: RecordsSource.Outcome.self) { group in
            do throws(RecordsError) {
                while try !reading.hasNext() {
                    fetchAhead(&reading, &group)
                    guard let outcome = await group.next() else { throw .stuck(at: reading.resume) }
                    reading.complete(outcome.ticket, outcome.result)
                }
                // What was asked for beside them is kept too.
                for await outcome in group { reading.complete(outcome.ticket, outcome.result) }
                return Result<Void, RecordsError>.success(())
            } catch {
                group.cancelAll()
                return .failure(error)
            }
        }
        try result.get()
        return TableRecords(reading, isByKey: isByKey, source: source)
    }

    /// Fetches until the next batch is there; `nil` behind the last one.
    private func nextBatch(
        _ reading: inout RecordsReading, _ group: inout TaskGroup<RecordsSource.Outcome>
    ) async throws(RecordsError) -> RecordBatch? {
        while true {
            if Task.isCancelled { throw RecordsError(problem: .stopping, resume: reading.resume) }
            let batch = try reading.nextBatch()
            // Even where there is one: what is next is fetched while it is being received.
            fetchAhead(&reading, &group)
            if batch != nil || reading.isFinished { return batch }
            guard let outcome = await group.next() else { throw .stuck(at: reading.resume) }
            reading.complete(outcome.ticket, outcome.result)
        }
    }

    private func fetchAhead(
        _ reading: inout RecordsReading, _ group: inout TaskGroup<RecordsSource.Outcome>
    ) {
        while let request = reading.nextRequest() {
            group.addTask { [source] in await source.fetch(request) }
        }
    }
}

extension RecordsError {
    /// Neither anything to deliver nor anything under way: no table can bring this about.
    fileprivate static func stuck(at resume: RecordsStart) -> RecordsError {
        RecordsError(problem: .failed(nil, reason: "a reading of all records that came to a halt"), resume: resume)
    }
}
