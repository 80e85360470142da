import Locks
import Observability
import Testing

@testable import paginatord

@Suite struct DescriptorLimitTests {
    private final class Notes: Observer {
        let events = Lock<[Event]>([])

        func observe(_ event: Event) { events.withLock { $0.append(event) } }
    }

    @Test(
        "Connections leave descriptors for the rest of the service, and a lowered limit is told",
        arguments: [(64, 10_000, 32), (1024, 10_000, 768), (1024, 700, 700), (1_048_576, 10_000, 10_000), (1, 1, 1)])
    func fitted(descriptors: Int, wanted: Int, given: Int) {
        var limits = LimitsConfiguration()
        limits.connections = wanted
        let notes = Notes()
        #expect(limits.fitted(to: descriptors, observer: notes).connections == given)
        #expect(notes.events.withLock { $0.count } == (given < wanted ? 1 : 0))
    }

    @Test("The limit is the system's, and raising it twice changes nothing")
    func raised() {
        let limit = DescriptorLimit.raised()
        #expect(limit > 0)
        #expect(DescriptorLimit.raised() == limit)
    }
}
