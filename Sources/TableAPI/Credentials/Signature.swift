import FoundationEssentials
import HTTPModel

/// By what an instance tells who a request comes from. Like a secret, it never prints.
struct Signature: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The headers that say so.
    var headers: HeaderFields
    /// Whose they are; empty for the service's own. Cookies are kept apart by it.
    var holder: String

    /// Makes a signature.
    init(headers: HeaderFields = [:], holder: String = "") {
        self.headers = headers
        self.holder = holder
    }

    /// Always the same.
    var description: String { "<redacted>" }
    /// Always the same.
    var debugDescription: String { description }
    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: []) }

    /// A body without whatever of this signature it repeats, as an instance's error may: that ends in messages and logs.
    func removed(from body: [UInt8]) -> [UInt8] {
        secrets.reduce(body) { body, secret in
            var rest = body[...]
            var result: [UInt8] = []
            while let range = rest.firstRange(of: secret) {
                result += rest[..<range.lowerBound] + Array("<redacted>".utf8)
                rest = rest[range.upperBound...]
            }
            return result.isEmpty ? body : result + rest
        }
    }

    /// The words of the headers that nobody else may see, as they are and as they stand in JSON. Short ones are left out:
    /// what is found everywhere is told by nothing.
    private var secrets: [[UInt8]] {
        var words: [String] = []
        for field in headers.fields {
            let parts = field.value.split(separator: " ", maxSplits: 1)
            guard let word = parts.last.map(String.init) else { continue }
            words.append(word)
            if parts.first == "Basic", let pair = Data(base64Encoded: word) {
                words.append(String(decoding: pair.drop { $0 != 0x3A }.dropFirst(), as: UTF8.self))
            }
        }
        return (words + words.map { $0.replacing("/", with: "\\/") }).filter { $0.utf8.count > 3 }.map {
            Array($0.utf8)
        }
    }
}
