/// How long one side may be silent before the other one takes it for gone.
///
/// Short enough that nobody waits long behind a process that was killed, and several times as long as the rest between two of
/// the words that a process gives.
struct SilenceLimits: Sendable {
    /// How long a lease lives on the server without being renewed, as it is every `Leases.renewal`.
    var lease = Duration.seconds(2)
    /// How long a permission for one request lives on the server without being renewed, as it is every
    /// `SharedBudget.renewal`.
    var permit = Duration.seconds(5)
    /// How long a place in the row of those that wait lives on the server without being asked for again.
    var place = Duration.seconds(1)
    /// How long the turn to have a token granted lasts at the most.
    var tokenTurn = Duration.seconds(20)
    /// For how long nothing may come over the connection for subscriptions: then the server is asked whether it is still
    /// there, and after as long again without an answer the connection is made anew.
    var subscription = Duration.seconds(2)
}
