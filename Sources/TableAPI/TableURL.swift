import HTTPModel
import Pagination

/// The URLs of one table's windows. What does not change from window to window is made once.
///
/// Limit and offset are always sent, since the instance's own default limit would silently drop what is beyond it.
/// `sysparm_suppress_pagination_header` never is: only the answer shows whether the instance counts, and where it does
/// not, the `Link` header is the one sign that more rows follow. A query whose URL an instance accepts at all (about
/// 8 KB) makes a `Link` header that the transport can take. `sysparm_no_count` never is either, as the count is wanted.
struct TableURL: Sendable {
    /// The parameters behind the query: those of the filter, and those of the fields.
    private let parameters: (filter: String, fields: String)
    private let table: String
    private let page: FetchURL
    private let count: FetchURL

    /// Makes the URLs of a table.
    ///
    /// - Throws: `TableServiceError` for a name of a table or field that cannot be sent.
    init(_ instance: Instance, table: String, configuration: FetchConfiguration) throws(TableServiceError) {
        guard isTableName(table) else { throw .invalidTableName(table) }
        let read = configuration.readConfiguration
        for field in read.includeFields where !isField(field) { throw .invalidField(field) }
        let filter = configuration.filter
        let query = filter?.query ?? ""

        var records = Parameters()
        records.append("sysparm_query_category", filter?.queryCategory ?? "")
        records.append("sysparm_query_no_domain", filter?.queryNoDomain == true ? "true" : "")
        var fields = Parameters()
        fields.append("sysparm_fields", read.includeFields.joined(separator: ","))
        fields.append("sysparm_display_value", read.displayValue == .actual ? "" : read.displayValue.rawValue)
        fields.append("sysparm_exclude_reference_link", read.excludeReferenceLink ? "true" : "")
        fields.append("sysparm_view", read.view ?? "")

        let version = instance.apiVersion == .latest ? "" : "/\(instance.apiVersion.rawValue)"
        self.init(
            "\(instance.url)/api/now\(version)/table/\(table)?", (records.text, fields.text),
            query: configuration.stableOrder ? Filter.stablyOrdered(query) : query)
    }

    private init(_ table: String, _ parameters: (filter: String, fields: String), query: String) {
        self.table = table
        self.parameters = parameters
        var records = Parameters()
        records.append("sysparm_query", query)
        let start = table + records.text + parameters.filter
        page = FetchURL(start + parameters.fields + "sysparm_limit=")
        count = FetchURL(start + "sysparm_fields=sys_id&sysparm_limit=1&sysparm_offset=")
    }

    /// What makes a fetch the same as another one with that holder's credentials.
    func key(for request: PageRequest, holder: String) -> FetchKey {
        request.countOnly
            ? FetchKey(holder: holder, url: count, offset: request.offset, limit: 1)
            : FetchKey(holder: holder, url: page, offset: request.offset, limit: request.limit)
    }

    /// The URLs of another query on the same table. The query is sent as it is, without an order of ours.
    func asking(_ query: String) -> TableURL {
        TableURL(table, parameters, query: query)
    }

    /// The URL of a window. Where only the count matters, it asks for one row and no more of it than its key.
    func text(for request: PageRequest) -> String {
        request.countOnly
            ? count.text + String(request.offset) : page.text + "\(request.limit)&sysparm_offset=\(request.offset)"
    }
}

/// Query parameters, each with an `&` behind it; empty ones are left out.
private struct Parameters {
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ name: String, _ value: String) {
        if value.isEmpty { return }
        bytes += name.utf8
        bytes.append(UInt8(ascii: "="))
        appendPercentEncoded(value, to: &bytes)
        bytes.append(UInt8(ascii: "&"))
    }
}

private func isTableName(_ name: String) -> Bool {
    guard let first = name.utf8.first, 0x61...0x7A ~= first, name.utf8.count <= 80 else { return false }
    return name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x5F }
}

private func isField(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x2C && $0 != 0x7F }
}
