public import Pagination

/// Why a reading of all records ended early. What was delivered is right, but not all.
public struct RecordsError: Error, Sendable, Equatable {
    /// What went wrong with the first records that are missing.
    public var problem: PageSourceError
    /// Where to go on: as `RecordBatch.resume` of the last batch delivered, or further on where nothing was to be delivered
    /// behind it.
    public var resume: RecordsStart
}

/// Why a reading of all records was not carried to its end.
public enum RecordsReadError<Receiver: Error>: Error {
    /// The records could not be fetched.
    case records(RecordsError)
    /// Whoever receives the batches threw this.
    case receiver(Receiver)
}
