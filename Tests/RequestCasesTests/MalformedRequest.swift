import PaginatordTesting

/// Requests that are wrong in one way, each time elsewhere and otherwise.
struct MalformedRequest {
    /// The way in which a request is wrong.
    enum Kind: CaseIterable, Sendable {
        // What can be read in two ways, or not at all.
        case controlInValue, blankBeforeColon, foldedLine, bareLineFeed, falseEnd, nulInHead, wrongName,
            repeatedHost, repeatedLength
        case lengthAndChunks, wrongLength, wrongCoding, wrongVersion, wrongMethod, wrongRequestLine, tooManyFields,
            tooLarge
        // What can be read, and is not ours.
        case otherPath, wrongTarget, wrongHost, wrongRoute
        // What has no end, or a wrong one.
        case cutHead, cutBody, wrongChunks
        // Anything.
        case mutated
    }

    /// What may become of it.
    enum Fate {
        /// The server refuses it and ends the connection; no responder sees it.
        case unseen
        /// The service refuses it.
        case refused
        /// It is not answered but by a refusal, or not at all.
        case unanswered
        /// Its end does not come, and so no answer either.
        case cut
        /// It may be sound by chance.
        case any
    }

    /// What is sent.
    var bytes: [UInt8]
    /// What may become of it.
    var fate: Fate

