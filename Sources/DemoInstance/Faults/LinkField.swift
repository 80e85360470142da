internal import HTTPModel

/// The `Link` field of a list, to be sent otherwise than the instance wrote it.
struct LinkField {
    private let value: String
    private let head: RequestHead

    /// Takes the field of an answer; `nil` where it has none.
    init?(_ answer: Answer) {
        guard let value = answer.response.headers["Link"] else { return nil }
        self.value = value
        head = answer.head
    }

    /// The URL of the list, without its query.
    var base: String {
        String(value.dropFirst().prefix { $0 != "?" })
    }

    /// The field's new value; `nil` to leave it out.
    func changed(_ links: Fault.Links) -> String? {
        switch links {
        case .none: return nil
        case .foreign:
            guard let (authority, _) = authorityAndTarget(ofURL: base) else { return nil }
            return value.split(separator: "//\(authority)/", omittingEmptySubsequences: false)
                .joined(separator: "//elsewhere.invalid/")
        case .same:
            let query = RequestTarget(head.target)?.query ?? ""
            return "<\(base)?\(query)>;rel=\"next\""
        }
    }
}
