import HTTPModel
import Pagination
import Sessions
import SimdJSON

extension Problem {
    /// A report of that kind.
    init(
        _ kind: ProblemKind, _ detail: String, _ members: [(name: String, value: JSONValue)] = [],
        headers: HeaderFields = [:]
    ) {
        self.init(name: kind.rawValue, status: kind.status, detail: detail, members: members, headers: headers)
    }

    /// A report whose caller should come back after that many seconds.
    init(
        _ kind: ProblemKind, _ detail: String, retryAfter: Int, _ members: [(name: String, value: JSONValue)] = []
    ) {
        self.init(kind, detail, members, headers: ["Retry-After": String(max(1, retryAfter))])
    }
}

/// How long a caller should wait where nobody knows better, in seconds.
private let defaultRetryAfter = 5

extension Problem {
    /// What a session's refusal means to its caller.
    init(_ error: SessionError, isBusy: Bool = false) {
        switch error {
        case .notFound: self.init(.sessionNotFound, "There is no such session, or it is not yours.")
        case .expired:
            self.init(.sessionExpired, "The session was deleted, or was not used for longer than its idleTimeout.")
        case .busy:
            self.init(
                .paginatorBusy, "Another move of this session is under way; this one was not made.", retryAfter: 1)
        case .stale(let position):
            self.init(
                .positionStale,
                "The session stands at position \(position), not where this request says that it stands.",
                [("position", .integer(position))])
        case .noSuchPage:
            self = .malformedPageNumber
        case .pagination(let error, let record):
            self.init(error, session: SessionDocument(record: record, isBusy: isBusy))
        case .tooManySessions(let limit, let retryAfter):
            self.init(
                .tooManySessions,
                "\(limit) sessions are open, and that is the limit. Close some, or wait for one to expire.",
                retryAfter: retryAfter, [("limit", .integer(limit))])
        case .store(let reason): self.init(.storeUnavailable, reason, retryAfter: defaultRetryAfter)
        case .impossible(let what): self.init(.internal, what)
        }
    }

    /// What is wrong with a body that has to be a JSON object.
    init(_ error: JSONObjectError) {
        switch error {
        case .malformed(let fault): self.init(.malformedRequest, "The body is not JSON: \(fault).")
        case .notAnObject(let kind): self.init(.malformedRequest, "The body has to be a JSON object, not \(kind).")
        case .integersBeyond64Bits(let members):
            var faults = ParameterFaults()
            for name in members { faults.add(.body, name, "holds an integer that has more than 64 bits") }
            self = faults.problem
        case .tooManyValues(let limit):
            var faults = ParameterFaults()
            faults.add(.wholeBody, "", "has more than \(limit) names and values")
            self = faults.problem
        case .noMemory: self.init(.internal, "there was no memory to read a request body")
        }
    }

    /// A page number that is none.
    static let malformedPageNumber = ParameterFaults.problem(.target, "n", pageNumberRule)

    /// What a page number has to be. A page has one path: no sign and no zero stands before its number.
    static let pageNumberRule = "has to be a page number: a whole number from 1 on whose rows have offsets below 2^63"

    private init(_ error: PaginationError, session: SessionDocument) {
        let state = session.record.state
        switch error {
        case .noNextPage:
            self.init(
                .noNextPage, "The session stands at page \(state.page) of \(state.numberOfPages), its last.",
                [("session", session.value)])
        case .noPreviousPage:
            self.init(
                .noPreviousPage, "The session stands at page \(state.page), with none before it.",
                [("session", session.value)])
        case .lastPageUnknown:
            self.init(
                .lastPageUnknown,
                "The instance sends no count, so the last page is not known before it is reached with next.",
                [("session", session.value)])
        case .finished:
            self.init(
                .paginatorFinished,
                "The last page has been fetched and publisherShouldFinish is set, so nothing can be fetched any more.",
                [("session", session.value)])
        case .source(let error): self.init(error)
        }
    }

