import Synchronization

/// A caller that is known by an access token: the same one for as long as the process runs, whatever its secret is now.
final class TokenHolder: Sendable {
    /// The token's name.
    let name: String
    /// Whose sessions it has. The name and nothing of the secret, so that sessions outlive both the secret and the process;
    /// the colon keeps it apart from callers who bring credentials of their own, whose names are hexadecimal digits.
    let owner: String
    private let underWay = Atomic(0)

    /// A holder with nothing under way.
    init(_ name: String) {
        self.name = name
        owner = "token:" + name
    }

    /// Begins a request; `nil` where as many as that are under way.
    func begin(limit: Int) -> RequestPermit? {
        guard underWay.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            end()
            return nil
        }
        return RequestPermit(self)
    }

    fileprivate func end() {
        underWay.wrappingSubtract(1, ordering: .relaxed)
    }
}

/// One request that is under way: until all of its answer is sent, or it is forgotten because its caller has gone.
final class RequestPermit: Sendable {
    private let holder: TokenHolder
    private let isOpen = Atomic(true)

    /// A request that has been counted.
    fileprivate init(_ holder: TokenHolder) {
        self.holder = holder
    }

    /// The request is over. Once is enough; where nobody says it, it is when nobody holds the permit any more.
    func end() {
        if isOpen.exchange(false, ordering: .relaxed) { holder.end() }
    }

    deinit {
        end()
    }
}
