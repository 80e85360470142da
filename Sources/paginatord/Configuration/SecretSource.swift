/// Where a secret stands.
enum SecretSource: Sendable, Equatable {
    /// In the environment variable of that name.
    case variable(String)
    /// In the file at that path.
    case file(String)
}
