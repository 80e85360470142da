/// The first fault of a JSON text, for the person who wrote it. Foundation refuses a text on Linux without saying where.
public struct JSONFault: Error, Equatable, CustomStringConvertible {
    /// The line, from 1; LF, CR and CR LF end one.
    public var line: Int
    /// The column, from 1, in Unicode scalars.
    public var column: Int
    /// What stands there and what would be right, in one line.
    public var message: String

    /// As in `line 3, column 7: expected , or } but found [`.
    public var description: String {
        "line \(line), column \(column): \(message)"
    }
}

/// A member whose name has stood in the same object before.
public struct RepeatedJSONMember: Sendable, Equatable {
    /// The names, and the indexes in arrays, that lead to it; the last is its own name.
    public var path: [String]
    /// The line of the repeated name, from 1.
    public var line: Int
    /// The column of the repeated name, from 1, in Unicode scalars.
    public var column: Int
}

/// Finds the first fault of a text; `nil` where this finds none. The time it takes grows with the text and no faster.
///
/// It can refuse and explain, but never accepts: `nil` does not mean that a parser takes the text.
///
/// - Parameters:
///   - maxDepth: the deepest nesting that is no fault; by default what Foundation reads.
///   - maxValues: the most values, inner ones and names among them, that are no fault.
public func jsonFault(
    in bytes: [UInt8], json5: Bool = false, maxDepth: Int = 512, maxValues: Int = .max
) -> JSONFault? {
    var places = PlaceCounter(bytes)
    func fault(at offset: Int, _ message: String) -> JSONFault {
        let (line, column) = places.place(of: offset)
        return JSONFault(line: line, column: column, message: message)
    }
    do throws(UTF8.ValidationError) {
        _ = try UTF8Span(validating: bytes.span)
    } catch {
        return fault(at: error.byteOffsets.lowerBound, "expected UTF-8 but found a byte that is none")
    }
    var walk = JSONWalk(
        bytes, json5: json5, limits: JSONWalk.Limits(depth: maxDepth, values: maxValues), noting: .nothing)
    do throws(JSONWalk.Stop) {
        try walk.document()
        return nil
    } catch {
        return fault(at: error.offset, error.message)
    }
}

/// Finds every repeated member of a JSON5 text that a parser has taken, in their order.
///
/// Names are compared after their escapes are decoded, and as Swift compares strings, which is how the parser files
/// them. In a text with a fault only what stands before the fault is looked at.
public func repeatedMembers(inJSON5 bytes: [UInt8]) -> [RepeatedJSONMember] {
    var walk = JSONWalk(bytes, json5: true, limits: JSONWalk.Limits(), noting: .repeatedNames)
    try? walk.document()
    var places = PlaceCounter(bytes)
    return walk.repeated.map { member in
        let (line, column) = places.place(of: member.offset)
        return RepeatedJSONMember(path: member.path, line: line, column: column)
    }
}

/// Finds the members of a JSON object that are or hold integers that neither `Int` nor `UInt` can hold, in their order.
public func membersBeyond64Bits(in bytes: [UInt8]) -> [String] {
    var walk = JSONWalk(bytes, limits: JSONWalk.Limits(), noting: .wideIntegers)
    try? walk.document()
    return walk.wide
}

/// Counts lines and columns, once over the text for places that come in their order.
private struct PlaceCounter {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var column = 1
    private var previous: UInt8 = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A byte order mark takes no column.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    mutating func place(of offset: Int) -> (line: Int, column: Int) {
        while index < offset {
            switch bytes[index] {
            case 0x0A where previous == 0x0D: break
            case 0x0A, 0x0D:
                line += 1
                column = 1
            case 0x80...0xBF: break
            default: column += 1
            }
            previous = bytes[index]
            index += 1
        }
        return (line, column)
    }
}
