import SQLite
import Testing

@testable import DemoInstance

@Suite("The translation of a query into SQL")
struct QueryTranslatorTests {
    private func translated(_ query: String) -> (condition: SQLFragment?, orders: [String], source: String) {
        let catalog = Catalog(Catalog.storedRows(incidents: 1).map(\.schema) + [Server.parentSchema])
        let root = Incident.table.schema
        var translator = QueryTranslator(scope: QueryScope(catalog: catalog, root: root), present: 1_767_182_400)
        let query = EncodedQueryParser.parse(query)
        let condition = translator.condition(query)
        let orders = translator.orders(query)
        return (condition, orders.map(\.text), translator.scope.source())
    }

    @Test(
        "has the caller's text in parameters only, whatever it is",
        arguments: [
            "'", "\"", "%", "_", "\\", "a\0b", "'; DROP TABLE incident; --", "?", ") OR (1=1", "\u{202E}x", "-- ",
        ],
        [
            "short_description=", "categoryIN", "short_descriptionLIKE", "caller_id=", "caller_id.nameSTARTSWITH",
            "number>", "sys_id>", "sys_class_nameINSTANCEOF",
        ])
    func hostile(text: String, start: String) throws {
        let harmless = try #require(translated(start + "harmless").condition)
        let hostile = try #require(translated(start + text).condition)
        // A NUL cannot be in any record, so a search for it needs no parameter at all.
        if hostile != .never { #expect(hostile.text == harmless.text) }
        #expect(hostile.text.filter { $0 == "?" }.count == hostile.values.count)
    }

    @Test("escapes the wild cards of LIKE where it is used")
    func wildCards() {
        #expect(translated("short_descriptionLIKE50%_\\").condition?.values == [.text("50%_\\")])
        #expect(translated("short_descriptionSTARTSWITH50%_\\").condition?.values == [.text("50\\%\\_\\\\%")])
        #expect(translated("short_descriptionSTARTSWITH%").condition?.values == [.text("\\%%")])
        #expect(translated("short_descriptionENDSWITH_").condition?.values == [.text("%\\_")])
    }

    @Test("turns operands into the type of their column")
    func types() {
        #expect(translated("priority=1").condition?.values == [.integer(1)])
        #expect(translated("active=TRUE").condition?.values == [.integer(1)])
        #expect(translated("opened_at>1970-01-02").condition?.values == [.integer(86400)])
        #expect(translated("category=1").condition?.values == [.text("1")])
        #expect(translated("priority=one").condition == .never)
    }

    @Test("joins a table once for each way to it")
    func joins() {
        let result = translated("caller_id.name=a^caller_id.email=b^caller_id.company.name=c^ORDERBYcaller_id")
        #expect(result.source.components(joinedBy: "JOIN") == 2)
        #expect(result.orders == ["j0.\"name\" ASC"])
    }

    @Test("drops what leads nowhere or too far")
    func dropped() {
        #expect(translated("nothing=1^caller_id.nothing=1^number.x=1").condition == nil)
        #expect(translated("ORDERBYnothing^ORDERBYupon_approval").orders.isEmpty)
        let far = "caller_id." + String(repeating: "manager.", count: 200) + "name=x"
        #expect(translated(far).condition == nil)
    }
}

extension String {
    /// How often a word stands in the text.
    fileprivate func components(joinedBy word: String) -> Int {
        ranges(of: word).count
    }
}
