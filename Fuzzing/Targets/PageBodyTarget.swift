import Foundation
import HTTPModel
import Pagination

@testable import SimdJSON
@testable import TableAPI

/// The body of an instance's answer.
enum PageBodyTarget {
    static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        let body = PageBody.read(bytes, withIdentity: true)
        // What Foundation takes for UTF-16 is left out, and what it reads in spite of a fault.
        let isPlain = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
        let other = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        var root: [String: JSONValue]?
        if case .object(let members)? = other { root = members }
        switch body {
        case .rows(let rows, let identity):
            let root = try require(root, "Foundation reads an object too")
            try require(root["error"] == nil, "a page has no error")
            try require((identity == nil) == rows.isEmpty, "rows have an identity")
            guard case .array(let elements)? = root["result"] else {
                throw BrokenProperty(description: "Foundation finds a list too")
            }
            try check(rows, elements, bytes)
        case .error: try require(root?["error"] != nil, "Foundation finds an error too")
        case .unusable(.empty):
            try require(
                bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }, "nothing is there")
        case .unusable(.notWhole):
            let isLenient = jsonFault(in: bytes, maxDepth: 1024) != nil
            try require(!isPlain || isLenient || other == nil, "Foundation reads a whole document")
        case .unusable(.beyondLimits): break
        case .unusable(.repeatedResult):
            try require(
                jsonFault(in: bytes, json5: true) != nil
                    || repeatedMembers(inJSON5: bytes).contains { $0.path == ["result"] }, "the result is there twice")
        case .unusable(.noRows):
            if case .array(let elements)? = root?["result"] {
                try require(
                    elements.contains { $0.kind != JSONValue.object([:]).kind }, "a list of objects is a page")
            }
        case .unusable(.noMemory): throw BrokenProperty(description: "there is memory")
        }
        try checkAnswers(bytes, body)
    }

    /// The rows are the elements that Foundation finds, byte for byte, and so are their cells.
    private static func check(
        _ rows: Rows, _ elements: [JSONValue], _ bytes: [UInt8]
    ) throws(BrokenProperty) {
        try require(rows.count == elements.count, "\(elements.count) rows, not \(rows.count)")
        for (row, element) in zip(rows.objects, elements) {
            try require(row.first == 0x7B && row.last == 0x7D, "a row is an object")
            let value = try? JSONDecoder().decode(JSONValue.self, from: Data(row))
            try require(
                value == element, "a row stands where it is said to stand: \(String(decoding: row, as: UTF8.self))")
        }
        // JSON5 has no U+0000, so that nothing is looked for behind one.
        let hasRepeated = jsonFault(in: bytes, json5: true) != nil || !repeatedMembers(inJSON5: bytes).isEmpty
        guard case .object(let first)? = elements.first, let block = rows.blocks.first else { return }
        let fields = first.keys.sorted()
        let cells = try require(try? RowCells(block, fields: fields), "the cells of rows can be read")
        try require(cells.rowCount == elements.count, "each row has cells")
        guard !hasRepeated else { return }
        for (index, element) in elements.enumerated() {
            guard case .object(let members) = element else { continue }
            for (column, field) in fields.enumerated() {
                let cell = cells[index, column]
                switch members[field] {
                case nil, .null?: try require(cell.isEmpty, "no value is no text")
                case .string(let text)?:
                    try require(cell.elementsEqual(text.utf8), "a cell has its text: \(shown(text))")
                case let value?:
                    let read = try? JSONDecoder().decode(JSONValue.self, from: Data(cell))
                    try require(read == value, "a cell stands as in the row: \(value)")
                }
            }
        }
    }

    /// Whatever status the body comes with, it is a page with those rows or an error on one line.
    private static func checkAnswers(_ bytes: [UInt8], _ body: PageBody) throws(BrokenProperty) {
        for status in [200, 202, 401, 404, 500, 503] {
            let answer = TableAnswer(IncomingResponse(status: status, headers: [:], body: bytes)) { 1_796_007_600 }
            do throws(PageSourceError) {
                let page = try answer.page(countOnly: false)
                if status == 200 {
                    guard case .rows(let rows, _) = body, rows == page.rows else {
                        throw PageSourceError.tooLarge(limit: 0)
                    }
                } else if status != 404 || !page.rows.isEmpty {
                    throw .tooLarge(limit: 0)
                }
            } catch {
                if case .tooLarge = error { throw BrokenProperty(description: "a page is a page, status \(status)") }
                let text = "\(error)"
                try require(
                    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F },
                    "an error is one line: \(shown(text))")
            }
        }
    }
}
