import FoundationEssentials

extension Configuration {
    /// The environment of this process: the one place that reads it.
    static var processEnvironment: [String: String] {
        ProcessInfo.processInfo.environment
    }
}
