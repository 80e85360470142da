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

/// Finds the first fault of a text; `nil` where this finds none.
///
/// It can refuse and explain, but never accepts: `nil` does not mean that a parser takes the text.
public func jsonFault(in bytes: [UInt8], json5: Bool = false) -> JSONFault? {
    if let offset = firstBrokenUTF8(in: bytes) {
        return fault(at: offset, in: bytes, "expected UTF-8 but found a byte that is none")
    }
    var walk = JSONWalk(bytes, json5: json5)
    do {
        try walk.document()
        return nil
    } catch {
        return fault(at: error.offset, in: bytes, error.message)
    }
}

/// Finds every repeated member of a text that a parser has taken, in their order.
///
/// Names are compared after their escapes are decoded, and as Swift compares strings, which is how the parser files
/// them. In a text with a fault only what stands before the fault is looked at.
public func repeatedMembers(in bytes: [UInt8], json5: Bool = false) -> [RepeatedJSONMember] {
    var walk = JSONWalk(bytes, json5: json5)
    try? walk.document()
    return walk.repeated.map { member in
        let place = place(of: member.offset, in: bytes)
        return RepeatedJSONMember(path: member.path, line: place.line, column: place.column)
    }
}

private func fault(at offset: Int, in bytes: [UInt8], _ message: String) -> JSONFault {
    let place = place(of: offset, in: bytes)
    return JSONFault(line: place.line, column: place.column, message: message)
}

private func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    var previous: UInt8 = 0
    for byte in bytes.prefix(offset) {
        switch byte {
        case 0x0A where previous == 0x0D: break
        case 0x0A, 0x0D:
            line += 1
            column = 1
        case 0x80...0xBF: break
        default: column += 1
        }
        previous = byte
    }
    return (line, bytes.starts(with: [0xEF, 0xBB, 0xBF]) && line == 1 && offset > 0 ? column - 1 : column)
}

private func firstBrokenUTF8(in bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var decoder = UTF8()
    var rest = bytes.makeIterator()
    var offset = 0
    while case .scalarValue(let scalar) = decoder.decode(&rest) { offset += UTF8.width(scalar) }
    return offset
}
