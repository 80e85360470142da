import TableAPI

/// The words for `auth.type`.
private enum CredentialKind: String, CaseIterable {
    case none, basic, bearer, apiKey, oauth, certificate, forward
}

/// Every key of `auth` beside `type`, of whatever kind.
private let credentialKeys = [
    "username", "password", "token", "key", "grant", "clientID", "clientSecret", "certificate",
]

/// The words for `auth.grant`.
private enum GrantKind: String, CaseIterable {
    case clientCredentials = "client_credentials"
    case password
}

extension ConfigurationSection {
    /// Takes `auth` of an instance; `nil` where something is wrong, and has been complained about.
    mutating func credentials(overriddenBy variables: InstanceVariables?) -> Credentials? {
        var section = section("auth")
        defer { section.finish() }
        let kind: CredentialKind? = section.value("type", .choice())
        if let variables, variables.namesCredentials {
            return section.credentials(of: kind, overriddenBy: variables)
        }
        switch kind {
        case CredentialKind.none?: return Credentials.none
        case .basic: return section.user().map { .basic(username: $0, password: $1) }
        case .oauth: return section.oauthClient().map { .oauth($0) }
        case .certificate:
            let certificate = section.pemFile("certificate", .certificate)
            let key = section.pemFile("key", .privateKey)
            guard let certificate, let key else { return nil }
            return .certificate(certificateFile: certificate, keyFile: key)
        case .forward: return .forward
        case .bearer: return section.requiredSecret("token").map { .bearer($0) }
        case .apiKey: return section.requiredSecret("key").map { .apiKey($0) }
        case nil:
            if !has("auth") { return Credentials.none }
            if !section.has("type") {
                let words = CredentialKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                section.complain("type", "not set; expected one of \(words)")
            }
            return nil
        }
    }

    /// Credentials from the variables, which are basic ones or a token. Of the file, basic credentials fill what the
    /// variables leave out; all else in it is overridden as a whole.
    private mutating func credentials(
        of kind: CredentialKind?, overriddenBy variables: InstanceVariables
    ) -> Credentials? {
        defer {
            // Secrets that are overridden are not looked for: their own variables need not be there.
            for name in credentialKeys { _ = member(name) }
        }
        guard kind != .forward else {
            // Whoever has callers log in themselves must not end up with one login for all of them.
            reading.complain(variables.firstCredential, "set beside auth.type \"forward\", which excludes it")
            return nil
        }
        guard variables.bearer.isNamed else { return basic(kind == .basic, overriddenBy: variables) }
        guard !variables.namesUser else {
            reading.complain(
                variables.bearer.variable, "set beside \(variables.firstCredential); one kind of credentials is enough")
            return nil
        }
        return variables.bearer.secret.map { .bearer($0) }
    }

    private mutating func basic(_ isInFile: Bool, overriddenBy variables: InstanceVariables) -> Credentials? {
        let username = variables.username ?? (isInFile ? requiredText("username", "a user name") : nil)
        let password = variables.password.secret ?? (isInFile && !variables.password.isNamed ? secret("password") : nil)
        if username == nil, !isInFile {
            reading.complain(InstanceVariables.usernameName, "not set, though \(variables.password.variable) is")
        }
        if password == nil, !variables.password.isNamed, !isInFile || !has("password") {
            reading.complain(variables.password.name, "not set, though \(InstanceVariables.usernameName) is")
        }
        guard let username, let password else { return nil }
        return .basic(username: username, password: password)
    }

    private mutating func oauthClient() -> OAuthClient? {
        let kind: GrantKind? = value("grant", .choice())
        if !has("grant") {
            complain("grant", #"not set; expected one of "client_credentials", "password""#)
        }
        let id = requiredText("clientID", "a client's name")
        let secret = requiredSecret("clientSecret")
        var grant: OAuthClient.Grant?
        switch kind {
        case .clientCredentials: grant = .clientCredentials
        case .password: grant = user().map { .password(username: $0, password: $1) }
        case nil: break
        }
        guard let id, let secret, let grant else { return nil }
        return OAuthClient(id: id, secret: secret, grant: grant)
    }

    private mutating func user() -> (name: String, password: Secret)? {
        let username = requiredText("username", "a user name")
        let password = requiredSecret("password")
        guard let username, let password else { return nil }
        return (username, password)
    }

    private mutating func pemFile(_ name: String, _ label: PEMLabel) -> String? {
        guard let path = file(name) else {
            if !has(name) { complain(name, "not set; expected the path of a PEM file") }
            return nil
        }
        return pem(name, at: path, label) == nil ? nil : path
    }

    private mutating func requiredText(_ name: String, _ expected: String) -> String? {
        let text = value(name, .text(expected))
        if !has(name) { complain(name, "not set") }
        return text
    }

    private mutating func requiredSecret(_ name: String) -> Secret? {
        let secret = secret(name)
        if !has(name) { complain(name, #"not set; expected { env: "NAME" } or { file: "PATH" }"#) }
        return secret
    }
}

extension ConfigurationSection {
    /// The text of a PEM file.
    fileprivate func pem(_ name: String, at path: String, _ label: PEMLabel) -> String? {
        do throws(FileError) {
            return try label.text(at: path)
        } catch {
            complain(name, error.reason)
            return nil
        }
    }
}
