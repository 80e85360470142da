/// What makes two fetches one and the same: made with the same credentials, by the same service, for the same URL.
struct FetchKey: Hashable, Sendable {
    /// The number of the service in the cache that it shares with others; 0 without one.
    var service = 0
    /// Whose credentials they are; empty for the service's own.
    var holder: String
    /// The URL up to its window: instance, table, query, fields and how they are given.
    var url: FetchURL
    /// The rows to skip.
    var offset: Int
    /// The rows to return at most.
    var limit: Int
}