    /// Makes the request of a kind that these numbers lead to.
    ///
    /// - Parameter target: of a sound request, whose method is `POST`.
    init(_ kind: Kind, target: String, using numbers: inout SeededGenerator) {
        var draft = Draft(target: target)
        fate = .unseen
        switch kind {
        case .controlInValue:
            let controls: [UInt8] = Array(0x01...0x08) + Array(0x0B...0x1F) + [0x7F]
            draft.change(&numbers) { $0.insert(controls.randomElement(using: &$2) ?? 0x7F, at: $1) }
        case .blankBeforeColon:
            draft.names(&numbers) { $0 + ([[0x20], [0x09], [0x20, 0x20]].randomElement(using: &$1) ?? [0x20]) }
        case .foldedLine:
            let folds = ["\r\n x", "\r\n\tx: y", "\r\n ", "\r\n\t\t", "\r\n  t\r\n t", "\r\n Host: evil.example"]
            draft.change(&numbers) {
                $0.insert(contentsOf: Array((folds.randomElement(using: &$2) ?? "").utf8), at: $1)
            }
        case .bareLineFeed: draft.bareLineFeeds(&numbers)
        case .falseEnd: draft.falseEnd(&numbers)
        case .nulInHead: draft.change(&numbers) { line, place, _ in line.insert(0, at: place) }
        case .wrongName:
            let wrong = Array("\"(),/:;<=>?@[\\]{} \u{7F}é\u{1}".utf8).filter { $0 != 0x3A }
            draft.names(&numbers) { name, numbers in
                var name = name
                name.insert(
                    wrong.randomElement(using: &numbers) ?? 0x28, at: Int.random(in: 0...name.count, using: &numbers))
                return name
            }
        // A blank in front folds the line into the one before.
        case .repeatedHost:
            draft.add(["Host", "host", "HOST", "hOsT"], ["evil.example", "localhost", "", "127.0.0.1"], &numbers)
        case .repeatedLength:
            draft.add(["Content-Length", "content-length"], ["0", "5", "00", "9", "+5", ""], &numbers)
        case .lengthAndChunks: draft.add(["Transfer-Encoding", "TRANSFER-ENCODING"], ["chunked", "Chunked"], &numbers)
        case .wrongLength:
            let digits = Array("0123456789+-., x\t")
            var length = ""
            for _ in 0..<Int.random(in: 0...8, using: &numbers) {
                length.append(digits.randomElement(using: &numbers) ?? "x")
            }
            let trimmed = length.drop { $0 == " " || $0 == "\t" }
            if !trimmed.isEmpty, trimmed.allSatisfy(\.isNumber) { length += "x" }
            draft.lines[draft.lines.count - 1] = Array("Content-Length: \(length)".utf8)
            fate = .unanswered
        case .wrongCoding:
            let codings = [
                "gzip", "chunked, gzip", "gzip, chunked", "xchunked", "chunkedx", "chunked;q=1", "", ",", "chunked,",
            ]
            let coding = codings.randomElement(using: &numbers) ?? ""
            draft.lines[draft.lines.count - 1] = Array("Transfer-Encoding: \(coding)".utf8)
        case .wrongVersion:
            let versions = [
                "HTTP/1.2", "HTTP/1.9", "HTTP/2.0", "HTTP/0.9", "HTTP/1.10", "http/1.1", "HTTP/1.1 ", "HTTP/11", "H",
                "",
            ]
            draft.version = Array((versions.randomElement(using: &numbers) ?? "").utf8)
            fate = .unanswered
        case .wrongMethod:
            let wrong = Array("\"(),/:;<=>?@[\\]{}\t\u{7F}é".utf8)
            draft.method.insert(
                wrong.randomElement(using: &numbers) ?? 0x28,
                at: Int.random(in: 0...draft.method.count, using: &numbers))
            fate = .unanswered
        case .wrongRequestLine:
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: draft.method += [UInt8](repeating: 0x20, count: Int.random(in: 1...9, using: &numbers))
            case 1: draft.target.insert(0, at: Int.random(in: 0...draft.target.count, using: &numbers))
            case 2: draft.method = []
            default: draft.method.insert(0x20, at: 0)
            }
            fate = .unanswered
        case .tooManyFields:
            let count = Int.random(in: 101...300, using: &numbers)
            draft.lines.insert(contentsOf: (0..<count).map { Array("X-\($0): y".utf8) }, at: 1)
        case .tooLarge:
            let count = Int.random(in: 33_000...60_000, using: &numbers)
            let filler = [UInt8](repeating: 0x78, count: count)
            if Bool.random(using: &numbers) {
                draft.target += filler
            } else {
                draft.lines.insert(Array("X: ".utf8) + filler, at: 1)
            }
            fate = .unanswered
        case .otherPath:
            let parts = ["%2f", "%2F", "%5c", "%5C", "%2e", "%2E", "/../", "/./", "/..", "/.", "\\", "%00"]
            let part = Array((parts.randomElement(using: &numbers) ?? "").utf8)
            let place = part.last == 0x2E ? draft.target.count : Int.random(in: 1...draft.target.count, using: &numbers)
            draft.target.insert(contentsOf: part, at: place)
            fate = .refused
        case .wrongTarget:
            let wrong =
                Array("\u{1}\u{1F}\u{7F}é#\t".utf8).map { [$0] }
                + ["%", "%g", "%1", "%zz", "%0g"].map { Array($0.utf8) }
            draft.target += wrong.randomElement(using: &numbers) ?? []
            fate = .refused
        case .wrongHost:
            let hosts = [
                "", "evil.example", "localhost.evil.example", "local host", "localhost:99999", "localhost:x",
                "user@localhost",
                "localhost/", "127.0.0.1.nip.io", "2130706433", "0x7f.0.0.1", "[::1", "::1", "[::g]",
                "localhost,evil.example",
                "é", "..", "localhost..", "-", "127.0.0.256", "localhost:80:80", "http://localhost", "*",
            ]
            let host = hosts.randomElement(using: &numbers) ?? ""
            if Bool.random(using: &numbers), !host.isEmpty {
                draft.target = Array("http://\(host)".utf8) + draft.target
            } else {
                draft.lines[0] = Array("Host: \(host)".utf8)
            }
            fate = .refused
        case .wrongRoute:
            let places = draft.target.indices.dropFirst().filter { draft.target[$0] == 0x2F }
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: draft.target.insert(0x2F, at: places.randomElement(using: &numbers) ?? 0)
            case 1:
                draft.target += [[0x2F], Array(";x".utf8), Array("/x".utf8)].randomElement(using: &numbers) ?? [0x2F]
            case 2:
                let place = Int.random(in: (places.last ?? 0) + 1..<draft.target.count, using: &numbers)
                draft.target.replaceSubrange(
                    place...place, with: Array("%\(String(draft.target[place], radix: 16))".utf8))
            default:
                let place = Int.random(in: (places.last ?? 0) + 1..<draft.target.count, using: &numbers)
                draft.target[place] ^= 0x20
            }
            fate = .refused
        case .cutHead, .cutBody, .wrongChunks, .mutated: break
        }
        // So that nothing has to wait for the next request.
        if case .refused = fate { draft.lines.insert(Array("Connection: close".utf8), at: 1) }
        bytes = draft.bytes
        switch kind {
        case .cutHead:
            bytes.removeLast(Int.random(in: 5..<bytes.count, using: &numbers))
            fate = .cut
        case .cutBody:
            draft.lines[draft.lines.count - 1] = Array("Content-Length: 1000".utf8)
            let count = Int.random(in: 0..<1000, using: &numbers)
            bytes = draft.bytes + [UInt8](repeating: 0x47, count: count)
            fate = .cut
        case .wrongChunks:
            draft.lines[draft.lines.count - 1] = Array("Transfer-Encoding: chunked".utf8)
            let alphabet = [
                "0", "5", "a", "\r\n", "\n", "\r", ";", "x", " ", "G", "\0", "-", "ffffffffffffffff", "0\r\n", ":",
            ]
            let pieces = (0..<Int.random(in: 0...12, using: &numbers)).map { _ in
                alphabet.randomElement(using: &numbers) ?? ""
            }
            bytes = draft.bytes + Array(pieces.joined().utf8)
            fate = .any
        case .mutated:
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
                }
            }
            fate = .any
        default: break
        }
    }
}

