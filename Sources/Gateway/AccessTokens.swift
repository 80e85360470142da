import HTTPModel
public import TableAPI

/// The access tokens: names, and for each a secret by which a caller shows that it has it. The secrets themselves are not
/// kept.
///
/// What is kept and compared is a keyed hash. SipHash-2-4 with 128 bits is made to be a MAC under a secret key, and the key
/// is drawn for each process: without it nobody can tell how the hash of a guess relates to that of a token, so a comparison
/// tells nothing that helps the next guess, and no two texts can be made to meet. It is no hash to be stored: tokens have
/// 128 bits to begin with, and what is here dies with the process.
public struct AccessTokens: Sendable {
    /// The fewest bytes of a token, so that it can hold 128 bits.
    public static let minLength = 16

    private struct Entry {
        let holder: TokenHolder
        var digest: (UInt64, UInt64)
    }

    private static let key = (UInt64.random(in: 0...(.max)), UInt64.random(in: 0...(.max)))
    private var entries: [Entry] = []

    /// No tokens.
    public init() {}

    /// Whether there are none.
    public var isEmpty: Bool { entries.isEmpty }

    /// Lets whoever has this secret be known by that name, instead of whoever has the one before.
    ///
    /// - Throws: `AccessTokenFault`; nothing has changed then.
    public mutating func set(_ secret: Secret, for name: String) throws(AccessTokenFault) {
        let text = secret.revealed
        guard text.utf8.count >= Self.minLength else { throw .tooShort }
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .unsendable }
        let digest = SipHash.digest(Array(text.utf8), key: Self.key)
        if let other = entries.first(where: { $0.digest == digest && $0.holder.name != name }) {
            throw .sameAs(other.holder.name)
        }
        if let index = entries.firstIndex(where: { $0.holder.name == name }) {
            entries[index].digest = digest
        } else {
            entries.append(Entry(holder: TokenHolder(name), digest: digest))
        }
    }

    /// Who has sent the request; `nil` unless there is exactly one `Authorization` header with a token that is known
    /// (RFC 6750 §2.1).
    func holder(of headers: HeaderFields) -> TokenHolder? {
        let values = headers.values(of: "Authorization")
        guard values.count == 1 else { return nil }
        let value = values[0].utf8
        let scheme = value.prefix(6)
        guard equalIgnoringCase(String(Substring(scheme)), "Bearer"), value.dropFirst(6).first == 0x20 else {
            return nil
        }
        return holder(ofToken: Array(value.dropFirst(6).drop { $0 == 0x20 }))
    }

    /// Takes the same time whichever token it is, and whether or not it is one.
    private func holder(ofToken token: [UInt8]) -> TokenHolder? {
        let digest = SipHash.digest(token, key: Self.key)
        var found = 0
        for (index, entry) in entries.enumerated() {
            let difference = (entry.digest.0 ^ digest.first) | (entry.digest.1 ^ digest.second)
            // The first bit of a number or of its negative is set, unless it is zero.
            let isSame = 1 ^ (difference | (0 &- difference)) >> 63
            found |= Int(truncatingIfNeeded: isSame) &* (index + 1)
        }
        return found == 0 ? nil : entries[found - 1].holder
    }
}

/// Why a secret cannot be an access token. Tells nothing of it.
public enum AccessTokenFault: Error, Equatable, CustomStringConvertible {
    /// It has fewer than 16 bytes.
    case tooShort
    /// It has characters that cannot stand in a header.
    case unsendable
    /// Somebody else has it.
    case sameAs(String)

    /// What would be right, for the person who configures it.
    public var description: String {
        switch self {
        case .tooShort:
            "the token is shorter than \(AccessTokens.minLength) bytes; take one such as openssl rand -hex 32 makes"
        case .unsendable: "the token has to be visible ASCII characters, without spaces and line breaks between them"
        case .sameAs(let name): "the token is also that of \(name); each name needs a token of its own"
        }
    }
}
