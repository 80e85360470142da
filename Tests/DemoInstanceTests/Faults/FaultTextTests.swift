import Testing

@testable import DemoInstance

@Suite("A fault as text")
struct FaultTextTests {
    @Test(
        "is read with its parameters, in any order",
        arguments: [
            ("rate-limit", Fault(.rateLimit(.quota, retryAfter: .seconds(1)))),
            ("rate-limit:every=10,retry-after=7", Fault(.rateLimit(.quota, retryAfter: .seconds(7)), .every(10))),
            ("rate-limit:retry-after=none,ratio=.5", Fault(.rateLimit(.quota, retryAfter: .absent), .ratio(0.5))),
            ("rate-limit:retry-at=60", Fault(.rateLimit(.quota, retryAfter: .date(60)))),
            ("rate-limit:as=queue", Fault(.rateLimit(.queue, retryAfter: .absent))),
            ("truncate:every=7", Fault(.truncate(.chunked), .every(7))),
            ("truncate:as=json,requests=3", Fault(.truncate(.json), .first(3))),
            ("append-error:every=2", Fault(.appendError(.row), .every(2))),
            ("append-error:as=list", Fault(.appendError(.list))),
            ("append-error:as=alone", Fault(.appendError(.alone))),
            ("append-error:as=queued", Fault(.appendError(.queued))),
            ("hide:ratio=0.2", Fault(.hide(ratio: 0.2))),
            ("hide:as=empty,ratio=1", Fault(.hide(ratio: 1, as: .empty))),
            (
                "latency:mean=150,jitter=50",
                Fault(.latency(mean: .milliseconds(150), jitter: .milliseconds(50)))
            ),
            ("latency:mean=5000,every=9", Fault(.latency(mean: .seconds(5)), .every(9))),
            ("status:502,ratio=0.05", Fault(.status(502), .ratio(0.05))),
            ("status:code=503,retry-after=2", Fault(.status(503, retryAfter: .seconds(2)))),
            ("hibernate", Fault(.hibernate)),
            ("hibernate:requests=5", Fault(.hibernate, .first(5))),
            ("drop:ratio=0", Fault(.drop, .ratio(0))),
            ("shrink", Fault(.shrink(by: 1, most: 100))),
            ("shrink:by=3,most=9,every=2", Fault(.shrink(by: 3, most: 9), .every(2))),
            ("grow:most=5", Fault(.grow(by: 1, most: 5))),
            ("empty-202", Fault(.empty(status: 202))),
            ("empty-200:every=3", Fault(.empty(status: 200), .every(3))),
            ("login", Fault(.login(.page))),
            ("login:as=redirect", Fault(.login(.redirect))),
            ("unauthorized:every=3", Fault(.unauthorized, .every(3))),
            ("no-count", Fault(.noCount)),
            ("links:as=foreign", Fault(.links(.foreign))),
            ("links:as=same", Fault(.links(.same))),
            ("links", Fault(.links(.none))),
            ("bad-row", Fault(.badRow)),
        ])
    func reading(text: String, expected: Fault) throws {
        #expect(try Fault(text) == expected)
    }

    @Test(
        "that is wrong says what would be right",
        arguments: [
            ("", "unknown fault \"\"; expected one of \(FaultSyntax.all.map(\.name).joined(separator: ", "))"),
            ("trunkate:every=7", "unknown fault \"trunkate\"; expected one of rate-limit, truncate, "),
            ("truncate:", "expected NAME=VALUE behind truncate: but found \"\""),
            ("truncate:every", "expected NAME=VALUE behind truncate: but found \"every\""),
            ("truncate:every=", "expected NAME=VALUE behind truncate: but found \"every=\""),
            ("truncate:every=7,", "expected NAME=VALUE behind truncate: but found \"\""),
            ("truncate:every=0", "expected a whole number from 1 to 1000000000 as every of truncate but found \"0\""),
            ("truncate:every=-1", "expected a whole number from 1 to 1000000000 as every of truncate but found \"-1\""),
            ("truncate:every=7,every=8", "every may stand only once in truncate"),
            ("truncate:every=7,ratio=1", "truncate takes one of every, ratio and requests, not several"),
            ("truncate:evry=7", "unknown parameter evry of truncate, which takes as, every, ratio, requests"),
            ("truncate:as=short", "expected chunked or json as as of truncate but found \"short\""),
            ("drop:ratio=1.5", "expected a number from 0 to 1 as ratio of drop but found \"1.5\""),
            ("drop:ratio=nan", "expected a number from 0 to 1 as ratio of drop but found \"nan\""),
            ("drop:ratio=1.2.3", "expected a number from 0 to 1 as ratio of drop but found \"1.2.3\""),
            ("hide", "hide needs ratio=R, such as hide:ratio=0.2"),
            ("hide:ratio=0.2,every=3", "unknown parameter every of hide, which takes ratio, as"),
            ("latency", "latency needs mean=MILLISECONDS"),
            ("latency:mean=5,jitter=6", "expected a whole number from 0 to 5 as jitter of latency but found \"6\""),
            ("status", "status needs a code, as in status:502"),
            ("status:200", "expected a whole number from 400 to 599 as code of status but found \"200\""),
            ("status:502,503", "expected NAME=VALUE behind status: but found \"503\""),
            (
                "rate-limit:retry-after=soon",
                "expected a whole number of seconds, or none, as retry-after of rate-limit but found \"soon\""
            ),
            ("rate-limit:retry-after=1,retry-at=1", "rate-limit takes retry-after or retry-at, not both"),
        ])
    func errors(text: String, message: String) {
        do throws(FaultTextError) {
            _ = try Fault(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.description.hasPrefix(message), "\(error)")
        }
    }

    @Test("is explained with every parameter that it takes", arguments: FaultSyntax.all.map(\.name))
    func help(name: String) throws {
        let line = try #require(Fault.help.first { $0.hasPrefix("  \(name) ") })
        // What a kind takes is named by its own complaint about what it does not take.
        let right = ["hide": "ratio=1,", "latency": "mean=1,", "status": "502,"][name] ?? ""
        do throws(FaultTextError) {
            _ = try Fault("\(name):\(right)nothing=1")
            Issue.record("nothing was taken")
        } catch {
            let taken = try #require(error.description.split(separator: "takes ").last).split(separator: ", ")
            for parameter in taken where !["every", "ratio", "requests", "code"].contains(parameter) {
                let explained = line + (name == "status" ? "retry-after= retry-at=" : "")
                #expect(explained.contains("\(parameter)="), "\(line)")
            }
        }
        #expect(line.utf8.count <= 120)
    }
}
