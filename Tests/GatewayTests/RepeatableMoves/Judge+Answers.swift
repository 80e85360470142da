import HTTPModel

@testable import Gateway

/// How a page, a session and a problem have to look.
extension Judge {
    /// Throws where something does not hold.
    func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw Difference(text: text()) }
    }

    /// Throws where something has another value.
    func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ name: String) throws {
        if found != expected { throw Difference(text: "\(name) is \(found), and not \(expected)") }
    }

    /// Compares a refusal.
    func expectProblem(_ answer: Answer, _ name: String, _ status: Int) throws {
        try expectEqual("\(answer.status) \(try answer.problem ?? answer.text)", "\(status) \(name)", "problem")
    }

    /// Compares a page: its members, links, headers and rows.
    ///
    /// - Parameter knowsLast: `nil` for a page that moved nothing.
    func expectPage(
        _ answer: Answer, _ page: SessionModel.Page, of subject: Subject, knowsLast: Bool?
    ) throws {
        try expectEqual("\(answer.status) \(try answer.problem ?? "page")", "200 page", "answer")
        guard case .object(var members) = try answer.json else { throw Difference(text: "no page: \(answer.text)") }
        members["items"] = nil
        var links: [Link] = []
        if page.number > 0 { links.append(Link("self", "\(subject.path)/pages/\(page.number)")) }
        if let knowsLast {
            links += moves(
                of: subject, at: page.position, isFinished: page.isFinished, hasNext: page.hasNext,
                hasPrevious: page.hasPrevious, knowsLast: knowsLast)
        } else {
            if page.hasNext, page.number > 0 { links.append(Link("next", "\(subject.path)/pages/\(page.number + 1)")) }
            if page.hasPrevious { links.append(Link("previous", "\(subject.path)/pages/\(page.number - 1)")) }
        }
        let expected: [String: JSONValue] = [
            "page": .integer(page.number), "numberOfPages": .integer(page.numberOfPages),
            "itemsPerPage": .integer(subject.model.size), "itemCount": .integer(page.rows.count),
            "totalItems": page.total.map { .integer($0) } ?? .null, "hasNext": .bool(page.hasNext),
            "hasPrevious": .bool(page.hasPrevious), "isFinished": .bool(page.isFinished),
            "position": .integer(page.position), "links": Link.object(links),
        ]
        try expectMembers(members, expected, isWhole: true)
        let tail = "\"items\":[\(page.rows.text)]}"
        try expect(answer.text.hasSuffix(tail), "\(answer.text) does not end with \(tail)")
        try expectEqual(answer.headers["ETag"], knowsLast == nil ? nil : "\"\(page.position)\"", "ETag")
        try expectEqual(answer.headers["X-Total-Count"], page.total.map(String.init), "X-Total-Count")
        let header = Set((answer.headers["Link"] ?? "").split(separator: ", ").map(String.init))
        try expectEqual(header, Set(links.compactMap(\.headerValue)), "Link")
    }

    /// Compares a session.
    func expectSession(_ answer: Answer, _ model: SessionModel, of subject: Subject, isBusy: Bool?) throws {
        try expectEqual("\(answer.status) \(try answer.problem ?? "session")", "200 session", "answer")
        guard case .object(let members) = try answer.json else { throw Difference(text: "no session: \(answer.text)") }
        try expectSession(members, model, of: subject, isBusy: isBusy)
    }

    func expectSession(
        _ members: [String: JSONValue], _ model: SessionModel, of subject: Subject, isBusy: Bool?
    ) throws {
        let links =
            [Link("self", subject.path)]
            + moves(
                of: subject, at: model.position, isFinished: model.isFinished, hasNext: model.hasNext,
                hasPrevious: model.hasPrevious, knowsLast: model.knowsLast)
        var expected: [String: JSONValue] = [
            "id": .string(subject.id), "table": .string(subject.table), "page": .integer(model.page),
            "numberOfPages": .integer(model.numberOfPages), "itemsPerPage": .integer(model.size),
            "totalItems": model.total.map { .integer($0) } ?? .null, "hasNext": .bool(model.hasNext),
            "hasPrevious": .bool(model.hasPrevious), "isFinished": .bool(model.isFinished),
            "publisherShouldFinish": .bool(model.shouldFinish), "position": .integer(model.position),
            "publisher": .string(subject.path + "/events"),
        ]
        if let isBusy { expected["isBusy"] = .bool(isBusy) }
        try expectMembers(members, expected, isWhole: false)
        guard case .object(var found)? = members["links"] else { throw Difference(text: "no links") }
        // Leads to what is no move.
        found["records"] = nil
        try expectEqual(.object(found), Link.object(links), "links")
    }

    private func expectMembers(
        _ members: [String: JSONValue], _ expected: [String: JSONValue], isWhole: Bool
    ) throws {
        for (name, value) in expected { try expectEqual(members[name], value, name) }
        if isWhole { try expectEqual(Set(members.keys), Set(expected.keys), "the members") }
    }

    /// Only the moves that are possible, each with the position from which it starts.
    private func moves(
        of subject: Subject, at position: Int, isFinished: Bool, hasNext: Bool, hasPrevious: Bool, knowsLast: Bool
    ) -> [Link] {
        if isFinished { return [] }
        var names = ["first", "reset"]
        if hasNext { names.append("next") }
        if hasPrevious { names.append("previous") }
        if knowsLast { names.append("last") }
        return names.map { Link($0, "\(subject.path)/\($0)?after=\(position)") }
    }

    private struct Link {
        var name: String
        var target: String

        init(_ name: String, _ target: String) {
            self.name = name
            self.target = target
        }

        /// As in the `Link` header, which has registered relations only.
        var headerValue: String? {
            name == "reset" ? nil : "<\(target)>; rel=\"\(name == "previous" ? "prev" : name)\""
        }

        static func object(_ links: [Link]) -> JSONValue {
            .object(Dictionary(links.map { ($0.name, .string($0.target)) }, uniquingKeysWith: { $1 }))
        }
    }
}
