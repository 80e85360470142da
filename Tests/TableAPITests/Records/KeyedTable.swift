import Pagination
import PaginatordTesting

@testable import TableAPI

/// A table in memory that is asked by key, and of which rows may come, go and be hidden.
struct KeyedTable {
    /// What it makes of conditions on `sys_id`.
    enum Conditions: CaseIterable {
        case heeded, dropped, unanswered, refused
    }

    /// All keys, in order.
    private(set) var keys: [String]
    var hidden: Set<String> = []
    var conditions = Conditions.heeded
    /// Rows that are shown in spite of the query as soon as there is a condition on `sys_id`.
    var strays: [String] = []
    /// An answer of more rows does not come whole.
    var largestAnswer = Int.max
    /// Which answers have a count, by how many came before.
    var counts: (Int) -> Bool = { _ in true }
    private var answered = 0

    init(_ keys: some Sequence<String>) {
        self.keys = Set(keys).sorted(by: Self.precedes)
    }

    var visible: [String] { keys.filter { !hidden.contains($0) } }

    mutating func insert(_ key: String) {
        let index = lowerBound(key)
        if index == keys.endIndex || keys[index] != key { keys.insert(key, at: index) }
    }

    mutating func remove(_ key: String) {
        let index = lowerBound(key)
        if index < keys.endIndex, keys[index] == key { keys.remove(at: index) }
    }

