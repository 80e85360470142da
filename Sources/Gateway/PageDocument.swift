import HTTPModel
import Pagination

/// A page as JSON: a head of our own, the rows' bytes as they came, and a tail.
struct PageDocument {
    /// The page.
    var page: Page
    /// The position that the page led to; `nil` for a page that moved nothing.
    var position: Int?
    /// Where one can go from it.
    var links: SessionLinks

    /// The pieces of the body; the rows are not copied.
    var pieces: [ArraySlice<UInt8>] {
        var writer = JSONWriter(capacity: 768)
        writer.beginObject()
        writer.member("page", page.page)
        writer.member("numberOfPages", page.numberOfPages)
        writer.member("itemsPerPage", page.itemsPerPage)
        writer.member("itemCount", page.rows.count)
        writer.member("totalItems", page.totalItems)
        writer.member("hasNext", page.hasNext)
        writer.member("hasPrevious", page.hasPrevious)
        writer.member("isFinished", page.isFinished)
        if let position { writer.member("position", position) }
        links.write(to: &writer)
        writer.name("items")
        var pieces: [ArraySlice<UInt8>] = []
        pieces.reserveCapacity(2 * page.rows.blocks.count + 1)
        var before = writer.bytes + [0x5B]
        for block in page.rows.blocks {
            pieces.append(before[...])
            pieces.append(block.text)
            before = [0x2C]
        }
        pieces.append((pieces.isEmpty ? before + [0x5D, 0x7D] : [0x5D, 0x7D])[...])
        return pieces
    }
}
