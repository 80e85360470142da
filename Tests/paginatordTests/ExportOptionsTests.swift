import RecordFormats
import TableAPI
import Testing

@testable import paginatord

private let key = "00112233445566778899aabbccddeeff"

struct ExportOptionsTests {
    private static func options(_ arguments: [String]) throws -> ExportOptions {
        guard case .export(let options) = try Command(arguments: ["export"] + arguments) else {
            throw CommandLineError(message: "it was taken for another command")
        }
        return options
    }

    @Test("Only the table is required")
    func defaults() throws {
        let options = try Self.options(["--table", "incident"])
        #expect(options.table == "incident" && options.instance == nil && options.configuration == FetchConfiguration())
        #expect(options.format == .ndjson && !options.guardsCells && options.output == nil)
        #expect(options.itemsPerPage == nil && options.concurrency == 4 && options.start == .beginning)
        #expect(options.configurationFile == nil && !options.isDemo)
    }

    @Test("All options are taken")
    func all() throws {
        let options = try Self.options([
            "--table=incident", "--instance", "prod", "--query", "active=true^ORDERBYnumber", "--fields",
            "number,caller_id.name",
            "--display-value", "all", "--format", "csv", "--guard", "--output", "a.json", "--items-per-page", "500",
            "--concurrency", "32", "--from-page", "7", "--config", "c.json5", "--demo",
        ])
        #expect(options.instance == "prod" && options.configuration.filter?.query == "active=true^ORDERBYnumber")
        #expect(options.configuration.readConfiguration.includeFields == ["number", "caller_id.name"])
        #expect(options.configuration.readConfiguration.displayValue == .all)
        #expect(options.format == .csv && options.guardsCells && options.output == "a.json")
        #expect(options.itemsPerPage == 500 && options.concurrency == 32 && options.start == .page(7))
        #expect(options.configurationFile == "c.json5" && options.isDemo)
        #expect(try Self.options(["--table", "t", "--after-key", key]).start == .afterKey(key))
    }

    @Test(
        "The format is the one that is named, else that of the file's ending, else NDJSON",
        arguments: [
            ([], RecordFormat.ndjson), (["--output", "a.csv"], .csv), (["--output", "a.json"], .json),
            (["--output", "a.jsonl"], .ndjson), (["--output", "a.txt"], .ndjson), (["--output", "-"], .ndjson),
            (["--output", "a.csv", "--format", "json"], .json), (["--format", "csv"], .csv),
        ])
    func formats(arguments: [String], format: RecordFormat) throws {
        #expect(try Self.options(["--table", "t", "--fields", "a"] + arguments).format == format)
    }

    @Test("- is standard output")
    func standardOutput() throws {
        #expect(try Self.options(["--table", "t", "--output", "-"]).output == nil)
    }

    @Test(
        "A wrong option is named, with what would be right",
        arguments: [
            ([], "--table is required, as in --table incident"),
            (["--table"], "--table needs a value: --table T"),
            (["--table", "t", "--table", "u"], "--table may stand only once"),
            (["--table", "t", "--tabel", "u"], "unknown option --tabel; did you mean --table?"),
            (["--table", "t", "x"], "unexpected argument x; export takes options only"),
            (["--table", "t", "--format", "xml"], "--format: expected ndjson, csv or json but found \"xml\""),
            (["--table", "t", "--format", "csv"], "csv needs --fields a,b,…: they are its columns"),
            (["--table", "t", "--output", "a.csv"], "csv needs --fields a,b,…: they are its columns"),
            (["--table", "t", "--guard"], "--guard is for csv only; the format is ndjson"),
            (
                ["--table", "t", "--fields", "a,,b"],
                "--fields: expected field names with commas between them, each once but found \"a,,b\""
            ),
            (
                ["--table", "t", "--fields", "a,a"],
                "--fields: expected field names with commas between them, each once but found \"a,a\""
            ),
            (
                ["--table", "t", "--display-value", "yes"],
                "--display-value: expected false, true or all but found \"yes\""
            ),
            (
                ["--table", "t", "--concurrency", "33"],
                "--concurrency: expected a whole number from 1 to 32 but found \"33\""
            ),
            (
                ["--table", "t", "--items-per-page", "0"],
                "--items-per-page: expected a whole number from 1 to 10000 but found \"0\""
            ),
            (["--table", "t", "--from-page", "0"], "--from-page: expected a whole number from 1 but found \"0\""),
            (
                ["--table", "t", "--after-key", "1"],
                "--after-key: expected a sys_id, 32 hexadecimal digits, but found \"1\""
            ),
            (
                ["--table", "t", "--after-key", key, "--from-page", "2"],
                "--after-key and --from-page exclude each other: records are read by key or by page"
            ),
        ])
    func wrong(arguments: [String], message: String) {
        #expect(throws: CommandLineError(message: message, command: "export")) { try Self.options(arguments) }
    }

    @Test("The instance is the one that is named, the only one, or default")
    func instances() throws {
        var options = try Self.options(["--table", "t"])
        #expect(try options.instance(among: ["prod"]) == "prod")
        #expect(try options.instance(among: ["prod", "default"]) == "default")
        #expect(throws: options.error("--instance is required, since none of a, b is called default")) {
            try options.instance(among: ["b", "a"])
        }
        options.instance = "a"
        #expect(try options.instance(among: ["b", "a"]) == "a")
        options.instance = "c"
        #expect(throws: options.error("--instance: expected one of a, b but found \"c\"")) {
            try options.instance(among: ["b", "a"])
        }
    }
}
