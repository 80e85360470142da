import FoundationEssentials

/// A JSON5 text that cannot be read.
public struct JSONSyntaxError: Error, Equatable {
    /// One line for a person, with the place of the fault where it is known.
    public var detail: String
}

extension JSONValue {
    /// Reads one JSON5 text: JSON with comments, unquoted names, trailing commas.
    ///
    /// It is for what the operator wrote, not for what strangers send: Foundation takes its time.
    ///
    /// - Throws: `JSONSyntaxError`, naming line and column. The text has to be UTF-8 and right by its grammar, though
    ///   Foundation would take UTF-16 or `1e+`.
    public static func parseJSON5(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        // Not only for its message: Foundation's JSON5 reader ends the process over a name that is no UTF-8.
        if let fault = jsonFault(in: bytes, json5: true) { throw JSONSyntaxError(detail: fault.description) }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            // Behind a number Foundation looks at one byte more, even at the end of the text, and may end the process over it.
            return try decoder.decode(JSONValue.self, from: Data(bytes + [0x0A]))
        } catch {
            throw JSONSyntaxError(detail: "not valid JSON5")
        }
    }
}

extension JSONValue: Decodable {
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
}
