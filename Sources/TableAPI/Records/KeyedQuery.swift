/// An encoded query that can be asked for a part of its keys at a time.
///
/// The condition on `sys_id` goes to the end of every branch, since `^NQ` begins a query of its own, and the order to the
/// very end.
struct KeyedQuery: Sendable, Equatable {
    /// Which records of the query.
    enum Part: Sendable, Hashable {
        /// Those in a range.
        case range(KeyRange)
        /// Those whose key comes before every number of 32 hexadecimal digits.
        case belowNumbers
        /// Those whose key lies where these numbers do.
        case amongNumbers
        /// Those whose key comes behind all of them.
        case aboveNumbers
    }

    private static let unfit = ["ORDERBY", "EQ", "RLQUERY", "ENDRLQUERY", "JOIN", "GROUPBY"]
    private let branches: [String]

    /// Takes a query.
    ///
    /// `nil` where it has an order of its own other than by `sys_id`; where it has a part that reaches past one condition
    /// (`EQ`, `RLQUERY`, `JOIN`, `GROUPBY`, a text search); and where something stands empty, since an instance drops an
    /// empty branch but would not drop it with a condition on `sys_id`, and two carets may be meant as one in a value.
    init?(_ query: String) {
        var branches: [String] = []
        var branch: [Substring.UTF8View] = []
        // By bytes: to Swift a circumflex followed by a combining mark is another character.
        let terms =
            query.isEmpty ? [] : query[...].utf8.split(separator: UInt8(ascii: "^"), omittingEmptySubsequences: false)
        for term in terms {
            var term = term
            if term.starts(with: "NQ".utf8) {
                guard !branch.isEmpty else { return nil }
                branches.append(Self.joined(branch))
                branch = []
                term = term.dropFirst(2)
            }
            if term.elementsEqual("ORDERBYsys_id".utf8) { continue }
            let isUnfit = Self.unfit.contains { term.starts(with: $0.utf8) } || term.contains("123TEXT".utf8)
            if term.isEmpty || isUnfit { return nil }
            branch.append(term)
        }
        if branch.isEmpty, !branches.isEmpty { return nil }
        self.branches = branches + [Self.joined(branch)]
    }

    /// The query of a part, in the order of keys.
    func text(_ part: Part) -> String {
        let condition = Self.condition(part)
        let divided = branches.map { $0.isEmpty || condition.isEmpty ? $0 + condition : "\($0)^\(condition)" }
        return Filter.stablyOrdered(divided.joined(separator: "^NQ"))
    }

    private static func condition(_ part: Part) -> String {
        switch part {
        case .belowNumbers: "sys_id<0"
        case .amongNumbers: "sys_id>=0^sys_id<g"
        case .aboveNumbers: "sys_id>=g"
        case .range(let range):
            [range.lower.map { "sys_id>=\(keyText($0))" }, range.upper.map { "sys_id<\(keyText($0))" }]
                .compactMap { $0 }.joined(separator: "^")
        }
    }

    private static func joined(_ terms: [Substring.UTF8View]) -> String {
        terms.map { String(Substring($0)) }.joined(separator: "^")
    }
}
