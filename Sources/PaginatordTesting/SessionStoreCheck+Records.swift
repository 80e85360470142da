import Clocks
import Pagination
import Sessions

extension SessionStoreCheck {
    /// What is written is what is read.
    static let records: [SessionStoreCheck] = [
        SessionStoreCheck("A session reads back as it was created, with a sequence that rises") { store, now in
            let first = try await store.open(.sample(now: now))
            let second = try await store.open(.sample(owner: "bob", now: now))
            try expect("later sessions have higher sequences", first.sequence < second.sequence)
            try expect("the first reads back", try await store.read(first.id) == .live(first))
            try expect("the second reads back", try await store.read(second.id) == .live(second))
        },
        SessionStoreCheck("A session that was never created is unknown") { store, now in
            _ = try await store.open(.sample(now: now))
            try expect("it is unknown", try await store.read(SessionID()) == .unknown)
        },
        SessionStoreCheck("Every member of a definition reads back, empty ones and strange characters too") {
            store, now in
            var plain = SessionDefinition(instance: "", table: "x", itemsPerPage: 1, idleTimeout: 1)
            plain.fields = []
            plain.query = ""
            var full = SessionDefinition(
                instance: "dev é", table: "incident", itemsPerPage: 10_000, idleTimeout: 86_400)
            full.query = "short_descriptionLIKE\"\\\u{1F600}'\u{1}\n^ORDERBYDESCopened_at"
            full.fields = ["number", "caller_id.name", "a,b"]
            full.view = "v'; --"
            full.queryCategory = "reports"
            (full.excludeReferenceLink, full.queryNoDomain, full.stableOrder) = (true, true, false)
            for definition in [plain, full] {
                for value in SessionDefinition.DisplayValue.allCases {
                    for finishes in [false, true] {
                        var definition = definition
                        definition.displayValue = value
                        let record = SessionRecord(
                            id: SessionID(), owner: "o'wner \u{1F600}", definition: definition,
                            publisherShouldFinish: finishes, now: now)
                        let stored = try await store.open(record)
                        var expected = record
                        expected.sequence = stored.sequence
                        try expect("only the sequence is given by the store", stored == expected)
                        try expect("it reads back", try await store.read(record.id) == .live(stored))
                    }
                }
            }
        },
        SessionStoreCheck("A written session reads back whole, its page byte for byte, one revision later") {
            store, now in
            let rows = Rows(texts: ["{\"a\": \"é\u{1F600}\"}", "{}", "{\"b\":[1,\n2]}"], separator: " ,\r\n")
            let kinds: [(Move, PageAnswer)] = [
                (.first, PageAnswer(rows: rows, total: 45)), (.next, PageAnswer(rows: rows, total: nil)),
                (.last, PageAnswer(rows: rows, total: .max)), (.previous, PageAnswer(rows: Rows(), total: 41)),
                (.first, PageAnswer(rows: Rows(), total: 0)),
            ]
            let id = try await store.open(.sample(now: now)).id
            for (move, answer) in kinds {
                var (record, page) = try await store.record(id).moved(by: move, answer: answer)
                try expect("it is written", try await store.replace(record, event: .page(page, record)))
                record.revision += 1
                try expect("it reads back after \(move)", try await store.record(id).comparable == record.comparable)
            }
        },
        SessionStoreCheck("What only a walk without a count knows reads back too") { store, now in
            let digest = RowsDigest(high: .max, low: 1)
            let answer = PageAnswer(rows: Rows(texts: ["{}"]), total: nil, nextOffset: 20, digest: digest)
            let record = try await store.move(store.open(.sample(now: now)).id, by: .next, answer: answer)
            var state = try await store.record(record.id).state
            try expect("the state is the same", state == record.state)
            try expect("there is a next page", state.hasNext && !state.canFindLast)
            do {
                _ = try state.begin(.next)
                _ = try state.complete(answer)
                try expect("a source that does not advance is noticed", false)
            } catch is PaginationError {}
        },
        SessionStoreCheck("A finished session, a reset and a page without its rows read back") { store, now in
            var record = try await store.open(.sample(now: now))
            record.state.publisherShouldFinish = true
            var (moved, page) = try record.moved(by: .first, answer: PageAnswer(texts: ["{}"], total: 1))
            moved.dropRows()
            try expect("it is written", try await store.replace(moved, event: .page(page, moved)))
            moved.revision += 1
            try expect("finished, without rows", try await store.record(moved.id) == moved && moved.state.isFinished)
            page.rows = Rows()
            try expect("the page is still known", moved.keptPage == .withoutRows(page))

            var reset = try await store.open(.sample(now: now))
            reset.state.reset()
            (reset.position, reset.reachedBy) = (1, .reset)
            try expect("it is written", try await store.replace(reset, event: .reset(reset)))
            reset.revision += 1
            try expect("reset", try await store.record(reset.id) == reset)
        },
        SessionStoreCheck("A page of exactly 1 MiB is kept whole, a larger one without its rows") { store, now in
            for (bytes, isKept) in [(1 << 20, true), (1 << 20 + 1, false), (9 << 20, false)] {
                let row = "{\"a\":\"" + String(repeating: "x", count: bytes - 8) + "\"}"
                let answer = PageAnswer(texts: [row], total: 1)
                let record = try await store.move(store.open(.sample(now: now)).id, by: .next, answer: answer)
                let stored = try await store.record(record.id)
                switch stored.keptPage {
                case .page(let page): try expect("\(bytes) bytes are kept", isKept && page.rows.texts == [row])
                case .withoutRows(let page):
                    try expect("\(bytes) bytes are dropped, the page is known", !isKept && page.page == 1)
                case .none: try expect("\(bytes): the page is known", false)
                }
                try expect("the position is the page's", stored.position == 1 && stored.reachedBy == .next)
            }
        },
        SessionStoreCheck("A page of many rows in several blocks reads back, and takes the place of a larger one") {
            store, now in
            let id = try await store.open(.sample(itemsPerPage: 10_000, now: now)).id
            for count in [10_000, 1, 700] {
                var rows = Rows(texts: (0..<count).map { "{\"n\":\($0)}" }, separator: ",\n ")
                if count > 1 { rows.append(Rows(texts: ["{}", "{\"é\":\"\u{1F600}\"}"])) }
                let record = try await store.move(id, by: .first, answer: PageAnswer(rows: rows, total: 12_000))
                let stored = try await store.record(id)
                try expect("\(count) rows read back", stored.comparable.keptPage == record.comparable.keptPage)
            }
        },
        SessionStoreCheck("Nothing is written over what somebody else wrote meanwhile") { store, now in
            let old = try await store.open(.sample(now: now))
            let answer = PageAnswer(texts: ["{}"], total: 3)
            let moved = try await store.move(old.id, by: .first, answer: answer)
            let (late, page) = try old.moved(by: .last, answer: answer)
            try expect("it is refused", try await store.replace(late, event: .page(page, late)) == false)
            try expect("nothing changed", try await store.record(old.id).reachedBy == moved.reachedBy)
            var ahead = try await store.record(old.id)
            ahead.revision += 1
            try expect("a revision to come is refused", try await store.replace(ahead, event: nil) == false)
        },
        SessionStoreCheck("A session that is not there is not written") { store, now in
            let record = SessionRecord.sample(now: now)
            try expect("never created", try await store.replace(record, event: nil) == false)
            try expect("it is not made by that", try await store.read(record.id) == .unknown)
            let ended = try await store.open(record)
            try await store.delete(ended.id, now: now)
            try expect("ended", try await store.replace(ended, event: nil) == false)
            try expect("it is not made by that", try await store.read(ended.id) == .gone(owner: "ann"))
        },
        SessionStoreCheck("A write at the same position changes the flag and leaves the kept page alone") {
            store, now in
            let answer = PageAnswer(texts: ["{\"a\":1}"], total: 45)
            let id = try await store.move(store.open(.sample(now: now)).id, by: .next, answer: answer).id
            let before = try await store.record(id)
            var changed = before
            changed.state.publisherShouldFinish = true
            changed.dropRows()
            try expect("it is written", try await store.replace(changed, event: nil))
            let after = try await store.record(id)
            try expect("the flag is set", after.state.publisherShouldFinish)
            try expect("the page stays", after.comparable.keptPage == before.comparable.keptPage)
            try expect("the revision rises", after.revision == before.revision + 1)
        },
    ]
}
