import Gateway
import HTTPModel
import TableAPI

/// Who may call the service.
struct AccessConfiguration: Sendable {
    /// The access tokens; none where nobody needs one.
    var tokens: [ConfiguredToken] = []
    /// The host names that the service answers to, beside loopback names and IP addresses.
    var hosts: [String] = []
    /// The origins whose web pages may call.
    var origins: [WebOrigin] = []
    /// Whether everybody may call who reaches the service from another machine, where there are no tokens.
    var allowAnonymous = false
}

extension AccessConfiguration {
    /// Takes `access`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("access")
        hosts = section.value("hosts", .texts("host names"), default: []).compactMap { section.host($0) }
        origins = section.value("origins", .texts("origins"), default: []).compactMap { section.origin($0) }
        allowAnonymous = section.value("allowAnonymous", .boolean, default: allowAnonymous)
        tokens = section.tokens()
        section.finish()
        _ = table { section.reading.complain($0.setting, $1.description) }
    }

    /// The tokens as the gateway knows callers by them.
    ///
    /// - Parameter refuse: is told of those that cannot be used, and why.
    func table(_ refuse: (ConfiguredToken, AccessTokenFault) -> Void = { _, _ in }) -> AccessTokens {
        var table = AccessTokens()
        for token in tokens {
            do throws(AccessTokenFault) {
                try table.set(token.secret, for: token.name)
            } catch {
                refuse(token, error)
            }
        }
        return table
    }
}

extension ConfigurationSection {
    fileprivate func host(_ text: String) -> String? {
        let expected = #"expected a host name such as "pages.internal.example""#
        guard let host = Host(text) else {
            complain("hosts", "\(expected) but found \(quoted(text))")
            return nil
        }
        guard host.port == nil else {
            complain("hosts", "\(quoted(text)) has a port, which does not matter here; expected \(quoted(host.name))")
            return nil
        }
        return host.name
    }

    fileprivate func origin(_ text: String) -> WebOrigin? {
        if let origin = WebOrigin(text) { return origin }
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        if parts.count == 4, let meant = WebOrigin(parts[..<3].joined(separator: "/")) {
            complain("origins", "\(quoted(text)) has a path; expected \(quoted(meant.description))")
        } else if text == "null" || text == "*" {
            complain("origins", "\(quoted(text)) would let any page in; expected the origin of each page that may call")
        } else {
            complain("origins", #"expected an origin such as "https://app.example" but found \#(quoted(text))"#)
        }
        return nil
    }

    fileprivate mutating func tokens() -> [ConfiguredToken] {
        let variable = VariableSecret("PAGINATORD_ACCESS_TOKEN", in: reading)
        let variableToken = "default"
        var section = section("tokens", hasVariables: false)
        var tokens: [ConfiguredToken] = []
        for name in section.names {
            guard isPlainName(name) else {
                section.complain(name, plainNameRule)
                _ = section.member(name)
                continue
            }
            if variable.isNamed, name == variableToken {
                // Overridden, so it is not looked for: its own variable need not be there.
                _ = section.member(name)
            } else if let source = section.secretSource(name), let secret = section.secret(name, in: source) {
                tokens.append(
                    ConfiguredToken(name: name, secret: secret, source: source, setting: section.settingName(name)))
            }
        }
        section.finish()
        if let secret = variable.secret {
            tokens.append(
                ConfiguredToken(
                    name: variableToken, secret: secret, source: variable.source, setting: variable.variable))
        }
        return tokens
    }
}
