import HTTPModel
import TableAPI

/// One object of the configuration while it is read: each key that is asked for becomes known, whatever is then left
/// over is wrong.
struct ConfigurationSection {
    /// The reading that this belongs to.
    let reading: ConfigurationReading
    /// The names that lead here.
    let path: [String]
    private let members: [String: JSONValue]
    private let hasVariables: Bool
    private var known: Set<String> = []

    /// Begins an object.
    ///
    /// - Parameter hasVariables: whether environment variables win over its members.
    init(
        _ members: [String: JSONValue], path: [String] = [], hasVariables: Bool = true, in reading: ConfigurationReading
    ) {
        self.members = members
        self.path = path
        self.hasVariables = hasVariables
        self.reading = reading
    }

    /// The names of the members that are not null.
    var names: [String] {
        members.filter { $0.value != .null }.keys.sorted()
    }

    /// Takes the value of a key, from its variable before the file; `nil` where there is none or a wrong one.
    mutating func value<Value>(_ name: String, _ kind: SettingKind<Value>) -> Value? {
        know(name)
        let variable = ConfigurationReading.variableName(path + [name])
        if hasVariables, let text = reading.variable(variable) {
            if let value = kind.fromText(text) { return value }
            complain(name, "expected \(kind.expected) but found \(quoted(text)) in \(variable)")
            return nil
        }
        guard let json = json(name) else { return nil }
        if let value = kind.fromJSON(json) { return value }
        complain(name, "expected \(kind.expected) but found \(described(json))")
        return nil
    }

    /// Takes the value of a key that has a default.
    mutating func value<Value>(_ name: String, _ kind: SettingKind<Value>, default value: Value) -> Value {
        self.value(name, kind) ?? value
    }

    /// Takes the value of a key whose text must not appear in a message, because a credential may have got into it.
    mutating func confidentialText(_ name: String, _ expected: String) -> String? {
        guard let json = member(name) else { return nil }
        if case .string(let text) = json, !text.isEmpty, !text.utf8.contains(0) { return text }
        complain(name, "expected \(expected) but found \(json == .string("") ? "an empty string" : json.kind)")
        return nil
    }

    /// Takes a member as it stands in the file; `nil` for null.
    mutating func member(_ name: String) -> JSONValue? {
        know(name)
        return json(name)
    }

    /// Whether the file has a value there, be it a wrong one.
    func has(_ name: String) -> Bool {
        json(name) != nil
    }

    /// Whether the file says null there.
    func isNull(_ name: String) -> Bool {
        members[name] == .null
    }

    /// Takes the path of a file. Relative ones start from the folder of the file that names them, and from the working
    /// directory where a variable does.
    mutating func file(_ name: String) -> String? {
        let variable = ConfigurationReading.variableName(self.path + [name])
        let isVariable = hasVariables && reading.variable(variable) != nil
        return value(name, .text("the path of a file")).map {
            isVariable ? $0 : paginatord.path($0, from: reading.folder)
        }
    }

    /// Takes an object; an absent one is empty.
    mutating func section(_ name: String, hasVariables: Bool? = nil) -> ConfigurationSection {
        var object: [String: JSONValue] = [:]
        switch member(name) {
        case nil: break
        case .object(let members): object = members
        case .some(let other): complain(name, "expected an object but found \(other.kind)")
        }
        return ConfigurationSection(
            object, path: path + [name], hasVariables: hasVariables ?? self.hasVariables, in: reading)
    }

    /// Takes a secret, which stands in a variable or a file of its own.
    mutating func secret(_ name: String) -> Secret? {
        secretSource(name).flatMap { secret(name, in: $0) }
    }

    /// Takes the place of a secret.
    mutating func secretSource(_ name: String) -> SecretSource? {
        guard let json = member(name) else { return nil }
        guard case .object(let object) = json, object.count == 1, let (source, value) = object.first,
            case .string(let place) = value, !place.isEmpty
        else {
            let literal = if case .string = json { "; a secret does not stand in the configuration itself" } else { "" }
            complain(name, #"expected { env: "NAME" } or { file: "PATH" }"# + literal)
            return nil
        }
        switch source {
        case "env": return .variable(place)
        case "file": return .file(paginatord.path(place, from: reading.folder))
        default:
            complain(name, #"expected { env: "NAME" } or { file: "PATH" } but found the key \#(printable(source))"#)
            return nil
        }
    }

    /// The secret in that place.
    func secret(_ name: String, in source: SecretSource) -> Secret? {
        switch source {
        case .variable(let variable):
            if let text = reading.foreignVariable(variable) { return Secret(text) }
            complain(name, "the environment variable \(printable(variable)) is not set")
        case .file(let path):
            do {
                return try Secret(watching: path, setting: settingName(name))
            } catch {
                complain(name, error.reason)
            }
        }
        return nil
    }

    /// Notes a problem with a key of this object.
    func complain(_ name: String, _ detail: String) {
        reading.complain(settingName(name), detail)
    }

    /// A key of this object with all that leads to it, for messages.
    func settingName(_ name: String) -> String {
        (path + [name]).map(printable).joined(separator: ".")
    }

    /// Complains about every member that nobody asked for.
    func finish() {
        for name in members.keys.sorted() where !known.contains(name) {
            complain(name, "unknown key" + Spelling.suggestion(for: name, among: known))
        }
    }

    private func json(_ name: String) -> JSONValue? {
        members[name].flatMap { $0 == .null ? nil : $0 }
    }

    private mutating func know(_ name: String) {
        known.insert(name)
        reading.know(path + [name])
    }
}

/// What stands there, for a message.
private func described(_ value: JSONValue) -> String {
    switch value {
    case .integer(let value): String(value)
    case .number(let value): String(value)
    case .string(let text): quoted(text)
    case .bool(let value): String(value)
    case .array(let elements) where elements.count <= 8:
        "[" + elements.map(described).joined(separator: ", ") + "]"
    default: value.kind
    }
}

/// A text of the configuration, for a message.
func quoted(_ text: String) -> String {
    // A URL of a later kind of store, or of a proxy, may have a password in it.
    text.contains("://") && text.contains("@") ? "a URL with credentials" : "\"\(printable(text))\""
}

/// A text that stays on its line and cannot steer a terminal.
func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(80) {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: result += "\\u{\(String(scalar.value, radix: 16))}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return text.unicodeScalars.count > 80 ? result + "…" : result
}
