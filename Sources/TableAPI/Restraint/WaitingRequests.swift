import Pagination

/// The place of a request that waits to be sent.
public struct RequestTicket: Sendable, Hashable {
    /// Its number, in the order of arrival.
    let number: Int
    /// How urgent it was then.
    let priority: PageRequest.Priority
}

/// The requests that wait: the more urgent first, then those that came first.
struct WaitingRequests: Sendable {
    /// One that waits.
    struct Entry: Sendable {
        /// Its place.
        let ticket: RequestTicket
        /// Until when it is ready to wait.
        let deadline: Duration
        /// How urgent it is now.
        fileprivate(set) var priority: PageRequest.Priority
        fileprivate var hasLeft = false
    }

    /// Those of one priority, by number. Who leaves early stays as a gap until those in front have gone.
    private struct Lane {
        var entries: [Entry] = []
        var first = 0
        var count = 0

        mutating func popFirst() -> Entry? {
            while first < entries.count {
                let entry = entries[first]
                first += 1
                if first == entries.count || first >= 64 && first * 2 >= entries.count {
                    entries.removeFirst(first)
                    first = 0
                }
                guard !entry.hasLeft else { continue }
                count -= 1
                return entry
            }
            return nil
        }

        mutating func remove(_ number: Int) -> Entry? {
            let place = place(of: number)
            guard place < entries.count, entries[place].ticket.number == number, !entries[place].hasLeft else {
                return nil
            }
            let entry = entries[place]
            entries[place].hasLeft = true
            count -= 1
            return entry
        }

        mutating func insert(_ entry: Entry) {
            entries.insert(entry, at: place(of: entry.ticket.number))
            count += 1
        }

        /// Where it stands, or would stand.
        private func place(of number: Int) -> Int {
            var range = first..<entries.count
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                range =
                    entries[middle].ticket.number < number
                    ? middle + 1..<range.upperBound : range.lowerBound..<middle
            }
            return range.lowerBound
        }
    }

    private var lanes = [Lane](repeating: Lane(), count: 3)
    /// Those that do not wait in the lane of their arrival any more.
    private var raised: [Int: PageRequest.Priority] = [:]
    private var latestNumber = 0
    /// How many wait.
    private(set) var count = 0

    /// Whether nobody waits.
    var isEmpty: Bool { count == 0 }

    /// How many wait that go before a newcomer of that priority.
    func count(before priority: PageRequest.Priority) -> Int {
        lanes[...priority.rawValue].reduce(0) { $0 + $1.count }
    }

    /// Adds a newcomer.
    mutating func append(_ priority: PageRequest.Priority, deadline: Duration) -> RequestTicket {
        latestNumber += 1
        let ticket = RequestTicket(number: latestNumber, priority: priority)
        lanes[priority.rawValue].entries.append(Entry(ticket: ticket, deadline: deadline, priority: priority))
        lanes[priority.rawValue].count += 1
        count += 1
        return ticket
    }

    /// Takes whoever comes next.
    mutating func popFirst() -> Entry? {
        for index in lanes.indices where lanes[index].count > 0 {
            count -= 1
            let entry = lanes[index].popFirst()
            if let entry, !raised.isEmpty { raised[entry.ticket.number] = nil }
            return entry
        }
        return nil
    }

    /// Takes one from the middle; `false` where it does not wait any more.
    mutating func remove(_ ticket: RequestTicket) -> Bool {
        guard lanes[lane(of: ticket).rawValue].remove(ticket.number) != nil else { return false }
        raised[ticket.number] = nil
        count -= 1
        return true
    }

    /// Moves one that waits among the more urgent ones, into the place that it would have had there from the start.
    mutating func raise(_ ticket: RequestTicket, to priority: PageRequest.Priority) {
        let lane = lane(of: ticket)
        guard priority.rawValue < lane.rawValue, var entry = lanes[lane.rawValue].remove(ticket.number) else { return }
        entry.priority = priority
        lanes[priority.rawValue].insert(entry)
        raised[ticket.number] = priority
    }

    private func lane(of ticket: RequestTicket) -> PageRequest.Priority {
        raised[ticket.number] ?? ticket.priority
    }
}
