/// The header fields of a message, in the order and the spelling in which they came.
///
/// Names compare without regard to case (RFC 9110 §5.1); a repeated field stays repeated.
public struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One field line.
    public struct Field: Sendable, Equatable {
        /// The name as it was spelt.
        public var name: String
        /// The value without the white space around it.
        public var value: String

        /// Makes a field line.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All lines, in order.
    public private(set) var fields: [Field]

    /// Makes a list of lines.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Makes a list from a literal; repeated names stay repeated.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field($0.0, $0.1) }
    }

    /// The first value of that name; setting replaces every line of it, `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { equalIgnoringCase($0.name, name) }?.value }
        set {
            fields.removeAll { equalIgnoringCase($0.name, name) }
            if let newValue { fields.append(Field(name, newValue)) }
        }
    }

    /// Every value of that name, in order.
    public func values(of name: String) -> [String] {
        // In one pass: this is asked several times of each request.
        var values: [String] = []
        for field in fields where equalIgnoringCase(field.name, name) { values.append(field.value) }
        return values
    }

    /// Adds a line at the end, whether or not the name is there already.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name, value))
    }

    /// Makes room for that many lines in all.
    public mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(count)
    }
}

/// Whether two ASCII tokens are the same but for the case of their letters.
public func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
    let left = left.utf8
    let right = right.utf8
    guard left.count == right.count else { return false }
    return zip(left, right).allSatisfy { $0 == $1 || ($0 ^ $1 == 0x20 && $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) }
}
