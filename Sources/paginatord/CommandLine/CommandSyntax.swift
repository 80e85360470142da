/// What a command takes: the one place from which it is parsed and explained.
struct CommandSyntax: Sendable {
    /// One option.
    struct Option: Sendable {
        /// With its dashes.
        var name: String
        /// What its value is called; `nil` for a switch.
        var value: String?
        /// Whether it may stand more than once.
        var isRepeatable = false
        /// One line for the help.
        var help: String

        /// As in `--config FILE`.
        var usage: String {
            value.map { "\(name) \($0)" } ?? name
        }
    }

    /// How it is called.
    var name: String
    /// One line for the help.
    var summary: String
    /// What it takes with dashes.
    var options: [Option] = []
    /// What an argument without dashes is called; `nil` where there is none. It may be left out.
    var operand: String?
    /// Further lines for the help.
    var notes: [String] = []

    /// Every option, `--help` among them.
    var allOptions: [Option] {
        options + [Option(name: "--help", help: "print this help")]
    }

    /// The command in one line.
    var usage: String {
        let options = options.map { "[\($0.usage)]" + ($0.isRepeatable ? "…" : "") }
        return (["paginatord", name] + options + (operand.map { ["[\($0)]"] } ?? [])).joined(separator: " ")
    }

    /// The command explained.
    var help: String {
        let width = allOptions.map(\.usage.count).max() ?? 0
        let options = allOptions.map { option in
            "  " + option.usage + String(repeating: " ", count: width - option.usage.count + 3) + option.help
        }
        return (["usage: \(usage)", "", summary, ""] + options + (notes.isEmpty ? [] : [""] + notes))
            .joined(separator: "\n") + "\n"
    }
}
