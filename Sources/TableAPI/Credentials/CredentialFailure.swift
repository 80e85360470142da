package import Pagination

/// Why there are no credentials for an attempt, and whose failure that is: what an instance does to one request must not
/// count once for each of those that waited for it.
package enum CredentialFailure: Error, Equatable {
    /// There is nothing to ask with, or nobody there to ask for. The instance has no part in it, and asking again is no use.
    case absent(PageSourceError)
    /// The instance was asked in this very attempt, and that came of it.
    case asked(PageSourceError)
    /// Another attempt asked for all, or takes longer over it than this one can wait.
    case shared(PageSourceError)

    /// What to tell the caller.
    var problem: PageSourceError {
        switch self {
        case .absent(let problem), .asked(let problem), .shared(let problem): problem
        }
    }
}
