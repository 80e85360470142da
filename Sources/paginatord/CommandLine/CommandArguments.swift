/// The arguments of one command, taken apart by its syntax.
struct CommandArguments: Equatable {
    /// Whether `--help` was among them; the others then mean nothing.
    private(set) var wantsHelp = false
    /// The argument without dashes.
    private(set) var operand: String?
    private let command: String
    private var values: [String: [String]] = [:]

    /// Takes arguments apart. `--option value` and `--option=value` mean the same; behind `--` nothing is an option.
    ///
    /// - Throws: `CommandLineError` for what the syntax does not have.
    init(_ arguments: some Sequence<String>, by syntax: CommandSyntax) throws(CommandLineError) {
        command = syntax.name
        var rest = arguments.makeIterator()
        var isPastOptions = false
        while let argument = rest.next() {
            if argument == "--", !isPastOptions {
                isPastOptions = true
            } else if !isPastOptions, argument == "-h" {
                wantsHelp = true
            } else if !isPastOptions, argument.hasPrefix("-"), argument.count > 1 {
                let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.count > 1 ? String(parts[1]) : nil
                try take(String(parts[0]), value, &rest, syntax)
            } else if syntax.operand != nil, operand == nil {
                operand = argument
            } else {
                throw error("unexpected argument \(printable(argument)); \(command) takes \(Self.taken(by: syntax))")
            }
        }
    }

    /// Whether a switch is on.
    func has(_ option: String) -> Bool {
        values[option] != nil
    }

    /// Every value of an option, in order.
    func all(_ option: String) -> [String] {
        values[option] ?? []
    }

    /// The value of an option, read by the closure.
    ///
    /// - Throws: `CommandLineError` where the closure has none, saying what was expected.
    func value<Value>(
        _ option: String, expected: String, _ read: (String) -> Value?
    ) throws(CommandLineError) -> Value? {
        guard let text = values[option]?.last else { return nil }
        guard let value = read(text) else {
            throw error("\(option): expected \(expected) but found \"\(printable(text))\"")
        }
        return value
    }

    /// An error of this command.
    func error(_ message: String) -> CommandLineError {
        CommandLineError(message: message, command: command)
    }

    private mutating func take(
        _ name: String, _ joined: String?, _ rest: inout some IteratorProtocol<String>, _ syntax: CommandSyntax
    ) throws(CommandLineError) {
        guard let option = syntax.allOptions.first(where: { $0.name == name }) else {
            let names = syntax.allOptions.map(\.name)
            let suggestion = Spelling.nearest(to: name, among: names).map { "did you mean \($0)?" }
            throw error(
                "unknown option \(printable(name)); \(suggestion ?? "\(command) takes \(names.joined(separator: ", "))")"
            )
        }
        guard let value = option.value else {
            guard joined == nil else { throw error("\(name) takes no value") }
            wantsHelp = wantsHelp || name == "--help"
            values[name] = []
            return
        }
        if values[name] != nil, !option.isRepeatable { throw error("\(name) may stand only once") }
        guard let text = joined ?? rest.next(), !text.isEmpty, joined != nil || !text.hasPrefix("--") else {
            throw error("\(name) needs a value: \(name) \(value)")
        }
        values[name, default: []].append(text)
    }

    private static func taken(by syntax: CommandSyntax) -> String {
        switch (syntax.operand, syntax.options.isEmpty) {
        case (let operand?, _): "one \(operand)"
        case (nil, true): "no arguments"
        case (nil, false): "options only"
        }
    }
}
