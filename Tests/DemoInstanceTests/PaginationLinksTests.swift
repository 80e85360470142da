import Testing

@testable import DemoInstance

@Suite("The Link field of a list")
struct PaginationLinksTests {
    private let base = "https://x.example/api/now/table/incident"

    @Test("is written as an instance does")
    func literal() {
        let value = PaginationLinks.value(
            base: base, query: "sysparm_limit=10000&sysparm_fields=sys_id%2Cname,os&sysparm_query=aIN1%2C2^b=%5E",
            offset: 0,
            limit: 10000, total: 28124)
        let url = "\(base)?sysparm_fields=sys_id,name,os&sysparm_query=aIN1%2C2^b=%5E&sysparm_offset="
        #expect(
            value == "<\(url)0&sysparm_limit=10000>;rel=\"first\",<\(url)10000&sysparm_limit=10000>;rel=\"next\","
                + "<\(url)20000&sysparm_limit=10000>;rel=\"last\"")
    }

    @Test(
        "has the neighbours that there are",
        arguments: [
            (0, 10, 10, nil), (0, 10, 0, nil), (0, 0, 5, nil),
            (0, 10, 11, "first=0 next=10 last=10"),
            (10, 10, 30, "first=0 prev=0 next=20 last=20"),
            (20, 10, 30, "first=0 prev=10 last=20"),
            (5, 10, 30, "first=0 prev=0 next=15 last=20"),
            (500, 10, 30, "first=0 prev=490 last=20"),
            (Int.max, 10, 30, "first=0 prev=\(Int.max - 10) last=20"),
        ])
    func neighbours(offset: Int, limit: Int, total: Int, expected: String?) {
        let value = PaginationLinks.value(base: base, query: nil, offset: offset, limit: limit, total: total)
        let summary = value?.split(separator: ",").map { entry in
            let relation = entry.split(separator: "\"")[1]
            let offset = entry.split(separator: "sysparm_offset=")[1].prefix { $0 != "&" }
            return "\(relation)=\(offset)"
        }
        #expect(summary?.joined(separator: " ") == expected)
    }
}
