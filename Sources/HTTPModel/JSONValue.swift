/// Any JSON value.
public enum JSONValue: Sendable, Equatable, ExpressibleByStringLiteral {
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
    /// An object. Where a member was repeated, one of them.
    case object([String: JSONValue])
    /// JSON text that was written already and is passed on as it is; nothing is read as it.
    case written([UInt8])

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
