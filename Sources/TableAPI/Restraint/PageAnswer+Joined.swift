import Pagination
import SimdJSON

extension PageAnswer {
    /// The answer for this window and the one behind it, as if they had been fetched as one.
    func joined(with second: PageAnswer) -> PageAnswer {
        var rows = rows
        rows.append(second.rows)
        // Counted last, so the latest.
        let total = second.total ?? total
        let digest = total == nil ? RowsDigest(ofWhole: rows) : nil
        return PageAnswer(rows: rows, total: total, nextOffset: second.nextOffset, digest: digest)
    }
}

extension RowsDigest {
    /// The digest of rows from several answers; it equals that of the same rows from one. `nil` for no rows.
    fileprivate init?(ofWhole rows: Rows) {
        var body = Array(#"{"result":["#.utf8)
        body.reserveCapacity(rows.byteCount + 32)
        for (index, block) in rows.blocks.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += block.text
        }
        body += "]}".utf8
        guard case .rows(_, let identity?) = PageBody.read(body, withIdentity: true) else { return nil }
        self.init(of: identity)
    }
}
