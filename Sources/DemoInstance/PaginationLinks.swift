internal import HTTPModel

/// The `Link` field of a list as instances write it: entries joined by a bare comma, no space before `rel`.
///
/// Each URL repeats the request's parameters in their order, then the offset and the limit; the commas of
/// `sysparm_fields` stand in it as they are, so splitting the field at commas is wrong.
enum PaginationLinks {
    /// The field's value; `nil` where all rows fit one page.
    static func value(base: String, query: String?, offset: Int, limit: Int, total: Int) -> String? {
        guard limit > 0, total > limit else { return nil }
        var prefix = base + "?"
        for piece in (query ?? "").split(separator: "&") {
            let name = piece.prefix { $0 != "=" }
            switch name {
            case "sysparm_offset", "sysparm_limit": continue
            case "sysparm_fields": prefix += withLiteralCommas(piece)
            default: prefix += piece
            }
            prefix += "&"
        }
        func link(_ offset: Int, _ relation: String) -> String {
            "<\(prefix)sysparm_offset=\(offset)&sysparm_limit=\(limit)>;rel=\"\(relation)\""
        }
        var links = [link(0, "first")]
        if offset > 0 { links.append(link(max(0, offset - limit), "prev")) }
        let (next, overflows) = offset.addingReportingOverflow(limit)
        if !overflows, next < total { links.append(link(next, "next")) }
        links.append(link((total - 1) / limit * limit, "last"))
        return links.joined(separator: ",")
    }

    private static func withLiteralCommas(_ piece: Substring) -> String {
        var text = ""
        var rest = piece
        while let next = rest.first {
            if rest.hasPrefix("%2C") || rest.hasPrefix("%2c") {
                text += ","
                rest = rest.dropFirst(3)
            } else {
                text.append(next)
                rest = rest.dropFirst()
            }
        }
        return text
    }
}
