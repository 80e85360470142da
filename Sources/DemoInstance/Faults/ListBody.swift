/// The body of a list, `{"result":[…]}`, with the places of its rows.
struct ListBody {
    /// The rows, as they stand in the body.
    let rows: [ArraySlice<UInt8>]
    private let bytes: [UInt8]
    private let start: Int
    private let end: Int

    /// Finds the rows; `nil` for any other body.
    init?(_ bytes: [UInt8]) {
        let parts = JSONParts(bytes: bytes)
        guard let result = parts.member("result", ofObjectAt: 0),
            let extents = parts.elements(ofArrayAt: result.lowerBound)
        else { return nil }
        self.bytes = bytes
        start = result.lowerBound + 1
        rows = extents.map { bytes[$0] }
        end = result.upperBound - 1
    }

    /// The body up to where the first row begins.
    var head: ArraySlice<UInt8> { bytes[..<start] }

    /// The same body with other rows.
    func with(_ rows: [ArraySlice<UInt8>]) -> [UInt8] {
        Self.joined(rows, behind: head) + bytes[end...]
    }

    /// Rows parted by commas, behind the head of a body.
    static func joined(_ rows: some Collection<ArraySlice<UInt8>>, behind head: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = Array(head)
        for (index, row) in rows.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            bytes.append(contentsOf: row)
        }
        return bytes
    }

    /// What tells a row from others: its `sys_id`, in whatever form it is shown; where it has none, the whole row.
    static func key(of row: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let parts = JSONParts(bytes: Array(row))
        guard let id = parts.member("sys_id", ofObjectAt: 0) else { return row }
        let value = parts.member("value", ofObjectAt: id.lowerBound) ?? id
        return parts.bytes[value]
    }
}
