/// What is read again when SIGHUP comes, in this order, so that whoever rotates a secret need not restart anything.
struct Renewals: Sendable {
    private var steps: [@Sendable () async -> Void] = []

    /// Adds a step. It keeps what is in force where it fails, tells the observer of its success or failure
    /// (`settingRenewed`, `settingNotRenewed`), and does not take long: a signal to stop waits for it.
    mutating func add(_ step: @escaping @Sendable () async -> Void) {
        steps.append(step)
    }

    /// Takes the steps, one after the other.
    func run() async {
        for step in steps { await step() }
    }
}
