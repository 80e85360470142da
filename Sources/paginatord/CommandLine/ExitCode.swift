/// How the process ends (the numbers are those of sysexits.h).
enum ExitCode: Int32, Sendable {
    /// What was asked for was done.
    case success = 0
    /// The command line is wrong.
    case wrongUsage = 64
    /// A listener, or the service that was asked, is not available.
    case unavailable = 69
    /// A bug.
    case internalBug = 70
    /// An export is not whole.
    case incomplete = 75
    /// The configuration is wrong.
    case wrongConfiguration = 78
}
