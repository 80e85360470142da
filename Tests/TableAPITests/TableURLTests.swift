import HTTPModel
import Pagination
import Testing

@testable import TableAPI

@Suite struct TableURLTests {
    private let page = PageRequest(offset: 40, limit: 20)

    private func url(
        _ configuration: FetchConfiguration = FetchConfiguration(), table: String = "incident",
        base: String = "https://x.service-now.com", version: Instance.APIVersion = .latest, request: PageRequest? = nil
    ) throws -> String {
        let instance = try Instance(url: base, apiVersion: version)
        return try TableURL(instance, table: table, configuration: configuration).text(for: request ?? page)
    }

    @Test("Limit, offset and a stable order are always sent")
    func bare() throws {
        #expect(
            try url() == "https://x.service-now.com/api/now/table/incident?sysparm_query=ORDERBYsys_id&sysparm_limit=20"
                + "&sysparm_offset=40")
        #expect(
            try url(FetchConfiguration(stableOrder: false))
                == "https://x.service-now.com/api/now/table/incident?sysparm_limit=20&sysparm_offset=40")
    }

    @Test(
        "The version and a path of the base URL stand where they belong",
        arguments: [
            ("https://h", Instance.APIVersion.v1, "https://h/api/now/v1/table/incident?"),
            ("https://h:8443/", .v2, "https://h:8443/api/now/v2/table/incident?"),
            ("https://h/proxy/a/", .latest, "https://h/proxy/a/api/now/table/incident?"),
        ])
    func bases(base: String, version: Instance.APIVersion, start: String) throws {
        #expect(try url(base: base, version: version).hasPrefix(start))
    }

    @Test("Every parameter is sent once and arrives as it was given")
    func everything() throws {
        let query = "a=1+2^b>2020-05-29T08:48:29+01:00^cLIKEü €&=?#%25/'()<>\"\\^ORDERBYDESCx"
        let configuration = FetchConfiguration(
            filter: Filter(query: query, queryCategory: "read replica", queryNoDomain: true), limit: 7,
            readConfiguration: FieldReadConfiguration(
                includeFields: ["number", "caller_id.name"], displayValue: .all, excludeReferenceLink: true,
                view: "mobile"))
        let text = try url(configuration)
        let target = try #require(authorityAndTarget(ofURL: text)?.target)
        let parameters = try #require(RequestTarget(target)?.parameters())
        #expect(
            parameters.map { "\($0.name)=\($0.value)" } == [
                "sysparm_query=\(query)^ORDERBYsys_id", "sysparm_query_category=read replica",
                "sysparm_query_no_domain=true", "sysparm_fields=number,caller_id.name", "sysparm_display_value=all",
                "sysparm_exclude_reference_link=true", "sysparm_view=mobile", "sysparm_limit=20", "sysparm_offset=40",
            ])
        #expect(!text.contains("+") && text.contains("%2B"))
        #expect(
            text.contains("sysparm_query=a%3D1%2B2%5Eb%3E2020-05-29T08%3A48%3A29%2B01%3A00%5EcLIKE%C3%BC%20%E2%82%AC"))
        #expect(text.contains("%26%3D%3F%23%2525%2F%27%28%29%3C%3E%22%5C%5EORDERBYDESCx%5EORDERBYsys_id&"))
        #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test("A query's bytes are sent as they are, whatever their normal form")
    func bytes() throws {
        let composed = try url(FetchConfiguration(filter: "a=\u{E9}"))
        let decomposed = try url(FetchConfiguration(filter: "a=e\u{301}"))
        #expect(composed.contains("a%3D%C3%A9%5E"))
        #expect(decomposed.contains("a%3De%CC%81%5E"))
    }

    @Test(
        "Display values are asked for by their parameter",
        arguments: [
            (FieldReadConfiguration.DisplayValue.actual, nil), (.display, "true"), (.all, "all"),
        ] as [(FieldReadConfiguration.DisplayValue, String?)])
    func displayValues(value: FieldReadConfiguration.DisplayValue, expected: String?) throws {
        let text = try url(FetchConfiguration(readConfiguration: FieldReadConfiguration(displayValue: value)))
        #expect(text.contains("sysparm_display_value") == (expected != nil))
        if let expected { #expect(text.contains("sysparm_display_value=\(expected)&")) }
    }

    @Test("A count asks for one key of the same records")
    func count() throws {
        let configuration = FetchConfiguration(
            filter: "active=true",
            readConfiguration: FieldReadConfiguration(includeFields: ["number"], displayValue: .all))
        #expect(
            try url(configuration, request: PageRequest(offset: 0, limit: 1, countOnly: true))
                == "https://x.service-now.com/api/now/table/incident?sysparm_query=active%3Dtrue%5EORDERBYsys_id"
                + "&sysparm_fields=sys_id&sysparm_limit=1&sysparm_offset=0")
    }

    @Test(
        "A table's name is refused unless it is one",
        arguments: [
            "", "Incident", "1incident", "_incident", "in-cident", "incident/../x", "incident?x", "incident ",
            "ïncident",
            "incident\n", String(repeating: "a", count: 81),
        ])
    func tables(name: String) {
        #expect(throws: TableServiceError.invalidTableName(name)) { try url(table: name) }
    }

    @Test("Names of tables and fields that exist are accepted")
    func names() throws {
        #expect(try url(table: "u_x9_" + String(repeating: "a", count: 75)).contains("/table/u_x9_"))
        let fields = FieldReadConfiguration(includeFields: ["u_Ünal.sys_id"])
        #expect(try url(FetchConfiguration(readConfiguration: fields)).contains("sysparm_fields=u_%C3%9Cnal.sys_id&"))
    }

    @Test("A field's name that would be read as others is refused", arguments: ["", "a,b", "a b", "a\n", "\u{7F}"])
    func fields(name: String) {
        let fields = FieldReadConfiguration(includeFields: ["number", name])
        #expect(throws: TableServiceError.invalidField(name)) {
            try url(FetchConfiguration(readConfiguration: fields))
        }
    }
}
