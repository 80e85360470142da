import HTTPModel

/// Signs requests, anew for every attempt: what it signs with may have been renewed since the last one.
protocol CredentialSource: Sendable {
    /// The signature of one attempt, within that attempt's time.
    ///
    /// - Throws: `CredentialFailure` where there is nothing to sign with.
    func signature(_ course: inout AttemptCourse) async throws(CredentialFailure) -> Signature

    /// Hears that the instance refused a signature.
    ///
    /// - Returns: whether another attempt is worth it, because the next signature may be another one.
    func refuse(_ signature: Signature) async -> Bool
}

/// Signs nothing.
struct UnsignedSource: CredentialSource {
    /// A signature without a header.
    func signature(_ course: inout AttemptCourse) async throws(CredentialFailure) -> Signature { Signature() }

    /// There is no other.
    func refuse(_ signature: Signature) async -> Bool { false }
}
