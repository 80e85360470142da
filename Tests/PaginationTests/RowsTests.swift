import Pagination
import PaginatordTesting
import Testing

@Suite struct RowsTests {
    @Test("Rows know their number, their bytes and each row's text")
    func rows() {
        var rows = Rows(texts: ["{\"a\":1}", "{}"], separator: " , ")
        #expect(rows.count == 2 && !rows.isEmpty && rows.byteCount == 12)
        #expect(rows.texts == ["{\"a\":1}", "{}"])
        rows.append(Rows(texts: ["{\"b\":2}"]))
        #expect(rows.count == 3 && rows.byteCount == 19 && rows.blocks.count == 2)
        #expect(rows.texts == ["{\"a\":1}", "{}", "{\"b\":2}"])
    }

    @Test("The parts of rows are the rows, in pieces of the size that was asked for", arguments: [0, 7, 13, 14, 100])
    func parts(limit: Int) {
        let texts = ["{\"a\":1}", "{}", "{\"long\":\"0123456789\"}", "{}", "{}", "{\"b\":2}"]
        var rows = Rows(texts: texts, separator: " , ")
        rows.append(Rows(texts: ["{}", "{\"c\":3}"]))
        let parts = Array(rows.parts(byteCount: limit))
        #expect(parts.flatMap(\.texts) == rows.texts)
        for part in parts {
            #expect(part.count == 1 || part.byteCount <= limit)
            #expect(part.blocks.count == 1 && part.blocks[0].text.first == 0x7B && part.blocks[0].text.last == 0x7D)
        }
        for (part, next) in zip(parts, parts.dropFirst()) {
            let (text, further) = (part.blocks[0].text, next.blocks[0].extents[0])
            let isSameBlock = further.lowerBound >= text.endIndex
            #expect(!isSameBlock || further.upperBound - text.startIndex > limit, "there was room for one row more")
        }
        #expect(limit < 100 || parts.count == 2)
        #expect(Array(Rows().parts(byteCount: limit)).isEmpty)
    }

    @Test("No rows are empty, and adding them changes nothing")
    func none() {
        var rows = Rows()
        #expect(rows.isEmpty && rows.count == 0 && rows.byteCount == 0 && rows.texts.isEmpty)
        rows.append(Rows())
        #expect(rows == Rows(texts: []))
    }
}
