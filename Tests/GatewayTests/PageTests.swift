import HTTPModel
import Testing

@testable import Gateway

struct PageTests {
    @Test("A page by its number moves nothing")
    func pageByNumber() async throws {
        let service = try Service()
        let path = try await service.open()
        _ = try await service.post(path + "/next")
        let before = try await service.get(path).text
        service.transport.answer(rows: 60)
        let page = try await service.get(path + "/pages/2")
        #expect(page.headers["ETag"] == nil && page.headers["X-Total-Count"] == "60")
        #expect(page.headers["Cache-Status"] == "paginatord; fwd=miss")
        #expect(
            page.headers["Link"]
                == "<\(path)/pages/2>; rel=\"self\", <\(path)/pages/3>; rel=\"next\", <\(path)/pages/1>; rel=\"prev\"")
        #expect(
            page.text.hasPrefix(
                #"{"page":2,"numberOfPages":3,"itemsPerPage":20,"itemCount":20,"totalItems":60,"hasNext":true,"#
                    + #""hasPrevious":true,"isFinished":false,"position":1,"links":{"self":"\#(path)/pages/2","#
                    + #""next":"\#(path)/pages/3","previous":"\#(path)/pages/1"},"items":[{"n":20},"#))
        #expect(try await service.get(path).text == before)
    }

    @Test("Beyond the end a page is empty")
    func beyondTheEnd() async throws {
        let service = try Service(rows: 45)
        let path = try await service.open()
        let page = try await service.get(path + "/pages/9")
        #expect(try page["itemCount"] == .integer(0) && page["page"] == .integer(9) && page["hasNext"] == .bool(false))
        #expect(try page["items"] == .array([]) && page["position"] == .integer(0))
        #expect(try page.links?["next"] == nil)
        let huge = try await service.get(path + "/pages/461168601842738791")
        #expect(huge.status == 200 && service.transport.urls.last?.hasSuffix("offset=9223372036854775800") == true)
    }

    @Test(
        "A page number has one spelling",
        arguments: [
            "0", "-1", "+1", "01", "00", "1e3", "1.0", "0x1", "%31", "%D9%A1", "one", "1;a=b", "1,2",
            "461168601842738792", "9223372036854775807", "9223372036854775808", "99999999999999999999999",
        ])
    func pageNumbers(number: String) async throws {
        let service = try Service()
        let path = try await service.open()
        #expect(try await service.get("\(path)/pages/\(number)").faults == ["?n"])
        #expect(try await service.get("\(path)/pages/\(number)?x=1").faults.first == "?x")
        #expect(service.transport.urls.isEmpty)
    }

