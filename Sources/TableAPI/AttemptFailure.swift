import HTTPModel

/// Why an attempt brought no whole answer.
enum AttemptFailure: Error {
    /// There are no credentials to send.
    case credentials(CredentialFailure)
    /// The transport brought none.
    case transport(TransportError)
}
