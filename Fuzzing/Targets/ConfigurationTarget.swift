import Foundation
import HTTPModel
import TableAPI

@testable import RedisSessions
@testable import paginatord

/// A configuration file.
enum ConfigurationTarget {
    private static let secret = "5f3aQ9-a-secret"

    static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        let value: JSONValue
        do {
            value = try JSONValue.parseJSON5(bytes)
        } catch {
            try require(isLine(error.detail), "a fault is one line: \(shown(error.detail))")
            // Foundation takes UTF-16, numbers such as 1e+ and -, and escapes such as \\u00x.
            let isPlain = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
            let isLenient = ["U+0000", "is no number", "escape", "surrogate", "nested deeper"].contains {
                error.detail.contains($0)
            }
            if isPlain, !isLenient {
                let other = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
                try require(other == nil, "JSON is JSON5 too; \(error.detail)")
            }
            return
        }
        if jsonFault(in: bytes) == nil, repeatedMembers(inJSON5: bytes).isEmpty {
            let other = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
            try require(other == value, "JSON and JSON5 say the same: \(String(describing: other)), \(value)")
        }
        try checkTexts(in: value)
        guard case .object(let members) = value, isHarmless(value) else { return }
        try checkSettings(members)
    }

    // MARK: The whole

    private static func checkSettings(_ members: [String: JSONValue]) throws(BrokenProperty) {
        let reading = ConfigurationReading(environment: ["SECRET": secret], folder: "/nonexistent/")
        var root = ConfigurationSection(members, in: reading)
        var configuration = Configuration(&root)
        configuration.instances = Configuration.instances(
            in: &root, besideDemo: false, maxPageBytes: configuration.pages.maxBytes)
        root.finish()
        for problem in reading.problems {
            let line = problem.description
            try require(isLine(line) && line.utf8.count < 20_000, "a problem is one line: \(shown(line))")
            try require(!line.contains(secret), "a problem has no secret: \(shown(line))")
        }
        try require(!"\(configuration)".contains(secret), "a configuration shows no secret")
        guard reading.problems.isEmpty else { return }
        try require(!configuration.listeners.isEmpty, "there is a listener")
        try require(
            1...configuration.pages.maxItemsPerPage ~= configuration.pages.itemsPerPage, "a page has rows")
        try require(
            configuration.sessions.idleTimeout <= configuration.sessions.maxIdleTimeout, "a session ends in time")
        for instance in configuration.instances {
            let url = instance.instance.url
            let parsed = try? InstanceURL(url.description)
            try require(
                url.description.hasPrefix("https://") || parsed?.isLoopback == true,
                "an instance is encrypted or here: \(shown(url.description))")
            try require(instance.instance.timeout > .zero, "an attempt ends")
        }
    }

    /// Whether no file is named that could keep the reader waiting, or lies outside the folder of the test.
    private static func isHarmless(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): !text.hasPrefix("/") && !text.contains("..")
        case .array(let elements): elements.allSatisfy(isHarmless)
        case .object(let members): members.values.allSatisfy(isHarmless)
        default: true
        }
    }

    private static func isLine(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    // MARK: Single texts

    private static func checkTexts(in value: JSONValue) throws(BrokenProperty) {
        switch value {
        case .string(let text): try checkText(text)
        case .array(let elements): for element in elements { try checkTexts(in: element) }
        case .object(let members):
            for (name, member) in members {
                try checkText(name)
                try checkTexts(in: member)
            }
        default: break
        }
    }

    /// What a text is read as survives being written.
    private static func checkText(_ text: String) throws(BrokenProperty) {
        if let duration = DurationText.parse(text) {
            try require(duration >= .zero, "a duration is none below 0: \(shown(text))")
            let written = DurationText.format(duration)
            try require(DurationText.parse(written) == duration, "\(shown(text)) is \(written)")
        }
        if let size = SizeText.parse(text) {
            try require(size >= 0, "a size is none below 0: \(shown(text))")
            let written = SizeText.format(size).replacing(" bytes", with: "B")
            try require(SizeText.parse(written) == size, "\(shown(text)) is \(written)")
        }
        for listener in Listener.parse(text) ?? [] {
            let again = Listener.parse(listener.address.description)
            try require(again?.map(\.address) == [listener.address], "\(shown(text)) is \(listener.address)")
        }
        if let url = try? InstanceURL(text) {
            try require((try? InstanceURL(url.description)) == url, "\(shown(text)) is \(url)")
            let parts = URLComponents(string: url.description)
            try require(
                parts?.user == nil && parts?.query == nil && parts?.fragment == nil && parts?.host != nil,
                "Foundation reads no more in \(url)")
        }
        if let location = try? RedisLocation(text) {
            try require(RedisLocation.isMeant(by: text), "\(shown(text)) is no Redis")
            try require(text.hasPrefix("redis+unix:") || !text.contains("@"), "\(shown(text)) has credentials")
            try require(0...99_999 ~= location.database, "a database has a number")
        }
        _ = Spelling.suggestion(for: text, among: ["itemsPerPage", "listen", text])
    }
}
