import Foundation
import HTTPModel
import Synchronization
import Testing

@testable import DemoInstance

@Suite("A faulty instance")
struct FaultsTests {
    @Test("answers as without faults where none happens")
    func untouched() async throws {
        let plain = try await FaultyInstance()
        let faulty = try await FaultyInstance("truncate:ratio=0", "drop:every=1000", "hide:ratio=0", "bad-row:ratio=0")
        for target in [FaultyInstance.list, "/api/now/table/incident/nothing", "/nothing"] {
            let (left, right) = (await plain.call(target), await faulty.call(target))
            #expect(left.status == right.status && left.body == right.body)
            // Cookies and the request's number differ from request to request.
            for name in ["Content-Type", "X-Total-Count", "Link"] { #expect(left.headers[name] == right.headers[name]) }
        }
    }

    @Test(
        "refuses with the status, the fields and the body of the real thing",
        arguments: [
            (
                "rate-limit:retry-after=7", 429, ["Retry-After": "7", "X-RateLimit-Limit": "100"],
                #"{"error":{"message":"Rate limit exceeded","detail":"Rate limit of 100 requests per hour for Table API "#
                    + #"exceeded"},"status":"failure"}"#
            ),
            ("rate-limit:retry-at=60", 429, ["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"], "Rate limit of 100"),
            ("rate-limit:as=queue", 429, ["Retry-After": nil, "X-RateLimit-Limit": nil], "Rejecting request"),
            ("status:502", 502, ["Content-Type": "text/html"], "<center><h1>502 Bad Gateway</h1></center>"),
            ("status:503,retry-after=2", 503, ["Retry-After": "2"], "503 Service Temporarily Unavailable"),
            ("hibernate", 200, ["Content-Type": "text/html;charset=UTF-8"], "Your instance is hibernating"),
            ("empty-202", 202, ["Content-Type": nil], ""), ("empty-200", 200, ["Content-Type": nil], ""),
            ("login", 200, ["Content-Type": "text/html;charset=UTF-8"], "/login.do"),
            ("login:as=redirect", 302, ["Location": "/login.do"], ""),
            ("unauthorized", 401, ["WWW-Authenticate": #"Basic realm="Service-now""#], "User Not Authenticated"),
        ] as [(String, Int, [String: String?], String)])
    func refusals(fault: String, status: Int, headers: [String: String?], body: String) async throws {
        let answer = try await FaultyInstance(fault).call()
        #expect(answer.status == status)
        for (name, value) in headers { #expect(answer.headers[name] == value) }
        #expect(body.isEmpty ? answer.text.isEmpty : answer.text.contains(body))
        #expect(!answer.isCut)
    }

    @Test("names the end of the hour as the reset of a request limit")
    func reset() async throws {
        let answer = try await FaultyInstance("rate-limit").call()
        // The clock says 1994-11-06 08:49:37; the hour ends at 09:00.
        #expect(answer.headers["X-RateLimit-Reset"] == "784112400")
    }

    @Test("closes the connection without a byte of the body")
    func drop() async throws {
        let answer = try await FaultyInstance("drop").call()
        #expect(answer.isMissing)
    }

    @Test("cuts a body at some place within it, so that it never is whole", arguments: ["chunked", "json"])
    func truncation(shape: String) async throws {
        let whole = try await FaultyInstance().call()
        let instance = try await FaultyInstance("truncate:as=\(shape)")
        var lengths: Set<Int> = []
        for _ in 0..<20 {
            let answer = await instance.call()
            #expect(answer.isCut == (shape == "chunked"))
            #expect((1..<whole.body.count).contains(answer.body.count))
            #expect(whole.body.starts(with: answer.body))
            #expect(throws: (any Error).self) { try JSONSerialization.jsonObject(with: Data(answer.body)) }
            lengths.insert(answer.body.count)
        }
        #expect(lengths.count > 10)
    }

    @Test(
        "appends the error of a cancelled request to rows that were written already",
        arguments: [
            ("row", 200, "\"error\":{", false), ("list", 200, ",]\"error\":{", false),
            ("alone", 200, "{\"error\":{", true), ("queued", 500, "{\"error\":{", true),
        ], [1, 7, 300])
    func appendedError(shape: (String, status: Int, mark: String, isWhole: Bool), rows: Int) async throws {
        let answer = try await FaultyInstance("append-error:as=\(shape.0)").call(
            FaultyInstance.list + "&sysparm_limit=\(rows)")
        #expect(answer.status == shape.status && !answer.isCut)
        #expect(answer.text.contains(shape.mark))
        #expect(
            answer.text.hasSuffix(
                #""error":{"message":"Transaction cancelled: maximum execution time exceeded","detail":"Transaction "#
                    + #"cancelled: maximum execution time exceeded Check logs for error trace or enable "#
                    + #"glide.rest.debug property to verify REST request processing"},"status":"failure"}"#))
        let document = try? JSONSerialization.jsonObject(with: Data(answer.body))
        #expect((document != nil) == shape.isWhole)
        #expect(answer.text.contains(#"{"result":[{"sys_id":""#) == !shape.isWhole)
    }

    @Test("appends the error to a list without rows too", arguments: ["row", "list", "alone", "queued"])
    func appendedErrorWithoutRows(shape: String) async throws {
        let answer = try await FaultyInstance("append-error:as=\(shape)").call(
            "/api/now/table/incident?sysparm_query=number=none")
        #expect(answer.text.contains("Transaction cancelled"))
    }

    @Test("hides the same records on every page, whatever the window and the form of values, and counts them still")
    func hiding() async throws {
        let all = try await FaultyInstance().call().keys()
        let instance = try await FaultyInstance("hide:ratio=0.2")
        let seen = try await instance.call().keys()
        #expect((30...90).contains(all.count - seen.count))
        #expect(all.filter(seen.contains) == seen)
        #expect(await instance.call().headers["X-Total-Count"] == "300")

        var paged: [String?] = []
        for offset in stride(from: 0, to: 300, by: 20) { paged += try await instance.page(offset, 20) }
        #expect(paged == seen)

        let both = await instance.call(FaultyInstance.list + "&sysparm_display_value=all")
        #expect(both.text.components(separatedBy: "\"number\"").count - 1 == seen.count)

        let hidden = try #require(all.first { !seen.contains($0) } ?? nil)
        let shown = try #require(seen.first ?? nil)
        #expect(await instance.call("/api/now/table/incident/\(shown)").status == 200)
        let refused = await instance.call("/api/now/table/incident/\(hidden)")
        #expect(refused.status == 404 && refused.text.contains("ACL restricts the record retrieval"))

        #expect(try await FaultyInstance("hide:ratio=0.2", seed: 2).call().keys() != seen)
        #expect(try await FaultyInstance("hide:ratio=1").call().keys() == [])
    }

    @Test("leaves empty objects in the place of hidden records")
    func emptyRows() async throws {
        let all = try await FaultyInstance().call().keys()
        let gone = try await FaultyInstance("hide:ratio=0.3").call().keys()
        let empty = try await FaultyInstance("hide:ratio=0.3,as=empty").call().keys()
        #expect(empty == all.map { gone.contains($0) ? $0 : nil })
    }

    @Test("hides records by their text where no sys_id was asked for")
    func hidingWithoutKey() async throws {
        let target = "/api/now/table/incident?sysparm_query=ORDERBYnumber&sysparm_fields=number"
        let instance = try await FaultyInstance("hide:ratio=0.5")
        let first = await instance.call(target)
        let count = first.text.components(separatedBy: "number").count - 1
        #expect((100...200).contains(count))
        #expect(await instance.call(target).body == first.body)
    }

    @Test("holds answers back around a mean, by the seed")
    func latency() async throws {
        let waits = Mutex<[Duration]>([])
        for _ in 0..<2 {
            let instance = try await FaultyInstance("latency:mean=150,jitter=50") { wait in
                waits.withLock { $0.append(wait) }
            }
            for _ in 0..<50 { #expect(await instance.call("/api/now/table/sys_user?sysparm_limit=1").status == 200) }
        }
        let all = waits.withLock { $0 }
        #expect(all.count == 100 && Array(all.prefix(50)) == Array(all.suffix(50)))
        #expect(all.allSatisfy { .milliseconds(100)...(.milliseconds(200)) ~= $0 })
        #expect(Set(all).count == 50)
        #expect(all.contains { $0 < .milliseconds(130) } && all.contains { $0 > .milliseconds(170) })
    }

    @Test("takes away the count, and takes away or bends the links")
    func headers() async throws {
        let page = FaultyInstance.list + "&sysparm_limit=20"
        let plain = try await FaultyInstance().call(page)
        let link = try #require(plain.headers["Link"])
        let noCount = try await FaultyInstance("no-count").call(page)
        #expect(noCount.headers["X-Total-Count"] == nil && noCount.headers["Link"] == link)
        let noLinks = try await FaultyInstance("links").call(page)
        #expect(noLinks.headers["X-Total-Count"] == "300" && noLinks.headers["Link"] == nil)
        let foreign = try await FaultyInstance("links:as=foreign").call(page)
        #expect(
            foreign.headers["Link"] == link.replacingOccurrences(of: "//demo.example/", with: "//elsewhere.invalid/"))
        let same = try await FaultyInstance("links:as=same").call(page)
        #expect(same.headers["Link"] == "<http://demo.example\(page)>;rel=\"next\"")
        #expect([noCount.body, noLinks.body, foreign.body, same.body].allSatisfy { $0 == plain.body })
    }

    @Test("puts among the rows one that is none")
    func badRow() async throws {
        let plain = try await FaultyInstance().call(FaultyInstance.list + "&sysparm_limit=4")
        let answer = try await FaultyInstance("bad-row").call(FaultyInstance.list + "&sysparm_limit=4")
        #expect(answer.text.replacingOccurrences(of: #","","#, with: ",") == plain.text)
        #expect(answer.text != plain.text)
    }
}
