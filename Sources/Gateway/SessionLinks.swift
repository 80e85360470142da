import HTTPModel
import Pagination
import Sessions

/// The links of a session or of one of its pages: only moves that are possible now, each with the position it starts from.
struct SessionLinks {
    /// A link: its name in JSON, and its registered relation for the `Link` header (RFC 8288), where it has one.
    struct Link: Equatable {
        var name: String
        var relation: String?
        var target: String
    }

    /// All of them, in the order in which they are written.
    private(set) var all: [Link]

    /// The links of the session itself.
    init(session record: SessionRecord) {
        let path = "/sessions/" + record.id.description
        all = [Link(name: "self", relation: "self", target: path)]
        guard !record.state.isFinished else { return }
        addMoves(
            path: path, position: record.position, hasNext: record.state.hasNext,
            hasPrevious: record.state.hasPrevious, knowsLast: record.state.canFindLast)
        all.append(Link(name: "records", relation: nil, target: path + "/records"))
    }

    /// The links of a page that a move delivered.
    init(page: Page, of record: SessionRecord) {
        let path = "/sessions/" + record.id.description
        all = page.page > 0 ? [Link(name: "self", relation: "self", target: "\(path)/pages/\(page.page)")] : []
        guard !page.isFinished else { return }
        addMoves(
            path: path, position: record.position, hasNext: page.hasNext, hasPrevious: page.hasPrevious,
            knowsLast: record.state.canFindLast)
    }

    /// The links of a page that was asked for by its number.
    ///
    /// - Parameter target: the target of the page with that number.
    init(page: Page, target: (Int) -> String) {
        all = page.page > 0 ? [Link(name: "self", relation: "self", target: target(page.page))] : []
        if page.hasNext, page.page > 0 {
            all.append(Link(name: "next", relation: "next", target: target(page.page + 1)))
        }
        if page.hasPrevious { all.append(Link(name: "previous", relation: "prev", target: target(page.page - 1))) }
    }

    private mutating func addMoves(path: String, position: Int, hasNext: Bool, hasPrevious: Bool, knowsLast: Bool) {
        let after = "?after=" + String(position)
        all.reserveCapacity(7)
        func add(_ move: SessionMove, _ relation: String?) {
            // One string each, and none in between: these are written for every page.
            var target = ""
            target.reserveCapacity(path.utf8.count + 12 + after.utf8.count)
            target += path
            target += "/"
            target += move.rawValue
            target += after
            all.append(Link(name: move.rawValue, relation: relation, target: target))
        }
        add(.first, "first")
        if hasNext { add(.next, "next") }
        if hasPrevious { add(.previous, "prev") }
        if knowsLast { add(.last, "last") }
        add(.reset, nil)
    }

    /// Writes the `links` member.
    func write(to writer: inout JSONWriter) {
        writer.name("links")
        writer.object { writer in
            for link in all { writer.member(link.name, link.target) }
        }
    }

    /// The value of the `Link` header.
    var headerValue: String {
        var value = ""
        value.reserveCapacity(480)
        for link in all {
            guard let relation = link.relation else { continue }
            if !value.isEmpty { value += ", " }
            value += "<"
            value += link.target
            value += ">; rel=\""
            value += relation
            value += "\""
        }
        return value
    }
}
