/// Which records of a table are meant, and in which order: an encoded query.
public struct Filter: Sendable, Equatable, ExpressibleByStringLiteral {
    /// The encoded query, such as `active=true^ORDERBYDESCopened_at`. It reaches the instance byte for byte. The instance
    /// drops a part that it does not understand and runs the rest, maybe over the whole table.
    public var query: String
    /// The category of the query (`sysparm_query_category`), which chooses a read replica.
    public var queryCategory: String?
    /// Whether records of other domains are included (`sysparm_query_no_domain`); needs a role.
    public var queryNoDomain: Bool

    /// Makes a filter of an encoded query.
    public init(query: String, queryCategory: String? = nil, queryNoDomain: Bool = false) {
        self.query = query
        self.queryCategory = queryCategory
        self.queryNoDomain = queryNoDomain
    }

    /// Makes a filter of an encoded query.
    public init(stringLiteral query: String) {
        self.init(query: query)
    }
}
