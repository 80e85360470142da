import HTTPModel
import RecordFormats
import TableAPI

/// What a request for all records asks for.
struct RecordsParameters: Sendable {
    /// The names of its query parameters.
    static let names = ["format", "guard", "concurrency", "fromPage", "afterKey"]

    /// The formats, in the order in which the service prefers them.
    static let formats: [RecordFormat] = [.ndjson, .json, .csv]

    /// How the records are to be written.
    let format: RecordFormat
    /// Whether cells that a spreadsheet would take for formulas are marked.
    let guardsCells: Bool
    /// How many requests may be under way at once.
    let concurrency: Int
    /// Where to begin; a page counts in pages of the session.
    let start: RecordsStart

    /// Reads the parameters and what the caller accepts.
    ///
    /// - Throws: `Problem` with all that is wrong with the parameters, or else because no accepted type is available.
    init(_ context: RequestContext) throws(Problem) {
        let parameters = context.parameters
        var faults = context.faults
        func number(_ name: String, _ range: ClosedRange<Int>, _ rule: String) -> Int? {
            guard let text = parameters[name] else { return nil }
            if text.isDecimal, let number = Int(text), range.contains(number) { return number }
            faults.add(.target, name, rule)
            return nil
        }
        let named = parameters["format"].map { RecordFormat(rawValue: $0) }
        if named == .some(nil) { faults.add(.target, "format", "has to be ndjson, csv or json") }
        let guardsCells = parameters["guard"] ?? "false"
        if !["true", "false"].contains(guardsCells) { faults.add(.target, "guard", "has to be true or false") }
        self.guardsCells = guardsCells == "true"
        concurrency = number("concurrency", 1...32, "has to be a whole number from 1 to 32") ?? 4
        let page = number("fromPage", 1...(.max), "has to be a page number: a whole number from 1 on")
        let key = parameters["afterKey"]
        if let key, !RecordsStart.isKey(key) {
            faults.add(.target, "afterKey", "has to be a sys_id: 32 hexadecimal digits")
        }
        if key != nil, parameters["fromPage"] != nil {
            faults.add(.target, "afterKey", "cannot stand beside fromPage: records are read by key or by page")
        }
        try faults.check()
        start = key.map { .afterKey($0) } ?? page.map { .page($0) } ?? .beginning
        if case .some(.some(let named)) = named {
            format = named
        } else {
            format = try Self.accepted(by: context.head.headers)
        }
    }

    private static func accepted(by headers: HeaderFields) throws(Problem) -> RecordFormat {
        let accepted = AcceptedMediaTypes(headers)
        var best: (format: RecordFormat, preference: AcceptedMediaTypes.Preference)?
        for format in formats {
            let preference = accepted.preference(for: format.mediaType)
            guard preference.quality > 0, best.map({ preference > $0.preference }) ?? true else { continue }
            best = (format, preference)
        }
        if let best { return best.format }
        let types = formats.map(\.mediaType).joined(separator: ", ")
        throw Problem(.notAcceptable, "Accept names none of the types that there are here: \(types).")
    }
}
