public import Pagination

/// A record set that answers as an instance does: windows by offset and limit, from which access rules hide rows, with
/// or without a count and a next link.
public struct SampleSet: Sendable {
    /// Each row's JSON text.
    public var rows: [String]
    /// The places of the rows that are counted, but never shown.
    public var hidden: Set<Int> = []
    /// Whether answers carry the count.
    public var counts: Bool
    /// Whether answers name the next window, where there is one.
    public var links: Bool

    /// A set of that many rows.
    public init(count: Int, counts: Bool = true, links: Bool = false) {
        rows = (0..<count).map(Self.row)
        self.counts = counts
        self.links = links
    }

    /// The text of the row with that number.
    public static func row(_ number: Int) -> String {
        "{\"sys_id\":\"\(number)\"}"
    }

    /// What it answers.
    public func answer(to request: PageRequest) -> PageAnswer {
        let start = min(request.offset, rows.count)
        let end = start + min(request.limit, rows.count - start)
        let texts = (start..<end).filter { !hidden.contains($0) }.map { rows[$0] }
        return PageAnswer(
            texts: request.countOnly && counts ? [] : texts, total: counts ? rows.count : nil,
            nextOffset: links && end < rows.count ? end : nil)
    }
}
