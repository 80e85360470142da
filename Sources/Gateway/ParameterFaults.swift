import HTTPModel

/// Collects what is wrong with a request's parameters, so that one answer names all of it.
struct ParameterFaults: Sendable {
    /// Where a parameter stands.
    enum Place: Sendable {
        /// A member of the body, by its JSON Pointer (RFC 6901).
        case body
        /// The query or the path, by its name.
        case target
    }

    private var errors: [JSONValue] = []

    /// Notes a fault. `name` is the parameter's name, `detail` says what would be right.
    mutating func add(_ place: Place, _ name: String, _ detail: String) {
        let reference: (String, String) =
            switch place {
            case .body: ("pointer", "/" + name.replacing("~", with: "~0").replacing("/", with: "~1"))
            case .target: ("parameter", name)
            }
        errors.append(.object([reference.0: .string(reference.1), "detail": .string(detail)]))
    }

    /// Goes on where nothing is wrong.
    ///
    /// - Throws: the report of all that is.
    func check() throws(Problem) {
        if !errors.isEmpty { throw problem }
    }

    /// A report of one fault.
    static func problem(_ place: Place, _ name: String, _ detail: String) -> Problem {
        var faults = ParameterFaults()
        faults.add(place, name, detail)
        return faults.problem
    }

    private var problem: Problem {
        let count = errors.count == 1 ? "One value is" : "\(errors.count) values are"
        return Problem(
            .invalidParameter, "\(count) not allowed; errors says which and why.", [("errors", .array(errors))])
    }
}
