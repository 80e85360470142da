import Pagination
import PaginatordTesting
import Testing

@testable import TableAPI

struct WaitingRequestsTests {
    @Test(
        "Whoever comes, leaves and becomes urgent, the most urgent and then the earliest goes first", arguments: 0..<20)
    func model(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var waiting = WaitingRequests()
        var model: [(ticket: RequestTicket, priority: PageRequest.Priority)] = []
        var gone: [RequestTicket] = []
        func priority() -> PageRequest.Priority { .init(rawValue: .random(in: 0...2, using: &random)) ?? .bulk }
        func first() -> Int? {
            model.indices.min {
                (model[$0].priority.rawValue, model[$0].ticket.number)
                    < (model[$1].priority.rawValue, model[$1].ticket.number)
            }
        }
        for step in 0..<3000 {
            let index = model.indices.randomElement(using: &random)
            // Now they become more, now fewer.
            switch Int.random(in: 0..<(step / 500 % 2 == 0 ? 10 : 6), using: &random) {
            case 0, 1:
                let expected = first()
                let entry = waiting.popFirst()
                #expect(entry?.ticket == expected.map { model[$0].ticket })
                if let expected { gone.append(model.remove(at: expected).ticket) }
            case 2:
                guard let index else { continue }
                let removed = waiting.remove(model[index].ticket)
                #expect(removed)
                gone.append(model.remove(at: index).ticket)
            case 3, 4:
                guard let index else { continue }
                let new = priority()
                waiting.raise(model[index].ticket, to: new)
                if new.rawValue < model[index].priority.rawValue { model[index].priority = new }
            case 5:
                guard let ticket = gone.randomElement(using: &random) else { continue }
                waiting.raise(ticket, to: .interactive)
                let removed = waiting.remove(ticket)
                #expect(!removed)
            default:
                let new = priority()
                model.append((waiting.append(new, deadline: .zero), new))
            }
            #expect(waiting.count == model.count)
            let asked = priority()
            #expect(
                waiting.count(before: asked) == model.filter { $0.priority.rawValue <= asked.rawValue }.count)
        }
        while let index = first() {
            #expect(waiting.popFirst()?.ticket == model.remove(at: index).ticket)
        }
        #expect(waiting.isEmpty && waiting.popFirst() == nil)
    }
}
