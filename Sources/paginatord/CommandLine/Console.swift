import Glibc

/// The two texts that a command writes: what was asked for, and what a person should know beside it.
struct Console: Sendable {
    /// Writes to standard output.
    var output: @Sendable (String) -> Void
    /// Writes to standard error.
    var error: @Sendable (String) -> Void

    /// The process's own.
    static let standard = Console(output: { write($0, to: STDOUT_FILENO) }, error: { write($0, to: STDERR_FILENO) })

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

extension Console {
    /// Says what is wrong with a command line, and where the right ones are explained.
    func report(_ error: CommandLineError) -> ExitCode {
        let help = error.command.map { "paginatord \($0) --help" } ?? "paginatord --help"
        self.error("paginatord: \(error.message)\npaginatord: see \(help)\n")
        return .wrongUsage
    }

    /// Says what is wrong with a configuration.
    func report(_ error: ConfigurationFailure) -> ExitCode {
        self.error(error.problems.map { "paginatord: \($0)\n" }.joined())
        return .wrongConfiguration
    }
}
