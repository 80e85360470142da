/// How far a transfer has come. Its transitions decide who resumes the caller, so that exactly one does.
enum TransferState: Equatable {
    /// Not yet seen by its loop.
    case new
    /// libcurl has it.
    case running
    /// The caller has been resumed, or will be as soon as it has begun to wait.
    case ended

    /// What a cancellation has to do.
    enum Cancellation: Equatable {
        /// Nothing: the transfer has ended, or will not be begun.
        case nothing
        /// Take the transfer from libcurl and resume the caller.
        case endTransfer
    }

    /// Begins. False if it was cancelled before: the caller is then resumed at once.
    mutating func begin() -> Bool {
        guard self == .new else { return false }
        self = .running
        return true
    }

    /// Ends. True for the first to end it, who resumes the caller.
    mutating func end() -> Bool {
        defer { self = .ended }
        return self == .running
    }

    /// Cancels.
    mutating func cancel() -> Cancellation {
        defer { self = .ended }
        return self == .running ? .endTransfer : .nothing
    }
}
