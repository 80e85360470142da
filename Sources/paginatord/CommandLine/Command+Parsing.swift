import DemoInstance

extension Command {
    private static let config = CommandSyntax.Option(
        name: "--config", value: "FILE", help: "the configuration, JSON5; default: $PAGINATORD_CONFIG")

    private static let demo = CommandSyntax.Option(
        name: "--demo", help: "use the built-in demo instance; needs no configuration")

    private static func listen(_ value: String) -> CommandSyntax.Option {
        CommandSyntax.Option(
            name: "--listen", value: "ADDRESS", isRepeatable: true,
            help: "127.0.0.1:8080, [::1]:8080, :8080, unix:/path or fd:3; default: \(value)")
    }

    /// Every command, in the order of the help.
    static let syntaxes = [
        CommandSyntax(
            name: "serve", summary: "Serves the records of the configured instances page by page.",
            options: [
                config, demo, listen("as configured"),
                CommandSyntax.Option(
                    name: "--data-directory", value: "DIR",
                    help: "where sessions are kept; default: $PAGINATORD_DATA_DIRECTORY, else in memory"),
                CommandSyntax.Option(
                    name: "--log-level", value: "LEVEL", help: "debug, info, warning or error; default: as configured"),
            ],
            notes: [
                "Every plain key of the configuration has an environment variable, such as PAGINATORD_PAGES_ITEMS_PER_PAGE.",
                "For a single instance PAGINATORD_INSTANCE_URL, _USERNAME and _PASSWORD or _PASSWORD_FILE are enough.",
            ]),
        CommandSyntax(
            name: "demo-instance", summary: "Runs the built-in demo instance alone: a Table API with made-up records.",
            options: [
                listen("127.0.0.1:8081"),
                CommandSyntax.Option(
                    name: "--certificate", value: "FILE", help: "serve https with this certificate, PEM"),
                CommandSyntax.Option(name: "--key", value: "FILE", help: "the certificate's private key, PEM"),
                CommandSyntax.Option(
                    name: "--latency", value: "MILLISECONDS", help: "hold every answer back for so long; default: 0"),
                CommandSyntax.Option(
                    name: "--incidents", value: "N", help: "how many incidents there are; default: 10000"),
                CommandSyntax.Option(name: "--username", value: "U", help: "answer this user only"),
                CommandSyntax.Option(
                    name: "--password-env", value: "NAME",
                    help: "the environment variable that holds the user's password"),
                CommandSyntax.Option(name: "--oauth-client", value: "ID", help: "give tokens to this application"),
                CommandSyntax.Option(
                    name: "--oauth-secret-env", value: "NAME",
                    help: "the environment variable that holds the application's secret"),
                CommandSyntax.Option(
                    name: "--token-lifetime", value: "DURATION", help: "how long a token is valid; default: 30m"),
                CommandSyntax.Option(
                    name: "--seed", value: "N", help: "decides what is left to chance; default: 1"),
                CommandSyntax.Option(
                    name: "--fault", value: "KIND:PARAMETERS", isRepeatable: true, help: "misbehave, as below"),
            ], notes: Fault.help),
        CommandSyntax(
            name: "export", summary: "Writes all records of a table to a file or to standard output.",
            options: [
                CommandSyntax.Option(name: "--table", value: "T", help: "the table, such as incident; required"),
                CommandSyntax.Option(
                    name: "--instance", value: "I", help: "a configured instance; default: the only one, or default"),
                CommandSyntax.Option(name: "--query", value: "Q", help: "an encoded query; default: all records"),
                CommandSyntax.Option(
                    name: "--fields", value: "F,…", help: "the fields, in their order; required for csv; default: all"),
                CommandSyntax.Option(
                    name: "--display-value", value: "V",
                    help: "false, true or all, as in sysparm_display_value; default: false"),
                CommandSyntax.Option(
                    name: "--format", value: "FORMAT",
                    help: "ndjson, csv or json; default: by the ending of FILE, else ndjson"),
                CommandSyntax.Option(
                    name: "--guard", help: "csv: put an apostrophe before what a spreadsheet would take for a formula"),
                CommandSyntax.Option(
                    name: "--output", value: "FILE",
                    help: "a file that is there once it is whole; default: standard output"),
                CommandSyntax.Option(
                    name: "--items-per-page", value: "N", help: "records asked for at once, 1 to 10000; default: 1000"),
                CommandSyntax.Option(
                    name: "--concurrency", value: "N", help: "requests under way at once, 1 to 32; default: 4"),
                CommandSyntax.Option(
                    name: "--after-key", value: "SYS_ID", help: "begin behind this record, where an export ended early"),
                CommandSyntax.Option(
                    name: "--from-page", value: "N", help: "begin with this page; records are then read by offset"),
                config, demo,
            ],
            notes: [
                "A query without an order of its own is read in the order of sys_id, so that records which come or go meanwhile",
                "neither repeat nor skip another one. On a terminal, standard error shows how far the export is.",
                "Ends with 75 if anything is missing, and says how to go on.",
            ]),
        CommandSyntax(
            name: "check-config", summary: "Checks a configuration and names all that is wrong with it.",
            options: [config]),
        CommandSyntax(
            name: "healthcheck", summary: "Ends with 0 if the running service answers, else with 69.", operand: "URL",
            notes: ["URL is such as http://127.0.0.1:8080 or unix:/path; default: the first configured listener."]),
        CommandSyntax(name: "version", summary: "Prints the version."),
    ]

    /// The program explained.
    static var help: String {
        let width = syntaxes.map(\.name.count).max() ?? 0
        let lines = syntaxes.map {
            "  " + $0.name + String(repeating: " ", count: width - $0.name.count + 3) + $0.summary
        }
        return (["usage: paginatord COMMAND …", ""] + lines + ["", "paginatord COMMAND --help explains a command."])
            .joined(separator: "\n") + "\n"
    }

    /// Reads the arguments behind the program's name.
    ///
    /// - Throws: `CommandLineError`.
    init(arguments: [String]) throws(CommandLineError) {
        let names = Command.syntaxes.map(\.name)
        guard let name = arguments.first else {
            throw CommandLineError(message: "no command; expected one of \(names.joined(separator: ", "))")
        }
        if ["--help", "-h", "help"].contains(name) {
            self = .help(Command.help)
            return
        }
        guard let syntax = Command.syntaxes.first(where: { $0.name == (name == "--version" ? "version" : name) }) else {
            let suggestion = Spelling.nearest(to: name, among: names).map { "did you mean \($0)?" }
            throw CommandLineError(
                message: "unknown command \(printable(name)); "
                    + (suggestion ?? "expected one of \(names.joined(separator: ", "))"))
        }
        let arguments = try CommandArguments(arguments.dropFirst(), by: syntax)
        if arguments.wantsHelp {
            self = .help(syntax.help)
            return
        }
        switch syntax.name {
        case "serve": self = .serve(try ServeOptions(arguments))
        case "demo-instance": self = .demoInstance(try DemoInstanceOptions(arguments))
        case "export": self = .export(try ExportOptions(arguments))
        case "check-config": self = .checkConfiguration(file: arguments.all("--config").last)
        case "healthcheck": self = .healthCheck(url: arguments.operand)
        default: self = .version
        }
    }
}
