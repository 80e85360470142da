import HTTPModel
import Pagination

/// Signs with what the caller brings.
struct ForwardingSource: CredentialSource {
    /// The caller's own header, held by the caller.
    ///
    /// - Throws: `CredentialFailure.absent` where nobody brought one.
    func signature(_ course: inout AttemptCourse) async throws(CredentialFailure) -> Signature {
        guard let caller = ForwardedAuthorization.current else { throw .absent(.callerUnauthenticated(nil)) }
        return Signature(headers: ["Authorization": caller.value.revealed], holder: caller.owner)
    }

    /// Only the caller can bring another.
    func refuse(_ signature: Signature) async -> Bool { false }
}
