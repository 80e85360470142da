import Clocks
import Pagination
import PaginatordTesting
import Testing

@testable import Sessions

/// Sessions as bytes.
@Suite struct EncodedSessionTests {
    private static let now = ManualClock().now

    /// Sessions of every kind that there is.
    private static let samples: [SessionRecord] = {
        var records = [SessionRecord.sample(now: now)]
        var definition = SessionDefinition(
            instance: "dev é", table: "incident", itemsPerPage: 3, idleTimeout: 86_400)
        definition.query = "short_descriptionLIKE\u{1F600}^ORDERBYDESCopened_at"
        definition.fields = ["number", "", "caller_id.name"]
        definition.view = ""
        definition.queryCategory = "reports"
        (definition.displayValue, definition.readAhead) = (.all, .pages(8))
        (definition.excludeReferenceLink, definition.queryNoDomain, definition.stableOrder) = (true, true, false)
        let full = SessionRecord(
            id: SessionID(), owner: "o'wner", definition: definition, publisherShouldFinish: true, now: now)
        let texts = ["{\"a\": \"é\"}", "{}", "{\"b\":[1,\n2]}"]
        var rows = Rows(texts: texts, separator: " ,\r\n")
        rows.append(Rows(texts: ["{\"c\":null}"]))
        for answer in [
            PageAnswer(rows: rows, total: 45), PageAnswer(rows: Rows(), total: 0), PageAnswer(rows: rows, total: .max),
            PageAnswer(rows: rows, total: 4),
            PageAnswer(rows: rows, total: nil, nextOffset: 3, digest: RowsDigest(high: .max, low: 1)),
            PageAnswer(rows: Rows(), total: nil),
        ] {
            for move in [Move.first, .next] {
                guard var (record, _) = try? full.moved(by: move, answer: answer) else { continue }
                records.append(record)
                record.dropRows()
                records.append(record)
                record.state.reset()
                (record.position, record.reachedBy, record.keptPage) = (.max - 1, .reset, .none)
                (record.revision, record.sequence) = (7, 8)
                records.append(record)
            }
        }
        return records
    }()

    private func decoded(_ encoded: EncodedSession, as record: SessionRecord) throws -> SessionRecord {
        try SessionRecord(
            encoded, id: record.id, expiresAt: record.expiresAt, revision: record.revision, sequence: record.sequence)
    }

    @Test("Every kind of session reads back as it was, its rows byte for byte")
    func roundTrip() throws {
        #expect(Self.samples.count > 20)
        for record in Self.samples {
            let read = try decoded(EncodedSession(record), as: record)
            #expect(read.comparable == record.comparable)
            #expect(EncodedSession(read) == EncodedSession(record))
        }
    }

    @Test("Without its rows, the page is known and its rows are not")
    func withoutRows() throws {
        for record in Self.samples {
            var encoded = EncodedSession(record)
            encoded.rows = nil
            var expected = record
            expected.dropRows()
            #expect(try decoded(encoded, as: record) == expected)
        }
    }

