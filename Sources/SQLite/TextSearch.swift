internal import CSQLite

/// The SQL function `text_contains(text, part)`: whether a text contains another, as `text LIKE '%part%'` does where the
/// part holds no wildcards, in a third of the time. The case of ASCII letters does not matter; all other characters are
/// compared by their bytes, which in UTF-8 finds them only where they begin (RFC 3629 §1). NULL gives NULL.
enum TextSearch {
    /// Adds the function to a database.
    static func define(in database: OpaquePointer?) -> Int32 {
        sqlite3_create_function_v2(
            database, "text_contains", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, textContains, nil,
            nil, nil)
    }
}

/// Safe because SQLite's two values stay as they are during the call, and the part that it keeps for us between the
/// calls of one run was made by `SearchedPart.make` and is freed by it alone.
private let textContains: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
    context, _, values in
    guard let values, let text = sqlite3_value_text(values[0]) else { return }
    let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(values[0])))
    // Safe because nothing but a part is ever kept for this function.
    if let kept = sqlite3_get_auxdata(context, 1) {
        let isFound = kept.assumingMemoryBound(to: SearchedPart.self).pointee.isFound(in: bytes)
        return sqlite3_result_int(context, isFound ? 1 : 0)
    }
    guard let start = sqlite3_value_text(values[1]) else { return }
    let part = SearchedPart.make(UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(values[1]))))
    sqlite3_result_int(context, part.pointee.isFound(in: bytes) ? 1 : 0)
    // SQLite may free it at once: it is not ours any more.
    sqlite3_set_auxdata(context, 1, part) { SearchedPart.free($0) }
}

/// A text that is searched for, by Horspool's algorithm (R. N. Horspool, "Practical fast searching in strings", 1980).
///
/// Safe because its memory is its own from `make` to `free`, and it is read only with indices below the two counts.
private struct SearchedPart {
    /// Its bytes, ASCII letters in lower case.
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    /// For each byte of the searched text how far the part may move on when that byte lies below its end.
    private let steps: UnsafeMutablePointer<Int>

    /// Makes a part in memory of its own.
    static func make(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeMutablePointer<SearchedPart> {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
        _ = bytes.initialize(fromContentsOf: text)
        let steps = UnsafeMutablePointer<Int>.allocate(capacity: 256)
        steps.initialize(repeating: max(1, text.count), count: 256)
        for (index, byte) in text.enumerated() {
            bytes[index] = lowercased(byte)
            guard index < text.count - 1 else { continue }
            steps[Int(lowercased(byte))] = text.count - 1 - index
            steps[Int(uppercased(byte))] = text.count - 1 - index
        }
        let part = UnsafeMutablePointer<SearchedPart>.allocate(capacity: 1)
        part.initialize(to: SearchedPart(bytes: bytes, steps: steps))
        return part
    }

    /// Frees what `make` has made.
    static func free(_ part: UnsafeMutableRawPointer?) {
        // Safe because SQLite gives back the pointer that it was given, which `make` has bound to this type.
        guard let part = part?.assumingMemoryBound(to: SearchedPart.self) else { return }
        part.pointee.bytes.deallocate()
        part.pointee.steps.deallocate()
        part.deallocate()
    }

    /// Whether a text contains the part; every text contains the empty one.
    func isFound(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let last = bytes.count - 1
        guard last >= 0 else { return true }
        var end = last
        while end < text.count {
            var index = last
            while index >= 0, lowercased(text[end - last + index]) == bytes[index] { index -= 1 }
            if index < 0 { return true }
            end += steps[Int(text[end])]
        }
        return false
    }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
}

private func uppercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x61 < 26 ? byte & 0xDF : byte
}
