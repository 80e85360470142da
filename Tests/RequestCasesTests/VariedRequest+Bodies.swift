import PaginatordTesting

extension VariedRequest {
    /// Declares another media type than JSON.
    mutating func declareWrongType(_ numbers: inout SeededGenerator) {
        let sound = "application/json"
        var type = numbers.one(of: [
            "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "text/json",
            "*/*",
            "application/json, text/plain", "application/vnd.api+json", "application/json+x", sound, "json", "a",
        ])
        if type == sound {
            repeat { type = numbers.edited(sound, "abcx/+-.,\"") } while type.lowercased() == sound
        } else {
            type += numbers.one(of: [
                "", ";charset=utf-8", "; x=application/json", ";application/json", ", application/json",
            ])
        }
        lines = ["Content-Type: \(type)"]
        expected = [415: "unsupported-media-type"]
        if Int.random(in: 0..<8, using: &numbers) == 0 {
            lines = numbers.shuffled(["Content-Type: \(sound)", "content-type: \(numbers.one(of: [sound, type]))"])
            expected = [400: "malformed-request"]
        }
    }

    /// Asks for a table by what is no table's name.
    mutating func askTable(_ numbers: inout SeededGenerator) {
        let sound = numbers.text(of: "abcxyz", 1...1) + numbers.text(of: "abcxyz019_", 0...30)
        let wrong = [
            "/", "../", "/../", "..\\", "\\", "?sysparm_limit=1", "?", "#", "%2f..", "%00", "%", "&x=y", ";x", " ",
            "\n",
            "\r\n", "\0", "\u{1}", "\u{7F}", "é", "\u{456}", "\u{301}", "\u{200B}", "\u{202E}", "\u{FF41}", "\u{1D41A}",
            ".", "-", "A", "'", "\"", ":", "@", "^", "*", "+", "=", ",", "\u{130}", "\u{212A}", "\u{660}",
        ]
        var table: String
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: table = numbers.text(of: "abcxyz", 1...1) + numbers.text(of: "abcxyz019_", 80...900)
        case 1: table = numbers.text(of: "0189_", 1...3) + sound
        case 2: table = sound.uppercased() + "X"
        default: table = numbers.inserted(numbers.one(of: wrong), into: sound)
        }
        if Int.random(in: 0..<3, using: &numbers) == 0 {
            target = "/tables/" + percentEncoded(table)
            expected = [400: "malformed-request", 404: "not-found", 422: "invalid-parameter"]
        } else {
            let values = ["5", "true", "[\"incident\"]", "{}", "{\"name\":\"incident\"}", "1.5", "null", "\"\""]
            let value = numbers.one(of: [
                numbers.json(table), numbers.json(table), numbers.json(table), numbers.one(of: values),
            ])
            (method, target, body) = ("POST", "/sessions", #"{"table":\#(value)}"#)
            expected = [422: "invalid-parameter"]
        }
    }

    /// Names another instance, or a member that there is not.
    mutating func askInstance(_ numbers: inout SeededGenerator) {
        let known = [
            "table", "instance", "query", "fields", "displayValue", "excludeReferenceLink", "view", "queryCategory",
            "queryNoDomain", "itemsPerPage", "stableOrder", "page", "readAhead", "idleTimeout", "publisherShouldFinish",
        ]
        let places = [
            "http://169.254.169.254/", "http://\(numbers.address(4))\(numbers.port())/", "//evil.example",
            "evil.example",
            "file:///etc/passwd", "https://evil.example@localhost", "http://\(numbers.longAddress())", "", "Default",
            "other",
            "default\0", " default", numbers.edited("default", visible + "\r\n"),
        ]
        let place = numbers.one(of: places)
        let names = [
            "url", "host", "baseUrl", "proxy", "Instance", "sysparm_query", "sysparm_limit", "__proto__", "uri", "",
        ]
        var name = numbers.one(
            of: names + [numbers.edited(numbers.one(of: known), "abcXYZ_- ."), numbers.text(of: visible, 1...9)])
        if known.contains(name) { name += "x" }
        expected = [422: "invalid-parameter"]
        if Int.random(in: 0..<3, using: &numbers) == 0 {
            // A NUL in an escape is no well-formed query.
            expected[400] = .some("malformed-request")
            let (first, second) = numbers.one(of: [("instance", place), (name, place), ("query=a&query", place)])
            target =
                "/tables/incident?" + (first.contains("=") ? first : percentEncoded(first)) + "="
                + percentEncoded(second)
        } else {
            let value = numbers.one(of: [
                numbers.json(place), "5", "true", "[]", "{}", #"{"url":\#(numbers.json(place))}"#,
            ])
            let other = numbers.one(of: [
                #""instance":\#(value)"#, #"\#(numbers.json(name)):\#(value)"#, #""table":"incident""#,
                #""instance":"default","instance":\#(numbers.json(place))"#,
            ])
            (method, target) = ("POST", "/sessions")
            body = "{\(numbers.shuffled([#""table":"incident""#, other]).joined(separator: ","))}"
        }
    }
}
