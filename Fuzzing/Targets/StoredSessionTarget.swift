import Clocks
import HTTPModel

@testable import Gateway
@testable import Pagination
@testable import Sessions

/// The three parts of a stored session, one behind the other, behind a byte that says whether they get right checksums,
/// two that say how long the first two parts are, and eight with the time of its end.
enum StoredSessionTarget {
    static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard bytes.count >= 11 else { return }
        let (opening, state) = (Int(bytes[1]), Int(bytes[2]))
        let expiry = bytes[3..<11].reduce(0) { $0 << 8 | Int($1) }
        let body = bytes[11...]
        let isSealed = bytes[0] & 1 == 1
        func part(_ bytes: some Collection<UInt8>) -> [UInt8] {
            guard isSealed else { return Array(bytes) }
            var writer = ByteWriter()
            writer.byte(UInt8(Seal.version))
            writer.append(Array(bytes)[...])
            Seal.close(&writer)
            return writer.bytes
        }
        let rows = body.dropFirst(opening + state)
        let encoded = EncodedSession(
            opening: part(body.prefix(opening)), state: part(body.dropFirst(opening).prefix(state)),
            rows: rows.isEmpty ? nil : part(rows))
        let record: SessionRecord
        do throws(SessionEncodingError) {
            record = try SessionRecord(
                encoded, id: SessionID(), expiresAt: Timestamp(milliseconds: expiry), revision: 1, sequence: 1)
        } catch {
            let text = error.description
            try require(text.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "an error is one line: \(shown(text))")
            return
        }
        try check(record, against: encoded)
        try checkMoves(of: record)
    }

    /// Only what would have been written is read, and what is read can be shown.
    private static func check(_ record: SessionRecord, against encoded: EncodedSession) throws(BrokenProperty) {
        let again = EncodedSession(record)
        try require(again.opening == encoded.opening, "the opening has one spelling")
        // Whether a page's rows are kept is written beside them too, and they decide.
        var hasOneSpelling = true
        switch record.keptPage {
        case .withoutRows: hasOneSpelling = false
        case .page(let page) where !page.rows.isEmpty: hasOneSpelling = false
        case .none, .page: break
        }
        try require(!hasOneSpelling || again.state == encoded.state, "the state has one spelling")
        let second = try? SessionRecord(
            again, id: record.id, expiresAt: record.expiresAt, revision: record.revision, sequence: record.sequence)
        try require(second == record, "a session survives being stored")
        if case .page(let page) = record.keptPage, !page.rows.isEmpty {
            try require(again.rows == encoded.rows, "the rows have one spelling")
            try require(page.rows.objects.reduce(0) { $0 + $1.count } <= page.rows.byteCount, "rows lie in their text")
        }
        var writer = JSONWriter()
        SessionDocument(record: record, isBusy: false).write(to: &writer)
        try require((try? JSONObjectText(writer.bytes)) != nil, "a session can be shown")
        for moment in [record.expiresAt, record.createdAt] {
            try require(
                moment.rfc3339.utf8.count == 24 && moment.rfc3339.utf8.allSatisfy { $0 >= 0x2B && $0 <= 0x5A },
                "a moment can be written: \(moment.rfc3339)")
            _ = moment.secondsLater(than: record.createdAt)
        }
    }

    /// A session goes on from wherever it was stored, whatever the instance then answers.
    private static func checkMoves(of record: SessionRecord) throws(BrokenProperty) {
        let rows = Rows([Rows.Block(text: Array("{}".utf8)[...], extents: [0..<2])])
        let answers = [
            PageAnswer(rows: rows, total: 5), PageAnswer(rows: Rows(), total: 0), PageAnswer(rows: rows, total: nil),
            PageAnswer(rows: Rows(), total: nil), PageAnswer(rows: rows, total: .max),
            PageAnswer(rows: rows, total: nil, nextOffset: .max, digest: RowsDigest(high: 1, low: 2)),
        ]
        for move in Move.allCases {
            for answer in answers {
                var state = record.state
                guard var action = try? state.begin(move) else { break }
                var steps = 0
                moving: while steps < 4 {
                    steps += 1
                    switch action {
                    case .fetch(let request):
                        try require(request.offset >= 0 && request.limit >= 1, "a window has a place: \(request)")
                        guard let next = try? state.complete(answer) else { break moving }
                        action = next
                    case .deliver(let page):
                        try check(page, state)
                        _ = ReadAheadDepth.pages(8).windows(
                            behind: state, reachedBy: .next, after: .next, for: record.owner)
                        break moving
                    }
                }
                try require(steps < 4, "a move ends")
            }
        }
    }

    private static func check(_ page: Page, _ state: PaginatorState) throws(BrokenProperty) {
        try require(
            page.page >= 0 && page.numberOfPages >= 0 && page.itemsPerPage >= 1, "a page has numbers: \(page.page)")
        // An instance that does not count shows its end by an empty page behind it.
        try require(
            page.page < page.numberOfPages || !page.hasNext || page.totalItems == nil,
            "nothing is behind page \(page.page) of \(page.numberOfPages)")
        try require(PaginatorState(state.saved) == state, "a paginator survives being stored")
    }
}

/// Text that is one JSON object by its grammar.
private struct JSONObjectText {
    init(_ bytes: [UInt8]) throws(JSONFault) {
        if let fault = jsonFault(in: bytes) { throw fault }
    }
}
