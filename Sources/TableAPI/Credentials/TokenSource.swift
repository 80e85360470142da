package import Pagination

/// Gives out access tokens, and gets new ones in time. Asynchronous, so that replicas can share tokens.
package protocol TokenSource: Sendable {
    /// A token that, as far as is known, the instance takes. Whoever asks while one is being had waits for that one.
    ///
    /// - Throws: `PageSourceError` where none can be had, or the calling task was cancelled.
    func token() async throws(PageSourceError) -> Secret

    /// Hears that the instance refused a token.
    ///
    /// - Returns: whether the next token may be another one.
    func refuse(_ token: Secret) async -> Bool
}
