/// A ServiceNow instance and how to speak to it.
public struct Instance: Sendable, Equatable {
    /// Which version of the Table API is asked for. They differ in how they answer a list without rows.
    public enum APIVersion: String, Sendable, CaseIterable {
        /// No version in the path: the instance's latest.
        case latest
        /// A list without rows is a 404.
        case v1
        /// A list without rows is an empty list.
        case v2
    }

    /// The name by which sessions choose it.
    public let name: String
    /// Where it answers.
    public let url: InstanceURL
    /// The version of the Table API to use.
    public let apiVersion: APIVersion
    /// How requests prove who they come from.
    public let credentials: Credentials
    /// The time that one attempt may take, connecting included. Above the 60 s after which an instance ends a request
    /// itself, so that its own error is seen.
    public let timeout: Duration
    /// The largest page, in bytes after decompression.
    public let maxPageBytes: Int
    /// How much it is asked at most.
    public let restraint: Restraint

    /// Describes an instance.
    ///
    /// - Throws: `InstanceError` for a URL, a user name or a secret that cannot be used.
    public init(
        name: String = "default", url: String, apiVersion: APIVersion = .latest, credentials: Credentials = .none,
        timeout: Duration = .seconds(65), maxPageBytes: Int = 64 << 20, restraint: Restraint = Restraint()
    ) throws(InstanceError) {
        self.name = name
        self.url = try InstanceURL(url)
        self.apiVersion = apiVersion
        try credentials.validate()
        self.credentials = credentials
        self.timeout = timeout
        self.maxPageBytes = maxPageBytes
        self.restraint = restraint
    }
}
