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

    @Test("No rows are empty, and adding them changes nothing")
    func none() {
        var rows = Rows()
        #expect(rows.isEmpty && rows.count == 0 && rows.byteCount == 0 && rows.texts.isEmpty)
        rows.append(Rows())
        #expect(rows == Rows(texts: []))
    }
}
