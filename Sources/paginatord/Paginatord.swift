import Glibc

/// The program. Not a `main.swift`: closures formed in top-level code can inherit the main actor.
@main
struct Paginatord {
    /// Runs the command that the arguments name, and ends the process with its exit code.
    static func main() async {
        openStandardDescriptors()
        FreedMemory.keepAtHand()
        let program = Program(environment: Configuration.processEnvironment)
        exit(await program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
