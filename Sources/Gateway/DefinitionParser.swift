import HTTPModel
import Sessions

/// Reads the members with which a session or a single page is asked for, from a JSON body or from query parameters.
struct DefinitionParser {
    /// What bounds the values.
    struct Bounds: Sendable {
        /// The configured instances.
        var instances: [String]
        /// The size of a page where none is asked for, in rows.
        var itemsPerPage: Int
        /// The largest size of a page, in rows.
        var maxItemsPerPage: Int
        /// How many pages are fetched ahead where nothing is asked for.
        var readAhead: ReadAheadDepth
        /// How long a session lives without use where nothing is asked for, in seconds.
        var idleTimeout: Int
        /// The longest that may be asked for, in seconds.
        var maxIdleTimeout: Int
    }

    /// How long an encoded query may be, in bytes. Instances refuse URLs of more than about 8 KiB.
    static let longestQuery = 32 << 10

    /// The parameters of `GET /tables/{table}`.
    static let queryParameters = [
        "page", "instance", "query", "fields", "displayValue", "excludeReferenceLink", "view", "queryCategory",
        "queryNoDomain", "itemsPerPage", "stableOrder",
    ]

    private let bounds: Bounds
    private let place: ParameterFaults.Place
    private var members: [String: JSONValue]
    /// What is wrong with the request, so far.
    private(set) var faults: ParameterFaults

    /// Reads from the members of a body. `null` means absent.
    init(body: [String: JSONValue], bounds: Bounds, faults: ParameterFaults) {
        members = body.filter { $1 != .null }
        place = .body
        self.bounds = bounds
        self.faults = faults
    }

    /// Reads from query parameters, whose names have been checked.
    init(query: [String: String], bounds: Bounds, faults: ParameterFaults) {
        members = query.mapValues { .string($0) }
        place = .target
        self.bounds = bounds
        self.faults = faults
    }

    /// Everything that makes a session.
    mutating func session() -> (definition: SessionDefinition, publisherShouldFinish: Bool) {
        if members["table"] == nil { fault("table", "is required") }
        var definition = page(of: string("table", maxLength: .max))
        definition.idleTimeout =
            integer("idleTimeout", 1...bounds.maxIdleTimeout, unit: "seconds") ?? bounds.idleTimeout
        let publisherShouldFinish = boolean("publisherShouldFinish") ?? false
        definition.readAhead = readAhead() ?? bounds.readAhead
        for name in members.keys.sorted() { fault(name, "is not a member that is known here") }
        return (definition, publisherShouldFinish)
    }

    /// What concerns the pages of a table; `nil` for one that is at fault already.
    mutating func page(of table: String?) -> SessionDefinition {
        if let table, !isTableName(table) {
            fault("table", "has to be a table’s name: a to z, 0 to 9 and _, beginning with a letter, at most 80")
        }
        var definition = SessionDefinition(
            instance: instance(), table: table ?? "", itemsPerPage: bounds.itemsPerPage, idleTimeout: bounds.idleTimeout
        )
        definition.query = string("query", maxLength: Self.longestQuery)
        definition.fields = fields()
        if let displayValue = string("displayValue", maxLength: .max) {
            if let known = SessionDefinition.DisplayValue(rawValue: displayValue) {
                definition.displayValue = known
            } else {
                fault("displayValue", "has to be \"false\", \"true\" or \"all\"")
            }
        }
        definition.excludeReferenceLink = boolean("excludeReferenceLink") ?? false
        definition.view = string("view", maxLength: 255)
        definition.queryCategory = string("queryCategory", maxLength: 255)
        definition.queryNoDomain = boolean("queryNoDomain") ?? false
        definition.stableOrder = boolean("stableOrder") ?? true
        if let itemsPerPage = integer("itemsPerPage", 1...bounds.maxItemsPerPage, unit: "rows") {
            definition.itemsPerPage = itemsPerPage
        }
        return definition
    }

    /// The number of the page that is asked for; 1 where none is.
    mutating func pageNumber() -> Int {
        integer("page", 1...(.max), unit: nil) ?? 1
    }

    /// Notes a fault of a parameter.
    mutating func fault(_ name: String, _ detail: String) {
        faults.add(place, name, detail)
    }

    private mutating func instance() -> String {
        if let name = string("instance", maxLength: .max) {
            if !bounds.instances.contains(name) { fault("instance", "is not the name of a configured instance") }
            return name
        }
        if bounds.instances.count == 1 { return bounds.instances[0] }
        if !bounds.instances.contains("default") {
            fault("instance", "has to be named: there are several, and none of them is called default")
        }
        return "default"
    }

    private mutating func fields() -> [String]? {
        let value = members.removeValue(forKey: "fields")
        let detail = "has to be a list of field names, such as number or caller_id.email"
        let names: [String]
        switch value {
        case nil: return nil
        case .string(let list) where place == .target:
            names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        case .array(let elements):
            names = elements.compactMap { if case .string(let name) = $0 { name } else { nil } }
            guard names.count == elements.count else {
                fault("fields", detail)
                return nil
            }
        default:
            fault("fields", detail)
            return nil
        }
        guard !names.isEmpty, names.allSatisfy(isFieldName), Set(names).count == names.count else {
            fault("fields", detail + ", each once; left out it means all fields")
            return nil
        }
        return names
    }

    private mutating func readAhead() -> ReadAheadDepth? {
        switch members.removeValue(forKey: "readAhead") {
        case nil: return nil
        case .string("auto"): return .auto
        case .integer(let count) where 0...8 ~= count: return .pages(count)
        default:
            fault("readAhead", "has to be \"auto\" or a number of pages from 0 to 8")
            return nil
        }
    }

    private mutating func string(_ name: String, maxLength: Int) -> String? {
        guard let value = members.removeValue(forKey: name) else { return nil }
        guard case .string(let text) = value else {
            fault(name, "has to be a string, not \(value.kind)")
            return nil
        }
        guard text.utf8.count <= maxLength else {
            fault(name, "has to have at most \(maxLength) bytes")
            return nil
        }
        return text
    }

    private mutating func boolean(_ name: String) -> Bool? {
        switch members.removeValue(forKey: name) {
        case nil: return nil
        case .bool(let value): return value
        case .string("true") where place == .target: return true
        case .string("false") where place == .target: return false
        default:
            fault(name, "has to be true or false")
            return nil
        }
    }

    private mutating func integer(_ name: String, _ range: ClosedRange<Int>, unit: String?) -> Int? {
        let value: Int?
        switch members.removeValue(forKey: name) {
        case nil: return nil
        case .integer(let number): value = number
        case .string(let digits) where place == .target: value = digits.isDecimal ? Int(digits) : nil
        default: value = nil
        }
        if let value, range.contains(value) { return value }
        let upper = range.upperBound == .max ? "at least 1" : "from \(range.lowerBound) to \(range.upperBound)"
        fault(name, "has to be a whole number \(upper)" + (unit.map { ", in \($0)" } ?? ""))
        return nil
    }
}

extension StringProtocol {
    /// Whether it is digits and nothing else.
    var isDecimal: Bool {
        !isEmpty && utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }
}

private func isTableName(_ name: String) -> Bool {
    name.utf8.count <= 80 && name.utf8.first.map { 0x61...0x7A ~= $0 } == true
        && name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x5F }
}

private func isFieldName(_ name: String) -> Bool {
    name.utf8.count <= 255
        && name.utf8.split(separator: 0x2E, omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { byte in
                    0x61...0x7A ~= byte || 0x41...0x5A ~= byte || 0x30...0x39 ~= byte || byte == 0x5F
                }
        }
}
