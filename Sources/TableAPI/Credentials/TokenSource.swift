/// Gives out access tokens, and gets new ones in time. Asynchronous, so that replicas can share tokens.
package protocol TokenSource: Sendable {
    /// A token that, as far as is known, the instance takes. Whoever asks while one is being had waits for that one, but no
    /// longer than its own attempt may take.
    ///
    /// - Throws: `CredentialFailure` where none can be had, or the calling task was cancelled.
    func token(_ course: inout AttemptCourse) async throws(CredentialFailure) -> Secret

    /// Hears that the instance refused a token.
    ///
    /// - Returns: whether the next token may be another one.
    func refuse(_ token: Secret) async -> Bool
}
