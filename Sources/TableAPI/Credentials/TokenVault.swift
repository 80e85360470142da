/// Where replicas leave each other the access tokens that they were granted.
package protocol TokenVault: Sendable {
    /// Finds a token that is good for a while yet, or the turn to have a new one granted. Waits while another replica has
    /// the turn, but no longer than `limit`; where the vault is away everybody has the turn.
    func turn(within limit: Duration) async -> TokenTurn

    /// Forgets a token that the instance refused, so that nobody else takes it.
    func forget(_ token: Secret) async
}

/// What somebody who needs an access token has to do.
package enum TokenTurn: Sendable {
    /// Take this one; its lifetime is what is left of it.
    case use(TokenGrant)
    /// Have one granted, and then say what came of it: `nil` where nothing did.
    case renew(done: @Sendable (TokenGrant?) async -> Void)
}
