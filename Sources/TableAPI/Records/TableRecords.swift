import Locks
import Pagination

/// All records of a query, as `TableService.records` describes them. Nothing is asked of the instance before `read` or
/// `begun`.
public struct TableRecords: Sendable {
    /// Whether they are read by key, unless the instance turns out not to allow it; what it is then is told by where a batch
    /// or an error says to go on.
    public let isByKey: Bool
    private let source: RecordsSource
    private let plan: RecordsReading
    private let beginning: Beginning
    private let room: RecordsRoom?

    /// What has begun, for the first who reads: kept beside what is read it would take up memory for nothing.
    private final class Beginning: Sendable {
        private let reading: Lock<(RecordsReading, RecordsShare?)?>

        init(_ reading: (RecordsReading, RecordsShare?)?) {
            self.reading = Lock(reading)
        }

        func take() -> (RecordsReading, RecordsShare?)? {
            reading.withLock { reading in
                defer { reading = nil }
                return reading
            }
        }
    }

    /// - Parameter room: for what is kept until it can be received; `nil`: as much as it takes.
    init(_ plan: RecordsReading, isByKey: Bool, source: RecordsSource, room: RecordsRoom?) {
        self.init(plan, isByKey: isByKey, source: source, room: room, beginning: nil)
    }

    private init(
        _ plan: RecordsReading, isByKey: Bool, source: RecordsSource, room: RecordsRoom?,
        beginning: (RecordsReading, RecordsShare?)?
    ) {
        self.plan = plan
        self.isByKey = isByKey
        self.source = source
        self.room = room
        self.beginning = Beginning(beginning)
    }

    private func takeBeginning() -> (RecordsReading, RecordsShare?) {
        beginning.take() ?? (plan, room.map { RecordsShare($0) })
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
        var (reading, share) = takeBeginning()
        let result = await withTaskGroup(of: RecordsSource.Outcome.self) { group in
            defer { group.cancelAll() }
            while true {
                let batch: RecordBatch?
                do throws(RecordsError) {
                    batch = try await nextBatch(&reading, share, &group)
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
        var (reading, share) = takeBeginning()
        let result = await withTaskGroup(of: RecordsSource.Outcome.self) { group in
            do throws(RecordsError) {
                while try !reading.hasNext() {
                    fetchAhead(&reading, share, &group, isDelivering: false)
                    guard let outcome = await group.next() else { throw .stuck(at: reading.resume) }
                    complete(&reading, share, outcome)
                }
                // What was asked for beside them is kept too.
                for await outcome in group { complete(&reading, share, outcome) }
                return Result<Void, RecordsError>.success(())
            } catch {
                group.cancelAll()
                return .failure(error)
            }
        }
        try result.get()
        return TableRecords(
            plan, isByKey: isByKey, source: source, room: room, beginning: (reading, share))
    }

    /// Fetches until the next batch is there; `nil` behind the last one.
    private func nextBatch(
        _ reading: inout RecordsReading, _ share: RecordsShare?, _ group: inout TaskGroup<RecordsSource.Outcome>
    ) async throws(RecordsError) -> RecordBatch? {
        while true {
            if Task.isCancelled { throw RecordsError(problem: .stopping, resume: reading.resume) }
            let batch = try reading.nextBatch()
            // Even where there is one: what is next is fetched while it is being received.
            fetchAhead(&reading, share, &group, isDelivering: batch != nil)
            if batch != nil || reading.isFinished { return batch }
            guard let outcome = await group.next() else { throw .stuck(at: reading.resume) }
            complete(&reading, share, outcome)
        }
    }

    private func fetchAhead(
        _ reading: inout RecordsReading, _ share: RecordsShare?, _ group: inout TaskGroup<RecordsSource.Outcome>,
        isDelivering: Bool
    ) {
        let delivering = isDelivering ? 1 : 0
        // What is held may have become less, or another size of a window is known by now.
        _ = share?.hold(windows: reading.windows + delivering, always: true)
        defer { _ = share?.hold(windows: reading.windows + delivering, always: true) }
        while true {
            let hasRoom = share?.hold(windows: reading.windows + delivering + 1, always: false) ?? true
            // Without room one request goes on, for less, unless there is a batch to be rid of first.
            guard hasRoom || (!isDelivering && group.isEmpty) else { return }
            if share != nil { reading.narrow(!hasRoom) }
            guard let request = reading.nextRequest() else { return }
            group.addTask { [source] in await source.fetch(request) }
        }
    }

    private func complete(_ reading: inout RecordsReading, _ share: RecordsShare?, _ outcome: RecordsSource.Outcome) {
        if let share, case .success(let answer) = outcome.result, !answer.rows.isEmpty {
            share.learn(answer.rows.byteCount)
        }
        reading.complete(outcome.ticket, outcome.result)
    }
}

extension RecordsError {
    /// Neither anything to deliver nor anything under way: no table can bring this about.
    fileprivate static func stuck(at resume: RecordsStart) -> RecordsError {
        RecordsError(problem: .failed(nil, reason: "a reading of all records that came to a halt"), resume: resume)
    }
}
