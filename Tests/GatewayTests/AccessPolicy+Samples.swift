import HTTPModel
import TableAPI
import Testing

@testable import Gateway

extension AccessPolicy {
    static let alice = "alice-0123456789abcdef"
    static let bob = "bob-0123456789abcdef"

    /// A policy with tokens for alice and bob, or with none.
    static func sample(
        tokens: [String: String] = ["alice": alice, "bob": bob], origins: [String] = [], hosts: [String] = [],
        requestsPerToken: Int = 256
    ) throws -> AccessPolicy {
        AccessPolicy(
            hosts: hosts, origins: try origins.map { try #require(WebOrigin($0)) }, tokens: try AccessTokens(tokens),
            requestsPerToken: requestsPerToken)
    }
}

extension AccessTokens {
    init(_ tokens: [String: String]) throws(AccessTokenFault) {
        self.init()
        for (name, text) in tokens.sorted(by: { $0.key < $1.key }) { try set(Secret(text), for: name) }
    }
}

extension GatewayConfiguration {
    static func sample(_ access: AccessPolicy, maxRequestBody: Int = 1 << 20) -> GatewayConfiguration {
        GatewayConfiguration(maxRequestBody: maxRequestBody, access: access)
    }
}

/// The header of whoever has that token.
func bearer(_ token: String) -> HeaderFields { ["Authorization": "Bearer " + token] }