    @Test("A paginator goes on from its saved state as if it had never been saved")
    func stateGoesOn() throws {
        for record in Self.samples where !record.state.isFinished {
            let read = try decoded(EncodedSession(record), as: record)
            #expect(read.state == record.state)
            #expect(read.state.hasNext == record.state.hasNext && read.state.canFindLast == record.state.canFindLast)
            var (left, right) = (record.state, read.state)
            if left.hasNext { #expect(try left.begin(.next) == right.begin(.next)) }
        }
    }

    private enum Part: CaseIterable {
        case opening, state, rows

        func bytes(of encoded: EncodedSession) -> [UInt8]? {
            switch self {
            case .opening: encoded.opening
            case .state: encoded.state
            case .rows: encoded.rows
            }
        }

        func put(_ bytes: [UInt8], in encoded: inout EncodedSession) {
            switch self {
            case .opening: encoded.opening = bytes
            case .state: encoded.state = bytes
            case .rows: encoded.rows = bytes
            }
        }
    }

    /// What every sample becomes when one of its parts is changed in every way that `change` has.
    private func changed(
        _ change: ([UInt8]) -> [[UInt8]], _ judge: (SessionRecord, EncodedSession, [UInt8]) -> Void
    ) {
        for record in Self.samples {
            for part in Part.allCases {
                guard let bytes = part.bytes(of: EncodedSession(record)) else { continue }
                for other in change(bytes) {
                    var encoded = EncodedSession(record)
                    part.put(other, in: &encoded)
                    judge(record, encoded, other)
                }
            }
        }
    }

    @Test("Every truncation, every flipped bit and every byte more is refused")
    func damage() {
        var refused = 0
        changed { bytes in
            var others = (0..<bytes.count).map { Array(bytes[..<$0]) } + [bytes + [0], bytes + bytes]
            for index in bytes.indices {
                for bit in 0..<8 {
                    others.append(bytes)
                    others[others.count - 1][index] ^= 1 << UInt8(bit)
                }
            }
            return others
        } _: { record, encoded, _ in
            do {
                _ = try decoded(encoded, as: record)
                Issue.record("damage was not noticed")
            } catch { refused += 1 }
        }
        #expect(refused > 10_000)
    }

    @Test("Wrong bytes with the right checksum are refused, or are a session that can be written and moved")
    func sealedDamage() {
        var generator = SeededGenerator(seed: 7)
        var (refused, accepted) = (0, 0)
        changed { bytes in
            let content = Array(bytes.dropLast(8))
            var others: [[UInt8]] = (1..<content.count).map { Array(content[..<$0]) } + [content + [0]]
            for index in content.indices.dropFirst() {
                for value in [0, 0x7F, 0x80, 0xFF, content[index] ^ 1, UInt8.random(in: 0...255, using: &generator)] {
                    others.append(content)
                    others[others.count - 1][index] = value
                }
            }
            for _ in 0..<50 {
                let length = Int.random(in: 0...60, using: &generator)
                others.append([1] + (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
            }
            return others.map { content in
                var writer = ByteWriter()
                writer.append(content[...])
                Seal.close(&writer)
                return writer.bytes
            }
        } _: { record, encoded, _ in
            let read: SessionRecord
            do {
                read = try decoded(encoded, as: record)
            } catch {
                refused += 1
                return
            }
            accepted += 1
            // Nothing in it may trip over itself: it has one spelling, and every move works on it.
            let again = try? decoded(EncodedSession(read), as: read)
            #expect(again?.comparable == read.comparable)
            if case .page(let page) = read.keptPage { _ = page.rows.texts }
            for move in Move.allCases { _ = try? read.moved(by: move, answer: PageAnswer(texts: ["{}"], total: nil)) }
            for move in Move.allCases { _ = try? read.moved(by: move, answer: PageAnswer(texts: ["{}"], total: 50)) }
            _ = read.expiresAt.adding(seconds: read.definition.idleTimeout)
            var text: [UInt8] = []
            read.createdAt.write(to: &text)
            #expect(text.count == 24)
        }
        #expect(refused > 1000 && accepted > 1000)
    }

    @Test("Bytes of a newer version are refused as that, whatever follows")
    func newer() throws {
        let record = Self.samples[1]
        for part in Part.allCases {
            for rest in [[], Array("anything".utf8), part.bytes(of: EncodedSession(record)) ?? []] {
                var encoded = EncodedSession(record)
                part.put([9] + rest, in: &encoded)
                #expect(throws: SessionEncodingError.newer(version: 9)) { try decoded(encoded, as: record) }
            }
        }
    }

    @Test("A field more than this version knows is refused as that")
    func unknownFields() throws {
        let record = Self.samples[1]
        for part in Part.allCases {
            let bytes = try #require(part.bytes(of: EncodedSession(record)))
            var writer = ByteWriter()
            writer.append(bytes.dropLast(8))
            writer.number(1)
            Seal.close(&writer)
            var encoded = EncodedSession(record)
            part.put(writer.bytes, in: &encoded)
            #expect(throws: SessionEncodingError.unknownFields) { try decoded(encoded, as: record) }
        }
    }

    @Test("Rows of another position are refused")
    func foreignRows() throws {
        let record = Self.samples[1]
        var other = record
        other.position += 1
        var encoded = EncodedSession(record)
        encoded.rows = EncodedSession.rows(of: other)
        #expect(throws: SessionEncodingError.self) { try decoded(encoded, as: record) }
    }

    @Test("An encoding takes little more than its rows")
    func size() throws {
        let record = SessionRecord.sample(now: Self.now)
        #expect(EncodedSession(record).opening.count < 60 && EncodedSession(record).state.count < 50)
        let texts = (0..<20).map { "{\"n\":\"\(String(repeating: "x", count: 800 + $0))\"}" }
        let (moved, page) = try record.moved(by: .next, answer: PageAnswer(texts: texts, total: 1000))
        #expect((EncodedSession(moved).rows?.count ?? 0) < page.rows.byteCount + 100)
    }

    @Test("A session's name reads back from its 16 bytes")
    func names() throws {
        for _ in 0..<100 {
            let id = SessionID()
            #expect(SessionID(bytes: id.bytes) == id)
            #expect(id.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == "\(id)")
        }
        #expect(SessionID(bytes: []) == nil && SessionID(bytes: Array(repeating: 0, count: 17)) == nil)
    }
}
