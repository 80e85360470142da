/// A command line that cannot be understood: what was wrong and what would be right, in one line.
struct CommandLineError: Error, Equatable {
    /// The line, without the program's name.
    var message: String
    /// The command whose help explains it; `nil` for the program's.
    var command: String?
}
