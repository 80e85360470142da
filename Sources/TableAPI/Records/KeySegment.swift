import Pagination

/// A range of keys on its way from being planned to being delivered.
struct KeySegment: Sendable {
    /// Which keys.
    var range: KeyRange
    /// How far it is.
    var state: State
    /// How often a range that this one is a part of did not come whole.
    var failures = 0

    /// How far a segment is.
    enum State: Sendable {
        /// Nothing has been asked, at least not for all of it.
        case planned(Stretch)
        /// Its rows were asked for; so many are expected, and what is left of this stretch depends on how many come.
        case asked(ticket: Int, expected: Int, stretch: Int?)
        /// Its rows are being counted; so many are expected in it and the next segment together.
        case counting(ticket: Int, both: Int)
        /// It waits until the segment in front of it has been counted.
        case held
        /// It is read by offset, and the next page can be asked for once all in front of it is delivered.
        case paging(PaginatorState)
        /// It is read by offset, and a page was asked for.
        case pageAsked(ticket: Int, PaginatorState)
        /// It is read by offset, and a page is there.
        case page(Rows, PaginatorState)
        /// Its rows are there.
        case read(Rows)
        /// It could not be read.
        case failed(PageSourceError)
    }

    /// What is known of the keys in a planned segment.
    struct Stretch: Sendable {
        /// Tells this stretch from others while parts of it are being read.
        var number: Int
        /// The keys that are expected in it.
        var count: Int
        /// Whether they were counted, and not only estimated.
        var isCounted = false
        /// Whether they are crowded together, so that the place is better found by counting halves than by reading parts.
        var isCrowded = false
        /// What was expected in the parts already read, what was found there, and what share of all numbers they were; the
        /// latest weigh most.
        private var read = (expected: 0.0, found: 0.0, share: 0.0)

        /// A stretch of which no part has been read.
        init(number: Int, count: Int, isCounted: Bool = false, isCrowded: Bool = false) {
            self.number = number
            self.count = count
            self.isCounted = isCounted
            self.isCrowded = isCrowded
        }

        /// Takes note of a part that was read.
        mutating func learn(expected: Int, found: Int, share: Double) {
            read.expected = read.expected * 0.9 + Double(expected)
            read.found = read.found * 0.9 + Double(found)
            read.share = read.share * 0.9 + share
            if read.expected >= 8, read.found < read.expected / 4 { isCrowded = true }
        }

        /// How much denser the keys stand at its front than on average, as far as the parts read in front of it tell.
        ///
        /// - Parameter share: the share of all numbers that lies in the stretch.
        func density(share: Double) -> Double {
            guard read.found >= 20, count > 0 else { return 1 }
            let density = (read.found / read.share) / (Double(count) / share)
            return 0.8...1.25 ~= density ? 1 : min(max(density, 0.5), 4)
        }
    }

    /// The ticket of the request under way.
    var ticket: Int? {
        switch state {
        case .asked(let ticket, _, _), .counting(let ticket, _), .pageAsked(let ticket, _): ticket
        case .planned, .held, .paging, .page, .read, .failed: nil
        }
    }

    /// Whether it counts among the windows under way or kept. One that is read by offset does until its last page is
    /// delivered, so that those behind it cannot take its turn.
    var takesWindow: Bool {
        switch state {
        case .asked, .counting, .paging, .pageAsked, .page: true
        case .read(let rows): !rows.isEmpty
        case .planned, .held, .failed: false
        }
    }
}
