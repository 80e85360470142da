import Clocks
import Foundation
import HTTPModel
import Sessions
import SimdJSON

@testable import Gateway

/// The body of a request that opens a session.
enum SessionJSONTarget {
    private static let bounds = DefinitionParser.Bounds(
        instances: ["default", "other"], itemsPerPage: 20, maxItemsPerPage: 10_000, readAhead: .auto, idleTimeout: 900,
        maxIdleTimeout: 86_400)

    static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        switch Result(catching: { () throws(JSONObjectError) in try JSONObject(bytes) }) {
        case .success(let object):
            try checkValues(object, bytes)
            try checkDefinition(object.members)
        case .failure(let error): try checkRefusal(error, bytes)
        }
    }

    /// What is read is what Foundation reads.
    private static func checkValues(_ object: JSONObject, _ bytes: [UInt8]) throws(BrokenProperty) {
        try require(jsonFault(in: bytes, maxDepth: 32) == nil, "what is read has no fault")
        // JSON5 has no U+0000, so that nothing is looked for behind one.
        let isJSON5 = jsonFault(in: bytes, json5: true) == nil
        let names = repeatedMembers(inJSON5: bytes)
        try require(
            !isJSON5 || Set(object.repeated) == Set(names.filter { $0.path.count == 1 }.map { $0.path[0] }),
            "the repeated members are \(names.map(\.path)), not \(object.repeated)")
        // Of repeated members Foundation takes another one.
        if isJSON5, names.isEmpty {
            let other = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
            try require(
                other.map(rounded) == rounded(.object(object.members)), "Foundation reads \(String(describing: other))")
        }
        var writer = JSONWriter()
        writer.value(.object(object.members))
        let again = try? JSONObject(writer.bytes)
        try require(again?.members == object.members, "values survive being written: \(object.members)")
    }

    /// The value with every number that a `Double` need not hold exactly as one: of those written with a fraction, Foundation
    /// makes no integers.
    private static func rounded(_ value: JSONValue) -> JSONValue {
        switch value {
        case .integer(let number) where abs(Double(number)) > 9e15: .number(Double(number))
        case .array(let elements): .array(elements.map(rounded))
        case .object(let members): .object(members.mapValues(rounded))
        default: value
        }
    }

    /// What is refused has a fault with a place, or is beyond what is allowed; Foundation refuses it too.
    private static func checkRefusal(_ error: JSONObjectError, _ bytes: [UInt8]) throws(BrokenProperty) {
        switch error {
        case .malformed(let fault):
            let lines = bytes.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }.count
            try require(
                1...lines ~= fault.line && 1...bytes.count + 1 ~= fault.column && !fault.message.isEmpty,
                "a fault has a place: \(fault)")
            try require(
                fault.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F },
                "a fault is one line: \(shown(fault.message))")
            let isTooMuch = fault.message.hasPrefix("nested deeper") || fault.message.hasPrefix("more than")
            // Foundation takes UTF-16, numbers such as 1e+ and -, escapes such as \\u00x, line breaks in strings, and a comma
            // behind the last member.
            let isPlain = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
            let isStrict = ["expected , or", "expected :", "expected a value"].contains { fault.message.hasPrefix($0) }
            if !isTooMuch, isPlain, isStrict, !fault.message.hasSuffix("found ]"), !fault.message.hasSuffix("found }") {
                let other = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
                try require(other == nil, "Foundation reads what has a fault, \(fault)")
            }
        case .notAnObject(let kind):
            try require(kind != JSONValue.object([:]).kind, "an object is one")
        case .integersBeyond64Bits(let members):
            try require(!members.isEmpty, "integers beyond 64 bits have a name")
        case .tooManyValues(let limit): try require(bytes.count > limit, "many values take many bytes")
        case .noMemory: throw BrokenProperty(description: "there is memory")
        }
    }

    /// A definition without faults is within its bounds, and is read again as it was.
    private static func checkDefinition(_ members: [String: JSONValue]) throws(BrokenProperty) {
        var parser = DefinitionParser(body: members, bounds: bounds, faults: ParameterFaults())
        let (definition, publisherShouldFinish) = parser.session()
        guard (try? parser.faults.check()) != nil else {
            var writer = JSONWriter()
            parser.faults.problem.write(title: "", to: &writer)
            try require((try? JSONObject(writer.bytes, maxValues: .max)) != nil, "a report is JSON")
            return
        }
        try require(bounds.instances.contains(definition.instance), "the instance is known")
        try require(
            1...80 ~= definition.table.utf8.count && definition.table.utf8.allSatisfy { $0 > 0x2F && $0 < 0x7B },
            "the table has a name: \(shown(definition.table))")
        try require(1...bounds.maxItemsPerPage ~= definition.itemsPerPage, "a page has rows")
        try require(1...bounds.maxIdleTimeout ~= definition.idleTimeout, "a session ends")
        if let fields = definition.fields {
            try require(!fields.isEmpty && Set(fields).count == fields.count, "each field is there once")
            try require(
                fields.joined().utf8.allSatisfy { $0 > 0x2D && $0 < 0x7B && $0 != 0x2F }, "fields have names")
        }
        if case .pages(let count) = definition.readAhead {
            try require(0...8 ~= count, "few pages are read ahead")
        }
        let record = SessionRecord(
            id: SessionID(), owner: "", definition: definition, publisherShouldFinish: publisherShouldFinish,
            now: .now())
        let again = try? SessionRecord(
            EncodedSession(record), id: record.id, expiresAt: record.expiresAt, revision: 0, sequence: 0)
        try require(again == record, "a session survives being stored")
        var writer = JSONWriter()
        SessionDocument(record: record, isBusy: false).write(to: &writer)
        let document = try require(try? JSONObject(writer.bytes, maxValues: .max), "a session's document is JSON")
        var repeated = document.members.filter { members[$0.key] != nil || $0.key == "table" }
        repeated["idleTimeout"] = document.members["idleTimeout"]
        var second = DefinitionParser(body: repeated, bounds: bounds, faults: ParameterFaults())
        try require(second.session().definition == definition, "a session's document opens the same session")
    }
}