    mutating func answer(_ request: RecordsRequest) -> Result<PageAnswer, PageSourceError> {
        answered += 1
        var range = keys[...]
        if let part = request.part {
            switch conditions {
            case .heeded: range = keys(of: part)
            case .dropped: break
            case .unanswered: range = []
            case .refused: return .failure(.forbidden(.init(status: 403)))
            }
            if !strays.isEmpty { range = Self(Array(range) + Self(strays).keys(of: part)).keys[...] }
        }
        let total = counts(answered) ? range.count : nil
        if request.window.countOnly { return .success(PageAnswer(texts: [], total: total)) }
        let window = range.dropFirst(request.window.offset).prefix(request.window.limit)
        let texts = window.filter { !hidden.contains($0) }.map { #"{"sys_id":"\#($0)"}"# }
        guard texts.count <= largestAnswer else {
            return .failure(.incomplete(.init(status: 200), reason: "cut"))
        }
        return .success(PageAnswer(texts: texts, total: total))
    }

    private func keys(of part: KeyedQuery.Part) -> ArraySlice<String> {
        let (lower, upper): (String?, String?) =
            switch part {
            case .belowNumbers: (nil, "0")
            case .amongNumbers: ("0", "g")
            case .aboveNumbers: ("g", nil)
            case .range(let range): (range.lower.map { keyText($0) }, range.upper.map { keyText($0) })
            }
        let start = lower.map { lowerBound($0) } ?? keys.startIndex
        return keys[start..<max(start, upper.map { lowerBound($0) } ?? keys.endIndex)]
    }

    private func lowerBound(_ key: String) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(keys[middle], key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

/// Which keys a table has.
enum KeySample: String, CaseIterable {
    case empty, one, uniform, clustered, equalPrefixes, dense, atTheEnds, fewOthers, upperCase, othersBetween,
        othersBehind

    /// Whether each range of more than one key can be divided, so that rows that come and go do no harm.
    var isDivisible: Bool {
        switch self {
        case .othersBetween, .othersBehind, .upperCase: false
        default: true
        }
    }

    func keys(_ count: Int, _ random: inout some RandomNumberGenerator) -> [String] {
        switch self {
        case .empty: []
        case .one: [keyText(.random(in: 0 ... .max, using: &random))]
        case .uniform: (0..<count).map { _ in keyText(.random(in: 0 ... .max, using: &random)) }
        case .clustered: (0..<4).flatMap { _ in Self.cluster(of: count / 4, bits: 60, &random) }
        case .equalPrefixes: Self.cluster(of: count, bits: 28, &random)
        case .dense: (0..<count).map { keyText(0xABCD << 100 + UInt128($0)) }
        case .atTheEnds: (0..<count / 2).flatMap { [keyText(UInt128($0)), keyText(.max - UInt128($0))] }
        case .fewOthers:
            Self.uniform.keys(count, &random) + ["global", "\u{21}first", "zzzz", "abc", "9", "0123456789abcdeF"]
        case .upperCase: Self.uniform.keys(count, &random).map { $0.uppercased() }
        case .othersBetween:
            Self.uniform.keys(count, &random) + (0..<count).map { String(repeating: "f", count: 31) + "e\($0)" }
                + (0..<count).map { "0123456789abcdef0123456789abcdefx\($0)" }
        case .othersBehind: Self.uniform.keys(count, &random) + (0..<count).map { "user\($0)" }
        }
    }

    private static func cluster(of count: Int, bits: Int, _ random: inout some RandomNumberGenerator) -> [String] {
        let mask = (UInt128(1) << UInt128(bits)) - 1
        let start = UInt128.random(in: 0 ... .max, using: &random) & ~mask
        return (0..<count).map { _ in keyText(start | .random(in: 0...mask, using: &random)) }
    }
}

/// What a reading has delivered and asked for.
struct ReadingRecord {
    var keys: [String] = []
    /// Behind how many keys each batch ended, and where to go on from there.
    var stops: [(count: Int, resume: RecordsStart)] = []
    var requests: [RecordsRequest] = []
    var error: RecordsError?
    var mostUnderWay = 0

    /// Carries a reading out. Answers come in any order, and are from the moment at which they come.
    ///
    /// - Parameters:
    ///   - eagerness: how likely a batch that is there is received before the next answer comes.
    ///   - shortness: how likely memory is short when something could be asked for.
    ///   - fails: whether a request fails, by how many were made before.
    ///   - between: happens to the table between two answers.
    mutating func carryOut(
        _ reading: RecordsReading, on table: inout KeyedTable, _ random: inout SeededGenerator, eagerness: Double = 0.8,
        shortness: Double = 0,
        fails: (Int) -> PageSourceError? = { _ in nil },
        between: (inout KeyedTable, inout SeededGenerator) -> Void = { _, _ in }
    ) {
        var reading = reading
        var underWay: [(request: RecordsRequest, failure: PageSourceError?)] = []
        do throws(RecordsError) {
            while !reading.isFinished {
                if shortness > 0 { reading.narrow(Double.random(in: 0..<1, using: &random) < shortness) }
                while let request = reading.nextRequest() {
                    underWay.append((request, fails(requests.count)))
                    requests.append(request)
                }
                mostUnderWay = max(mostUnderWay, underWay.count)
                if Double.random(in: 0..<1, using: &random) < eagerness || underWay.isEmpty {
                    if let batch = try reading.nextBatch() {
                        keys += batch.rows.texts.map { String($0.dropFirst(11).dropLast(2)) }
                        stops.append((keys.count, batch.resume))
                        continue
                    }
                    if reading.isFinished { break }
                }
                guard !underWay.isEmpty else {
                    if let request = reading.nextRequest() {
                        underWay.append((request, fails(requests.count)))
                        requests.append(request)
                        continue
                    }
                    throw RecordsError(problem: .failed(nil, reason: "stuck"), resume: reading.resume)
                }
                let (request, failure) = underWay.remove(at: Int.random(in: underWay.indices, using: &random))
                let answer = table.answer(request)
                reading.complete(request.ticket, failure.map { .failure($0) } ?? answer)
                between(&table, &random)
            }
        } catch {
            self.error = error
        }
    }
}

extension RecordsReading {
    /// The reading that begins there.
    init(at start: RecordsStart, itemsPerPage: Int, concurrency: Int) {
        switch start {
        case .beginning: self.init(from: nil, itemsPerPage: itemsPerPage, concurrency: concurrency)
        case .page(let page): self.init(fromPage: page, itemsPerPage: itemsPerPage, concurrency: concurrency)
        case .afterKey(let key):
            let bound = keyBound(key) ?? .max
            self =
                bound == .max
                ? .ofNothing : RecordsReading(from: bound + 1, itemsPerPage: itemsPerPage, concurrency: concurrency)
        }
    }
}
