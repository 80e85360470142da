import RecordFormats
import TableAPI

/// The command line of `export`.
struct ExportOptions: Sendable {
    /// The configuration file, if one is named.
    var configurationFile: String?
    /// Whether the built-in demo instance is the instance `default`.
    var isDemo = false
    /// The table.
    var table: String
    /// The instance; `nil`: the only one, or else `default`.
    var instance: String?
    /// What is fetched of the table.
    var configuration = FetchConfiguration()
    /// How records are written.
    var format = RecordFormat.ndjson
    /// Whether cells that a spreadsheet would take for formulas are marked.
    var guardsCells = false
    /// Where they are written; `nil`: to standard output.
    var output: String?
    /// The records asked for at once; `nil`: as many as is usual for an export.
    var itemsPerPage: Int?
    /// The requests under way at once.
    var concurrency = 4
    /// Where to begin.
    var start = RecordsStart.beginning
}

extension ExportOptions {
    /// The records asked for at once where nothing else is said and nothing forbids it.
    static let usualItemsPerPage = 1000

    /// Takes the arguments.
    ///
    /// - Throws: `CommandLineError`.
    init(_ arguments: CommandArguments) throws(CommandLineError) {
        guard let table = arguments.all("--table").last else {
            throw arguments.error("--table is required, as in --table incident")
        }
        self.init(table: table)
        configurationFile = arguments.all("--config").last
        isDemo = arguments.has("--demo")
        instance = arguments.all("--instance").last
        if let query = arguments.all("--query").last { configuration.filter = Filter(query: query) }
        configuration.readConfiguration = FieldReadConfiguration(
            includeFields: try arguments.value(
                "--fields", expected: "field names with commas between them, each once", Self.fields) ?? [],
            displayValue: try arguments.value("--display-value", expected: "false, true or all") {
                FieldReadConfiguration.DisplayValue(rawValue: $0)
            } ?? .actual)
        output = arguments.all("--output").last.flatMap { $0 == "-" ? nil : $0 }
        let format = try arguments.value("--format", expected: "ndjson, csv or json") { RecordFormat(rawValue: $0) }
        self.format = format ?? output.flatMap { RecordFormat(fileName: $0) } ?? .ndjson
        guardsCells = arguments.has("--guard")
        itemsPerPage = try arguments.number("--items-per-page", 1...10_000)
        concurrency = try arguments.number("--concurrency", 1...32) ?? concurrency
        start = try Self.start(arguments)
        if self.format == .csv, configuration.readConfiguration.includeFields.isEmpty {
            throw arguments.error("csv needs --fields a,b,…: they are its columns")
        }
        if guardsCells, self.format != .csv {
            throw arguments.error("--guard is for csv only; the format is \(self.format.rawValue)")
        }
    }

    private static func fields(_ text: String) -> [String]? {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return Set(fields).count == fields.count && !fields.contains("") ? fields : nil
    }

    private static func start(_ arguments: CommandArguments) throws(CommandLineError) -> RecordsStart {
        let page = try arguments.number("--from-page", 1...(.max))
        let key = try arguments.value("--after-key", expected: "a sys_id, 32 hexadecimal digits,") {
            RecordsStart.isKey($0) ? $0 : nil
        }
        switch (page, key) {
        case (nil, nil): return .beginning
        case (let page?, nil): return .page(page)
        case (nil, let key?): return .afterKey(key)
        case (_?, _?):
            throw arguments.error("--after-key and --from-page exclude each other: records are read by key or by page")
        }
    }
}

extension CommandArguments {
    /// The value of an option that is a whole number.
    ///
    /// - Throws: `CommandLineError` where it is none, or outside the range.
    fileprivate func number(_ option: String, _ range: ClosedRange<Int>) throws(CommandLineError) -> Int? {
        let expected =
            "a whole number from \(range.lowerBound)" + (range.upperBound == .max ? "" : " to \(range.upperBound)")
        return try value(option, expected: expected) { text in
            decimal(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}
