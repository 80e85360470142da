import Pagination

/// A password, token or key: a text that never prints, whichever way it is printed.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private enum Place: Sendable {
        case text(String)
        case file(SecretFile)
    }

    private let place: Place

    /// Keeps a text secret.
    public init(_ text: String) {
        place = .text(text)
    }

    /// A secret that is whatever the file holds now.
    public init(in file: SecretFile) {
        place = .file(file)
    }

    /// The text itself, for what has to send it.
    public var revealed: String {
        switch place {
        case .text(let text): text
        case .file(let file): file.text
        }
    }

    /// The text, to be sent.
    ///
    /// - Throws: `CredentialFailure.absent` where a file has none now.
    var sendable: String {
        get throws(CredentialFailure) {
            let text = revealed
            guard isFixed || !text.isEmpty else { throw unusable }
            return text
        }
    }

    /// That what a file holds now is no secret that can be sent. Names the setting, and nothing of what is in the file.
    var unusable: CredentialFailure {
        let setting: String? = if case .file(let file) = place { file.setting } else { nil }
        let owner = setting.map { "the file named by \($0)" } ?? "the file with the secret for the instance"
        return .absent(
            .failed(nil, reason: "\(owner) is empty now, or holds what cannot be sent; the instance was not asked"))
    }

    /// Whether the text stays the same for ever.
    var isFixed: Bool {
        if case .text = place { true } else { false }
    }

    /// Reads the file again where the text comes from one: it was refused, so it may have been replaced just now.
    func readAgain() {
        if case .file(let file) = place { file.readAgain() }
    }

    /// Whether the two texts are the same now, wherever they come from.
    public static func == (left: Secret, right: Secret) -> Bool {
        left.revealed == right.revealed
    }

    /// Always the same, so that nothing about the text shows.
    public var description: String { "<redacted>" }
    /// Always the same, so that nothing about the text shows.
    public var debugDescription: String { description }
    /// A mirror without children: `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Whether a text can stand in a header: visible ASCII and spaces, and at least one character.
func isHeaderText(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
}
