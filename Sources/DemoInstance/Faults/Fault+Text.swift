extension Fault {
    /// Reads a fault as it is written on the command line: `KIND`, or `KIND:NAME=VALUE,NAME=VALUE`.
    ///
    /// - Throws: `FaultTextError`, which says what would be right.
    public init(_ text: String) throws(FaultTextError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        guard let syntax = FaultSyntax.all.first(where: { $0.name == name }) else {
            let names = FaultSyntax.all.map(\.name).joined(separator: ", ")
            throw FaultTextError(description: "unknown fault \"\(name)\"; expected one of \(names)")
        }
        var parameters = try FaultParameters(parts.count > 1 ? parts[1] : nil, of: name, first: syntax.first)
        let kind = try syntax.read(&parameters)
        occurrence = syntax.isOccasional ? try parameters.occurrence() : .always
        self.kind = kind
        try parameters.finish()
    }

    /// Every kind of fault with its parameters, as lines for a command's help.
    public static var help: [String] {
        let width = FaultSyntax.all.map(\.name.count).max() ?? 0
        let kinds = FaultSyntax.all.map { syntax in
            "  " + syntax.name + String(repeating: " ", count: width - syntax.name.count + 3) + syntax.summary
                + syntax.parameters.map { "; \($0)" }.joined()
        }
        return ["Faults, as in --fault truncate:every=7 --fault rate-limit:ratio=0.1,retry-after=2:"] + kinds + [
            "All but hide take every=N (each Nth request), ratio=R (that share of them, by --seed) or requests=N (the first N);",
            "with none of these it is all requests. A request meets the faults in the order in which they are named.",
        ]
    }
}

/// How one kind of fault is written: the one place from which it is read and explained.
struct FaultSyntax: Sendable {
    /// What stands before the colon.
    let name: String
    /// What happens.
    let summary: String
    /// Its own parameters, for the help.
    var parameters: [String] = []
    /// The name of the value that may stand in front without one.
    var first: String?
    /// Whether it takes `every`, `ratio` or `requests`.
    var isOccasional = true
    /// Takes its own parameters.
    let read: @Sendable (inout FaultParameters) throws(FaultTextError) -> Fault.Kind

    /// Every kind.
    static let all = [
        FaultSyntax(
            name: "rate-limit", summary: "429",
            parameters: [
                "as=quota|queue", "retry-after=SECONDS (1), or none, or retry-at=SECONDS (a date so far ahead)",
            ]
        ) { parameters throws(FaultTextError) in
            let limit = try parameters.choice(Fault.RateLimit.quota)
            return .rateLimit(limit, retryAfter: try parameters.retryAfter(limit == .quota ? .seconds(1) : .absent))
        },
        FaultSyntax(
            name: "truncate", summary: "a body cut short",
            parameters: ["as=chunked (no final chunk) or json (in whole framing)"]
        ) { parameters throws(FaultTextError) in .truncate(try parameters.choice(.chunked)) },
        FaultSyntax(
            name: "append-error", summary: "the request is cancelled for taking too long",
            parameters: ["as=row, list, alone or queued (500)"]
        ) { parameters throws(FaultTextError) in .appendError(try parameters.choice(.row)) },
        FaultSyntax(
            name: "hide", summary: "records that this user may not read are taken out of their pages",
            parameters: ["ratio=R", "as=gone or empty ({})"], isOccasional: false
        ) { parameters throws(FaultTextError) in
            let ratio = try parameters.ratio()
            guard let ratio else { throw FaultTextError(description: "hide needs ratio=R, such as hide:ratio=0.2") }
            return .hide(ratio: ratio, as: try parameters.choice(.gone))
        },
        FaultSyntax(
            name: "latency", summary: "answers are held back",
            parameters: ["mean=MILLISECONDS", "jitter=MILLISECONDS (0)"]
        ) { parameters throws(FaultTextError) in
            let mean = try parameters.number("mean", 0...600_000)
            guard let mean else { throw FaultTextError(description: "latency needs mean=MILLISECONDS") }
            let jitter = try parameters.number("jitter", 0...mean) ?? 0
            return .latency(mean: .milliseconds(mean), jitter: .milliseconds(jitter))
        },
        FaultSyntax(
            name: "status", summary: "an error page of a proxy, as in status:502",
            parameters: ["retry-after or retry-at as above"], first: "code"
        ) { parameters throws(FaultTextError) in
            let status = try parameters.number("code", 400...599)
            guard let status else { throw FaultTextError(description: "status needs a code, as in status:502") }
            return .status(status, retryAfter: try parameters.retryAfter(.absent))
        },
        FaultSyntax(name: "hibernate", summary: "the page of a sleeping instance, with status 200") {
            _ throws(FaultTextError) in .hibernate
        },
        FaultSyntax(name: "drop", summary: "the connection is closed without an answer") {
            _ throws(FaultTextError) in .drop
        },
        FaultSyntax(
            name: "shrink", summary: "records disappear from the front of lists",
            parameters: ["by=N (1) at a time", "most=N (100)"]
        ) { parameters throws(FaultTextError) in
            .shrink(
                by: try parameters.number("by", 1...1_000_000) ?? 1,
                most: try parameters.number("most", 1...1_000_000) ?? 100)
        },
        FaultSyntax(
            name: "grow", summary: "records appear at the front of lists",
            parameters: ["by=N (1) at a time", "most=N (100)"]
        ) { parameters throws(FaultTextError) in
            .grow(
                by: try parameters.number("by", 1...1_000_000) ?? 1,
                most: try parameters.number("most", 1...1_000_000) ?? 100)
        },
        FaultSyntax(name: "empty-202", summary: "202 without a body") { _ throws(FaultTextError) in
            .empty(status: 202)
        },
        FaultSyntax(name: "empty-200", summary: "200 without a body") { _ throws(FaultTextError) in
            .empty(status: 200)
        },
        FaultSyntax(
            name: "login", summary: "the login page", parameters: ["as=page (200) or redirect (302)"]
        ) { parameters throws(FaultTextError) in .login(try parameters.choice(.page)) },
        FaultSyntax(name: "unauthorized", summary: "401, as if the token had run out") { _ throws(FaultTextError) in
            .unauthorized
        },
        FaultSyntax(name: "no-count", summary: "lists without X-Total-Count") { _ throws(FaultTextError) in .noCount },
        FaultSyntax(
            name: "links", summary: "lists with a wrong Link field",
            parameters: ["as=none, foreign (another host) or same (next is this page)"]
        ) { parameters throws(FaultTextError) in .links(try parameters.choice(.none)) },
        FaultSyntax(name: "bad-row", summary: "a row that is no record") { _ throws(FaultTextError) in .badRow },
    ]
}
