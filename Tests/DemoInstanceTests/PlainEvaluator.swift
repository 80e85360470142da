import Testing

/// Evaluates the queries of these tests over rows as the Table API shows them, without SQL and without the parser of
/// the instance: conditions are written as closures over the row.
struct PlainEvaluator {
    /// A query and what it means.
    struct Example: CustomTestStringConvertible, Sendable {
        let query: String
        let matches: @Sendable (_ row: [String: String]) -> Bool

        var testDescription: String { query }

        init(_ query: String, _ matches: @escaping @Sendable (_ row: Row) -> Bool) {
            self.query = query
            self.matches = { matches(Row(values: $0)) }
        }
    }

    /// A row whose missing fields fail the test's expectations instead of passing as empty.
    struct Row {
        let values: [String: String]

        subscript(name: String) -> String { values[name] ?? "<no field \(name)>" }

        func has(_ name: String, _ part: String) -> Bool {
            self[name].asciiLowercased.contains(part.asciiLowercased)
        }

        func number(_ name: String) -> Int { Int(self[name]) ?? .min }
    }
}

extension String {
    /// The text with its ASCII letters in lower case, as bytes compare.
    var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
