import HTTPModel

/// Signs with the tokens of a source.
struct TokenCredentialSource: CredentialSource {
    /// Where the tokens come from.
    let tokens: any TokenSource

    /// The signature with the present token.
    func signature(_ course: inout AttemptCourse) async throws(CredentialFailure) -> Signature {
        Signature(headers: ["Authorization": scheme + (try await tokens.token(&course)).revealed])
    }

    /// Has the token replaced.
    func refuse(_ signature: Signature) async -> Bool {
        guard let value = signature.headers["Authorization"] else { return false }
        return await tokens.refuse(Secret(String(value.dropFirst(scheme.count))))
    }
}

private let scheme = "Bearer "
