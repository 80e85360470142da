import HTTPModel

/// Signs with one header, which holds a secret: always the same one, or what a file holds at the time.
struct SecretSource: CredentialSource {
    private let header: String
    private let secret: Secret
    private let value: @Sendable (String) -> String
    private let fixed: Signature?

    /// Signs with that header.
    ///
    /// - Parameter value: the header's value for the secret.
    init(header: String, secret: Secret, value: @escaping @Sendable (String) -> String) {
        self.header = header
        self.secret = secret
        self.value = value
        fixed = secret.isFixed ? Signature(headers: [header: value(secret.revealed)]) : nil
    }

    /// The signature with the secret as it is now.
    ///
    /// - Throws: `CredentialFailure.absent` where a file holds something now that no header can carry.
    func signature(_ course: inout AttemptCourse) async throws(CredentialFailure) -> Signature {
        if let fixed { return fixed }
        let value = value(try secret.sendable)
        guard isHeaderText(value) else { throw secret.unusable }
        return Signature(headers: [header: value])
    }

    /// Reads the file again: a secret that was replaced just now is worth another attempt.
    func refuse(_ signature: Signature) async -> Bool {
        guard fixed == nil else { return false }
        secret.readAgain()
        return signature.headers[header] != value(secret.revealed)
    }
}
