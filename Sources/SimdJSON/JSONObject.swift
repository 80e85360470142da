import CSimdJSON
package import HTTPModel

/// A small JSON object that a stranger sent, such as a request's body.
///
/// Reading one takes a few milliseconds per MiB at the most, whatever is in it: every byte is checked by simdjson, and no
/// more values are made of it than `maxValues`.
package struct JSONObject: Sendable, Equatable {
    /// The members; of those with the same name, the first.
    package var members: [String: JSONValue] = [:]
    /// The names that stand in the object more than once, in their order, each once.
    package var repeated: [String] = []

    /// Reads the one object that a text is.
    ///
    /// - Parameters:
    ///   - maxDepth: the deepest nesting that is allowed, at most 1,024.
    ///   - maxValues: the most values that are allowed, inner ones and names among them.
    package init(_ text: [UInt8], maxDepth: Int = 32, maxValues: Int = 4096) throws(JSONObjectError) {
        // A text has no more values than bytes, so that a short one needs little memory.
        let capacity = min(maxValues, max(1, text.count))
        let result = withUnsafeTemporaryAllocation(of: csimdjson_value.self, capacity: capacity) {
            room -> Result<JSONObject, JSONObjectError> in
            // Safe because nothing that the call returns outlives the closure, and the closure neither suspends nor reads
            // another text, so that the thread's parser, in which the strings stand, stays as it is.
            text.withUnsafeBufferPointer { bytes in
                let list = csimdjson_list_values(bytes.baseAddress, bytes.count, maxDepth, room.baseAddress, capacity)
                defer { csimdjson_finish() }
                var reader = ValueReader(values: UnsafeBufferPointer(rebasing: room[..<list.count]))
                switch list.outcome {
                case .CSIMDJSON_VALUES: return reader.object()
                case .CSIMDJSON_TOO_MANY:
                    // What it is comes first: a list is no object, however long it is.
                    return .failure(
                        reader.isObject
                            ? .tooManyValues(limit: maxValues) : .notAnObject(JSONValue.array([]).kind))
                case .CSIMDJSON_REFUSED: return .failure(.unreadable(text, maxDepth: maxDepth, maxValues: maxValues))
                case .CSIMDJSON_OUT_OF_MEMORY: return .failure(.noMemory)
                }
            }
        }
        self = try result.get()
    }

    fileprivate init() {}
}

/// Why a text is no object that can be read.
package enum JSONObjectError: Error, Equatable {
    /// It is not JSON, or nested too deeply, or has too many values in front of its fault; this says where and why.
    case malformed(JSONFault)
    /// It is JSON, but something else than an object; in words, as in "an array".
    case notAnObject(String)
    /// These members of the root are or hold integers beyond 64 bits.
    case integersBeyond64Bits(members: [String])
    /// It has more values than are allowed.
    case tooManyValues(limit: Int)
    /// There was no memory to read it.
    case noMemory

    /// Finds out why the parser refused a text.
    fileprivate static func unreadable(_ text: [UInt8], maxDepth: Int, maxValues: Int) -> JSONObjectError {
        if let fault = jsonFault(in: text, maxDepth: maxDepth, maxValues: maxValues) { return .malformed(fault) }
        // What is right by its grammar is refused for integers only.
        switch text.first(where: { $0 > 0x20 && $0 < 0x80 }) {
        case 0x7B: return .integersBeyond64Bits(members: membersBeyond64Bits(in: text))
        case 0x5B: return .notAnObject(JSONValue.array([]).kind)
        default: return .notAnObject(JSONValue.number(0).kind)
        }
    }
}

/// Makes values of a list of them.
///
/// Safe because it is used only while the list and the thread's parser stay as they are, and what it makes are copies.
private struct ValueReader {
    let values: UnsafeBufferPointer<csimdjson_value>
    private var index = 0

    init(values: UnsafeBufferPointer<csimdjson_value>) {
        self.values = values
    }

    /// Whether the next value is an object.
    var isObject: Bool {
        values[index].kind == .CSIMDJSON_OBJECT
    }

    /// The next value, which has to be an object.
    mutating func object() -> Result<JSONObject, JSONObjectError> {
        guard isObject else { return .failure(.notAnObject(value().kind)) }
        var object = JSONObject()
        var repeated: Set<String> = []
        for _ in 0..<next().count {
            let name = string(next())
            let value = value()
            if object.members[name] == nil {
                object.members[name] = value
            } else if repeated.insert(name).inserted {
                object.repeated.append(name)
            }
        }
        return .success(object)
    }

    private mutating func value() -> JSONValue {
        let value = next()
        switch value.kind {
        case .CSIMDJSON_NULL: return .null
        case .CSIMDJSON_TRUE: return .bool(true)
        case .CSIMDJSON_FALSE: return .bool(false)
        case .CSIMDJSON_INTEGER: return .integer(Int(value.integer))
        // 2.0 and 2e0 are the integer 2 (RFC 8259 §6 knows numbers only).
        case .CSIMDJSON_NUMBER: return Int(exactly: value.number).map { .integer($0) } ?? .number(value.number)
        case .CSIMDJSON_STRING: return .string(string(value))
        case .CSIMDJSON_ARRAY:
            var elements: [JSONValue] = []
            elements.reserveCapacity(value.count)
            for _ in 0..<value.count { elements.append(self.value()) }
            return .array(elements)
        case .CSIMDJSON_OBJECT:
            var members: [String: JSONValue] = [:]
            for _ in 0..<value.count {
                let name = string(next())
                members[name] = self.value()
            }
            return .object(members)
        }
    }

    private mutating func next() -> csimdjson_value {
        defer { index += 1 }
        return values[index]
    }

    private func string(_ value: csimdjson_value) -> String {
        String(decoding: UnsafeRawBufferPointer(start: value.text, count: value.count), as: UTF8.self)
    }
}
