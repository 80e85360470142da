import Gateway
import HTTPModel
import Pagination
import RecordFormats
import TableAPI

/// The export of one table: reads its records and writes them.
struct Export: Sendable {
    private let options: ExportOptions
    private let service: TableService
    private let itemsPerPage: Int
    private let records: TableRecords

    /// Plans an export. Nothing is asked of the instance yet.
    ///
    /// - Throws: `CommandLineError` where the options do not allow it.
    init(_ options: ExportOptions, service: TableService, pages: PagesConfiguration) throws(CommandLineError) {
        self.options = options
        self.service = service
        if let asked = options.itemsPerPage, asked > pages.maxItemsPerPage {
            throw options.error(
                "--items-per-page: expected at most \(pages.maxItemsPerPage), as pages.maxItemsPerPage says, but found "
                    + "\"\(asked)\"")
        }
        itemsPerPage = options.itemsPerPage ?? min(ExportOptions.usualItemsPerPage, pages.maxItemsPerPage)
        do {
            records = try service.records(
                of: options.table, configuration: options.configuration, itemsPerPage: itemsPerPage,
                from: options.start, concurrency: options.concurrency)
        } catch {
            throw options.error(error.text(of: options))
        }
    }

    /// Reads and writes all records.
    ///
    /// - Parameter bar: shows how far it is.
    /// - Returns: why not all of them are there; `nil` where they are.
    func run(_ bar: ProgressBar?) async -> ExportFailure? {
        let output: ExportOutput
        do throws(OutputError) {
            if let path = options.output {
                output = try await ExportOutput(path: path)
            } else {
                output = ExportOutput()
            }
        } catch {
            return .cannotBegin(reason: error.reason)
        }
        let counting = bar.map { bar in
            Task {
                if let total = await total { bar.expect(total) }
            }
        }
        defer { counting?.cancel() }
        let failure = await write(to: output, bar)
        if failure == nil {
            bar?.finish()
        } else {
            output.discard()
            bar?.clear()
        }
        return failure
    }

    private func write(to output: ExportOutput, _ bar: ProgressBar?) async -> ExportFailure? {
        var encoder = RecordEncoder(
            options.format, fields: options.configuration.readConfiguration.includeFields,
            guardsCells: options.guardsCells)
        var written = ExportFailure.Written(stays: output.isStream, itemsPerPage: itemsPerPage, resume: options.start)
        do {
            try await output.write(encoder.head[...])
            try await records.read { batch in
                written.isCut = true
                for piece in try encoder.pieces(of: batch.rows) { try await output.write(piece) }
                written.isCut = false
                written.count += batch.rows.count
                written.resume = batch.resume
                bar?.add(batch.rows.count)
            }
            try await output.write(encoder.tail[...])
            try output.finish()
            return nil
        } catch RecordsReadError<any Error>.records(let error) {
            written.resume = error.resume
            let failure = RecordsFailure(error)
            // Whoever reads a stream sees in it that it is not whole.
            if output.isStream { try? await output.write(failure.line(encoder)[...]) }
            return .notRead(written, problem: failure.problem.name, detail: failure.problem.detail)
        } catch RecordsReadError<any Error>.receiver(let error as OutputError) {
            return .notWritten(written, reason: error.reason)
        } catch let error as OutputError {
            return .notWritten(written, reason: error.reason)
        } catch {
            return .notWritten(written, reason: "a record could not be written as \(options.format.rawValue)")
        }
    }

    /// How many records there will be; `nil` where the instance does not say, or only by key.
    private var total: Int? {
        get async {
            let source = try? service.source(of: options.table, configuration: options.configuration)
            let answer = try? await source?.fetch(PageRequest(offset: 0, limit: 1, countOnly: true))
            guard let total = answer?.total else { return nil }
            switch options.start {
            case .beginning: return total
            case .page(let page):
                return max(0, total - (PaginatorState.offset(ofPage: page, itemsPerPage: itemsPerPage) ?? 0))
            case .afterKey: return nil
            }
        }
    }
}

extension ExportOptions {
    /// The instance that is meant.
    ///
    /// - Throws: `CommandLineError` where it is none of them, or where one has to be named.
    func instance(among names: [String]) throws(CommandLineError) -> String {
        let known = names.sorted().joined(separator: ", ")
        if let instance {
            guard names.contains(instance) else {
                throw error("--instance: expected one of \(known) but found \"\(printable(instance))\"")
            }
            return instance
        }
        if names.count == 1 { return names[0] }
        guard names.contains(Configuration.defaultInstance) else {
            throw error("--instance is required, since none of \(known) is called \(Configuration.defaultInstance)")
        }
        return Configuration.defaultInstance
    }

    /// An error of this command.
    func error(_ message: String) -> CommandLineError {
        CommandLineError(message: message, command: "export")
    }
}

extension RecordsRequestError {
    /// Which option is wrong, and what would be right.
    fileprivate func text(of options: ExportOptions) -> String {
        switch self {
        case .table(.invalidTableName(let name)):
            "--table: expected small letters, digits and underscores, at most 80 and a letter first, but found "
                + "\"\(printable(name))\""
        case .table(.invalidField(let field)):
            "--fields: expected field names with commas between them, without white space, but found "
                + "\"\(printable(field))\""
        case .table(.invalidLimit(let limit)):
            "--items-per-page: expected a whole number from 1 to 10000 but found \"\(limit)\""
        case .invalidPage(let page):
            "--from-page: expected a page whose records have offsets below 2^63 but found \"\(page)\""
        case .invalidKey(let key):
            "--after-key: expected a sys_id, 32 hexadecimal digits, but found \"\(printable(key))\""
        case .notReadByKey:
            "--after-key cannot be used here: because of their query these records are read by page; use --from-page"
        }
    }
}
