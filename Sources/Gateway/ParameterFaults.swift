import HTTPModel

/// Collects what is wrong with a request's parameters, so that one answer names all of it.
struct ParameterFaults: Sendable {
    /// Where a parameter stands.
    enum Place: Sendable {
        /// A member of the body, by its JSON Pointer (RFC 6901).
        case body
        /// The body itself, whose JSON Pointer is empty.
        case wholeBody
        /// The query or the path, by its name.
        case target
    }

    /// As many as an answer names; a request could hold any number.
    private static let mostNamed = 100
    /// As much as an answer repeats of a name, in bytes.
    private static let longestName = 256
    private var errors: [JSONValue] = []
    private var count = 0

    /// Notes a fault. `name` is the parameter's name, `detail` says what would be right.
    mutating func add(_ place: Place, _ name: String, _ detail: String) {
        count += 1
        guard count <= Self.mostNamed else { return }
        let name =
            name.utf8.count <= Self.longestName
            ? name : String(String.UnicodeScalarView(name.unicodeScalars.prefix(Self.longestName / 4))) + "…"
        let reference: (String, String) =
            switch place {
            case .body: ("pointer", "/" + name.replacing("~", with: "~0").replacing("/", with: "~1"))
            case .wholeBody: ("pointer", "")
            case .target: ("parameter", name)
            }
        errors.append(.object([reference.0: .string(reference.1), "detail": .string(detail)]))
    }

    /// Goes on where nothing is wrong.
    ///
    /// - Throws: the report of all that is.
    func check() throws(Problem) {
        if count > 0 { throw problem }
    }

    /// A report of one fault.
    static func problem(_ place: Place, _ name: String, _ detail: String) -> Problem {
        var faults = ParameterFaults()
        faults.add(place, name, detail)
        return faults.problem
    }

    /// The report of all of them.
    var problem: Problem {
        let number = count == 1 ? "One value is" : "\(count) values are"
        let named = count > errors.count ? "errors says of the first \(errors.count) which" : "errors says which"
        return Problem(
            .invalidParameter, "\(number) not allowed; \(named) and why.", [("errors", .array(errors))])
    }
}
