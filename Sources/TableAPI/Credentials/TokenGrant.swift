/// What a token endpoint granted.
package struct TokenGrant: Sendable, Equatable {
    /// The access token.
    package var token: Secret
    /// How long it is good, in seconds; `nil` where the endpoint does not say.
    package var lifetime: Int?
    /// By what the next one can be had, where there is such a thing.
    package var refreshToken: Secret?

    /// Makes a grant.
    package init(token: Secret, lifetime: Int?, refreshToken: Secret?) {
        self.token = token
        self.lifetime = lifetime
        self.refreshToken = refreshToken
    }
}
