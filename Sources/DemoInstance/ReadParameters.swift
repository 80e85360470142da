internal import HTTPModel

/// The `sysparm_` parameters of a reading request (ServiceNow, "Table API"). Where one is repeated, the last counts;
/// unknown ones are ignored. `sysparm_query_category` and `sysparm_query_no_domain` are taken and change no row: the one
/// chooses among read replicas, and this instance is one database; the other lifts domain separation, which an instance
/// does not have until its owner asks for it. All records are in the domain `global`, so a client that works here
/// works on an instance as it comes; rows hidden by a domain look like those that the fault `hide` hides.
///
/// Switches are read without regard to case: clients written in Python send `True`.
///
/// Where there is no `sysparm_query`, every other parameter `name=value` is a condition: a field that has this value or
/// shows it.
struct ReadParameters: Equatable {
    /// `sysparm_query`, or the conditions in the form of parameters, read.
    var query = EncodedQuery()
    /// `sysparm_fields`; `nil` for all.
    var fields: [String]?
    /// `sysparm_view`: the name of the view whose fields are shown where there is no `sysparm_fields`; may be empty.
    var view = ""
    /// `sysparm_limit`: the most rows of a list.
    var limit = 10000
    /// `sysparm_offset`: the number of rows that are skipped.
    var offset = 0
    /// `sysparm_display_value`
    var display = DisplayMode.values
    /// `sysparm_exclude_reference_link`
    var excludesReferenceLink = false
    /// Whether the rows are counted: `sysparm_no_count` is not `true`.
    var counts = true
    /// `sysparm_count`, of statistics.
    var countsOnly = false
    /// The aggregates asked for that this instance does not have, of statistics.
    var otherAggregates: [String] = []
    /// Whether a `Link` field is sent: `sysparm_suppress_pagination_header` is not `true`.
    var links = true

    /// Reads the parameters of a target.
    /// - Throws: `.invalidParameter` for an escape that is no text, and for a limit or an offset that is no number from
    ///   0.
    init(_ target: RequestTarget) throws(InstanceError) {
        guard let parameters = target.parameters() else {
            throw .invalidParameter("the query string is no UTF-8 text")
        }
        var hasQuery = false
        var conditions: [EncodedQuery.Condition] = []
        for (name, value) in parameters {
            switch name {
            case "sysparm_query":
                query = EncodedQueryParser.parse(value)
                hasQuery = true
            case "sysparm_count": countsOnly = equalIgnoringCase(value, "true")
            case "sysparm_avg_fields", "sysparm_min_fields", "sysparm_max_fields", "sysparm_sum_fields",
                "sysparm_group_by", "sysparm_having":
                otherAggregates.append(name)
            case "sysparm_fields":
                let names = value.utf8.split(separator: 0x2C).map { Substring($0).trimmingSpaces }
                fields = names.isEmpty ? nil : names
            case "sysparm_view": view = value
            case "sysparm_limit": limit = try count(name, value, default: 10000)
            case "sysparm_offset": offset = try count(name, value, default: 0)
            case "sysparm_display_value": display = DisplayMode(rawValue: value.lowercased()) ?? .values
            case "sysparm_exclude_reference_link": excludesReferenceLink = equalIgnoringCase(value, "true")
            case "sysparm_no_count": counts = !equalIgnoringCase(value, "true")
            case "sysparm_suppress_pagination_header": links = !equalIgnoringCase(value, "true")
            default:
                if !name.hasPrefix("sysparm_") {
                    conditions.append(EncodedQuery.Condition(field: name, comparison: .shows, operand: value))
                }
            }
        }
        if !hasQuery, !conditions.isEmpty {
            query.groups = [EncodedQuery.Group(alternatives: conditions.map { .init(conditions: [$0]) })]
        }
    }

    private func count(_ name: String, _ value: String, default: Int) throws(InstanceError) -> Int {
        if value.isEmpty { return `default` }
        guard value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(value) else {
            throw .invalidParameter("\(name) must be a whole number from 0")
        }
        return count
    }
}
