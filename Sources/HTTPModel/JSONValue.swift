import FoundationEssentials

/// Any JSON value, as decoded by Foundation from JSON or JSON5.
public enum JSONValue: Sendable, Equatable, Decodable, ExpressibleByStringLiteral {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number without a fraction that fits 64 bits.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object. Where a member was repeated, Foundation keeps one of them.
    case object([String: JSONValue])
    /// JSON text that was written already and is passed on as it is; nothing is decoded to it.
    case written([UInt8])

    /// Decodes whatever stands there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Makes a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// What a person calls this kind of value.
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        case .written: "JSON text"
        }
    }
}

/// A JSON text that cannot be read.
public struct JSONSyntaxError: Error, Equatable {
    /// One line for a person, with the place of the fault where it is known.
    public var detail: String
}

extension JSONValue {
    /// Reads one JSON text.
    ///
    /// - Parameter json5: whether the extensions of JSON5 (comments, unquoted names, trailing commas) are allowed.
    /// - Throws: `JSONSyntaxError`, naming line and column. The text has to be UTF-8 (RFC 8259 §8.1) and right by its
    ///   grammar, though Foundation would take UTF-16, a comma behind the last member, or `1e+`.
    public static func parse(_ bytes: [UInt8], json5: Bool = false) throws(JSONSyntaxError) -> JSONValue {
        // Not only for its message: Foundation's JSON5 reader ends the process over a name that is no UTF-8.
        if let fault = jsonFault(in: bytes, json5: json5) { throw JSONSyntaxError(detail: fault.description) }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = json5
        do {
            return try decoder.decode(JSONValue.self, from: Data(bytes))
        } catch {
            throw JSONSyntaxError(detail: "not valid JSON")
        }
    }
}
