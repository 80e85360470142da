/// The part of a URL that all windows of a query share, hashed once: it is looked up with every fetch, and may be long.
struct FetchURL: Hashable, Sendable {
    /// Its characters, all ASCII.
    let text: String
    private let hash: Int

    /// Takes a URL up to its window.
    init(_ text: String) {
        self.text = text
        hash = text.hashValue
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    static func == (left: FetchURL, right: FetchURL) -> Bool {
        left.hash == right.hash && left.text == right.text
    }
}