    /// What a failed fetch means to its caller.
    init(_ error: PageSourceError) {
        switch error {
        case .rejected(let upstream):
            self.init(.queryRejected, Self.says("The instance rejected the query", upstream), Self.members(upstream))
        case .forbidden(let upstream):
            self.init(.upstreamForbidden, Self.says("The instance forbids the query", upstream), Self.members(upstream))
        case .unauthenticated(let upstream):
            self.init(
                .upstreamUnauthenticated, "The instance refused the credentials that the service is configured with.",
                Self.members(upstream))
        case .callerUnauthenticated(let upstream): self = .authenticationRequired(upstream)
        case .rateLimited(let upstream, let retryAfter):
            self.init(
                .upstreamRateLimited,
                upstream == nil
                    ? "The requests that may be made of the instance are spent for now; this one was not sent."
                    : "The instance allows no more requests for now.",
                retryAfter: retryAfter ?? defaultRetryAfter, Self.members(upstream))
        case .unavailable(let upstream, let retryAfter):
            self.init(
                .upstreamUnavailable,
                upstream == nil
                    ? "The instance failed several times in a row and is left alone for now; this request was not sent."
                    : "The instance is down or hibernating.",
                retryAfter: retryAfter ?? defaultRetryAfter,
                Self.members(upstream))
        case .failed(let upstream, let reason):
            self.init(.upstreamFailed, Self.sentence(reason), Self.members(upstream))
        case .incomplete(let upstream, let reason):
            self.init(.upstreamIncomplete, Self.sentence(reason), Self.members(upstream))
        case .notJSON(let upstream, let reason):
            self.init(.upstreamNotJSON, Self.sentence(reason), Self.members(upstream))
        case .tooLarge(let limit):
            self.init(
                .upstreamTooLarge, "The instance’s answer is larger than \(limit) bytes, the limit in pages.maxBytes.")
        case .timedOut(let upstream):
            self.init(.upstreamTimeout, "The instance did not answer in time.", Self.members(upstream))
        case .stopping: self.init(.shuttingDown, "The service is about to stop.", retryAfter: defaultRetryAfter)
        }
    }

    /// The report as one JSON object, with its title in a language.
    func document(in language: Language) -> [UInt8] {
        // A detail may quote a request or an instance, and may be read on a terminal.
        var writer = JSONWriter(escapesInvisible: true)
        write(title: ProblemKind(rawValue: name)?.title(in: language) ?? name, to: &writer)
        return writer.bytes
    }

    /// What a caller is told whose own credentials the instance refused, or who brought none.
    static func authenticationRequired(_ upstream: PageSourceError.Upstream?) -> Problem {
        Problem(
            .authenticationRequired,
            upstream == nil
                ? "The request needs one Authorization header, with what the instance takes: it goes on to the instance."
                : "The instance refused the credentials in the request’s Authorization header.", members(upstream),
            headers: ["WWW-Authenticate": "Bearer realm=\"paginatord\""])
    }

    /// What a caller is told who shows no access token that is known.
    static let tokenRequired = Problem(
        .authenticationRequired,
        "The request needs one Authorization header, with Bearer and one of the service’s access tokens (access.tokens) behind "
            + "it.",
        headers: ["WWW-Authenticate": "Bearer realm=\"paginatord\""])

    private static func says(_ what: String, _ upstream: PageSourceError.Upstream) -> String {
        upstream.message.map { "\(what): \($0)" } ?? "\(what) with status \(upstream.status)."
    }

    private static func sentence(_ reason: String) -> String {
        reason.prefix(1).uppercased() + reason.dropFirst() + (reason.hasSuffix(".") ? "" : ".")
    }

    private static func members(_ upstream: PageSourceError.Upstream?) -> [(name: String, value: JSONValue)] {
        guard let upstream else { return [] }
        let value: [String: JSONValue] = [
            "status": .integer(upstream.status),
            "message": upstream.message.map { .string($0) } ?? .null,
            "detail": upstream.detail.map { .string($0) } ?? .null,
        ]
        return [("upstream", .object(value))]
    }
}