    @Test("A table’s page needs no session")
    func table() async throws {
        let service = try Service(instances: ["default", "other"])
        let page = try await service.get(
            "/tables/incident?page=2&instance=other&query=a%3D1%5Eb%3E2+3&fields=number,caller_id.name&displayValue=all"
                + "&excludeReferenceLink=true&view=ess&queryCategory=list&queryNoDomain=true&itemsPerPage=10&stableOrder=false"
        )
        let link =
            "/tables/incident?instance=other&query=a%3D1%5Eb%3E2%203&fields=number%2Ccaller_id.name&displayValue=all"
            + "&excludeReferenceLink=true&view=ess&queryCategory=list&queryNoDomain=true&itemsPerPage=10"
            + "&stableOrder=false&page="
        #expect(
            page.text.hasPrefix(
                #"{"page":2,"numberOfPages":5,"itemsPerPage":10,"itemCount":10,"totalItems":45,"hasNext":true,"#
                    + #""hasPrevious":true,"isFinished":false,"links":{"self":"\#(link)2","next":"\#(link)3","#
                    + #""previous":"\#(link)1"},"items":[{"n":10},"#))
        #expect(page.headers["ETag"] == nil && page.headers["X-Total-Count"] == "45")
        #expect(
            page.headers["Link"] == "<\(link)2>; rel=\"self\", <\(link)3>; rel=\"next\", <\(link)1>; rel=\"prev\"")
        #expect(
            service.transport.urls == [
                "https://other.service-now.com/api/now/table/incident?sysparm_query=a%3D1%5Eb%3E2%203"
                    + "&sysparm_query_category=list&sysparm_query_no_domain=true&sysparm_fields=number%2Ccaller_id.name"
                    + "&sysparm_display_value=all&sysparm_exclude_reference_link=true&sysparm_view=ess"
                    + "&sysparm_limit=10&sysparm_offset=10"
            ])
        #expect(try await service.get(link + "3").status == 200)
        #expect(try await service.get("/sessions").text == #"{"sessions":[]}"#)
    }

    @Test(
        "A link of a table’s page is a sound target, whatever the query looked like",
        arguments: [
            "?query=a>b\"<c>", "?%70age=1&query=%26page=7", "?query=x>;rel=\"next\",<http://evil.example/",
            "?query=a=b=c&view=%2B", "", "?", "?&&", "?page=1&query=page=3", "?query=%C3%A9",
        ])
    func tableLinks(query: String) async throws {
        let service = try Service()
        let first = try await service.get("/tables/incident\(query)")
        guard case .string(let next)? = try first.links?["next"] else {
            Issue.record("no next page: \(first.text)")
            return
        }
        #expect(first.headers["Link"]?.contains("<\(next)>; rel=\"next\"") == true)
        #expect(next.utf8.allSatisfy { !"<>\" ^".utf8.contains($0) })
        let second = try await service.get(next)
        #expect(try second["page"] == .integer(2))
        let urls = service.transport.urls.map { $0.replacing("sysparm_offset=20", with: "sysparm_offset=0") }
        #expect(urls.count == 2 && urls[0] == urls[1])
    }

    @Test("An absolute target makes relative links")
    func absoluteTarget() async throws {
        let page = try await Service().get("http://localhost:8080/tables/incident")
        #expect(try page.links?["next"] == .string("/tables/incident?page=2"))
    }

    @Test(
        "What concerns no page, or is wrong, is named",
        arguments: [
            ("incident?page=0", ["?page"]), ("incident?page=-1", ["?page"]), ("incident?page=", ["?page"]),
            ("incident?page=1e3", ["?page"]), ("incident?page=9223372036854775807", ["?page"]),
            ("incident?page=99999999999999999999", ["?page"]),
            ("incident?page=x&view=\(String(repeating: "v", count: 256))", ["?view", "?page"]),
            ("incident?page=9223372036854775807&fields=", ["?fields", "?page"]), ("incident?fields=a,,b", ["?fields"]),
            ("incident?fields=a,a", ["?fields"]), ("incident?fields=a%20", ["?fields"]),
            ("incident?instance=nowhere", ["?instance"]), ("incident?displayValue=yes", ["?displayValue"]),
            ("incident?excludeReferenceLink=1", ["?excludeReferenceLink"]), ("incident?stableOrder=", ["?stableOrder"]),
            ("incident?queryNoDomain=TRUE", ["?queryNoDomain"]), ("incident?itemsPerPage=0", ["?itemsPerPage"]),
            ("incident?itemsPerPage=10001", ["?itemsPerPage"]), ("incident?itemsPerPage=%2B5", ["?itemsPerPage"]),
            ("incident?readAhead=0", ["?readAhead"]), ("incident?idleTimeout=5", ["?idleTimeout"]),
            ("incident?publisherShouldFinish=true", ["?publisherShouldFinish"]), ("incident?table=x", ["?table"]),
            ("incident?sysparm_query=x", ["?sysparm_query"]), ("incident?after=0", ["?after"]),
            ("INCIDENT", ["?table"]), ("inci%64ent", ["?table"]), ("...", ["?table"]), ("incident;a=b", ["?table"]),
            ("9?page=0", ["?table", "?page"]),
        ])
    func tableFaults(target: String, faults: [String]) async throws {
        let service = try Service()
        #expect(try await service.get("/tables/\(target)").faults == faults)
        #expect(service.transport.urls.isEmpty)
    }

    @Test("An empty table is page 0 of 0 without links")
    func emptyTable() async throws {
        let page = try await Service(rows: 0).get("/tables/incident")
        #expect(page.text.hasSuffix(#""isFinished":false,"links":{},"items":[]}"#) && page.headers["Link"] == nil)
    }

    @Test("Links that are too long for a header stand in the body alone", arguments: [10, 2000, 4000, 20_000])
    func longLinks(length: Int) async throws {
        let service = try Service()
        let page = try await service.get("/tables/incident?page=2&query=" + String(repeating: "a", count: length))
        #expect(page.status == 200)
        #expect((page.headers["Link"] != nil) == (length <= 2000))
        #expect(page.headers.fields.allSatisfy { $0.value.utf8.count <= 8192 })
        #expect(page.text.contains("\"next\":\"/tables/incident?query=aaa"))
    }
}
