/// Why an instance cannot be used as described. Each detail is one line for a person and repeats no secret.
public enum InstanceError: Error, Sendable, Equatable {
    /// The URL is none that requests may be sent to.
    case invalidURL(String)
    /// The user name cannot be sent with the basic scheme.
    case invalidUsername(String)
    /// A token or key cannot be sent in a header.
    case invalidSecret(String)
}