/// A request in its parts.
private struct Draft {
    var method = Array("POST".utf8)
    var target: [UInt8]
    var version = Array("HTTP/1.1".utf8)
    /// The first names the host, the last the length.
    var lines = [
        "Host: localhost", "User-Agent: generator/1.0 (x; y)", "Accept: */*", "X-Empty:", "X-Any: a value, and more",
        "Content-Length: 0",
    ].map { Array($0.utf8) }
    /// The end of each line, the request line's first and the empty line's last.
    var ends: [[UInt8]] = []

    init(target: String) {
        self.target = Array(target.utf8)
    }

    var bytes: [UInt8] {
        var bytes = method + [0x20] + target + [0x20] + version
        for (index, line) in ([[]] + lines + [[]]).enumerated() {
            bytes += line
            bytes += index < ends.count ? ends[index] : [0x0D, 0x0A]
        }
        return bytes
    }

    /// Changes the value of a line at some place of it.
    mutating func change(_ numbers: inout SeededGenerator, _ body: (inout [UInt8], Int, inout SeededGenerator) -> Void)
    {
        let index = Int.random(in: 0..<lines.count, using: &numbers)
        let start = (lines[index].firstIndex(of: 0x3A) ?? 0) + 1
        let place = Int.random(in: start...lines[index].count, using: &numbers)
        body(&lines[index], place, &numbers)
    }

    /// Changes the name of a line.
    mutating func names(_ numbers: inout SeededGenerator, _ body: ([UInt8], inout SeededGenerator) -> [UInt8]) {
        let index = Int.random(in: 0..<lines.count, using: &numbers)
        let colon = lines[index].firstIndex(of: 0x3A) ?? 0
        lines[index] = body(Array(lines[index][..<colon]), &numbers) + lines[index][colon...]
    }

    /// Puts a line somewhere among the others.
    mutating func add(_ names: [String], _ values: [String], _ numbers: inout SeededGenerator) {
        let line = "\(names.randomElement(using: &numbers) ?? ""): \(values.randomElement(using: &numbers) ?? "")"
        lines.insert(Array(line.utf8), at: Int.random(in: 0...lines.count, using: &numbers))
    }

    /// Takes the carriage return from some of the lines' ends, at least one.
    mutating func bareLineFeeds(_ numbers: inout SeededGenerator) {
        ends = (0..<lines.count + 2).map { _ in Int.random(in: 0..<4, using: &numbers) == 0 ? [0x0A] : [0x0D, 0x0A] }
        ends[Int.random(in: 0..<ends.count, using: &numbers)] = [0x0A]
    }

    /// Puts something among the lines' ends that libmicrohttpd takes for one, or for the last one.
    mutating func falseEnd(_ numbers: inout SeededGenerator) {
        ends = [[UInt8]](repeating: [0x0D, 0x0A], count: lines.count + 2)
        let place = Int.random(in: 0..<ends.count, using: &numbers)
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: ends[place] = [0x00, 0x0A]
        case 1: ends[place] = [0x0A, 0x00]
        case 2:
            ends[place] = [0x0A]
            lines.insert([0x3A], at: min(place, lines.count))
        default:
            lines.insert([0x3A], at: min(place, lines.count))
            ends.insert([0x0A], at: min(place, lines.count - 1) + 1)
        }
    }
}
