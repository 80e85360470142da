import Clocks
import Gateway
import TableAPI
import Testing

@testable import paginatord

struct InstanceStatusTests {
    @Test(
        "What a gate says is told with the moment and whole seconds",
        arguments: [
            (GateState.Passage.ok, InstanceStatus.State.ok, nil, nil),
            (.cooling, .cooling, .milliseconds(2001), 3), (.open, .open, .seconds(10), 10),
            (.probing, .probing, nil, nil),
        ] as [(GateState.Passage, InstanceStatus.State, Duration?, Int?)])
    func status(passage: GateState.Passage, state: InstanceStatus.State, wait: Duration?, retryAfter: Int?) {
        let gate = GateState(
            passage: passage, since: .milliseconds(61_500), inFlight: 3, queued: 7, retryAfter: wait)
        #expect(
            InstanceStatus(name: "a", gate, clockStart: Timestamp(milliseconds: 1_796_000_000_000))
                == InstanceStatus(
                    name: "a", state: state, since: Timestamp(milliseconds: 1_796_000_061_500), inFlight: 3,
                    queued: 7, retryAfter: retryAfter))
    }
}
