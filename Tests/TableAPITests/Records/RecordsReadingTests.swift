import Pagination
import PaginatordTesting
import Testing

@testable import TableAPI

/// Readings of all records as values, against tables in memory.
struct RecordsReadingTests {
    @Test(
        "Every row comes exactly once and in order, whatever the keys, the window and what is hidden",
        arguments: KeySample.allCases)
    func wholeAndInOrder(sample: KeySample) {
        for seed in 0..<25 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let window = [1, 2, 3, 7, 20, 64, 200].randomElement(using: &random) ?? 1
            let concurrency = Int.random(in: 1...9, using: &random)
            var table = KeyedTable(sample.keys(Int.random(in: 1...700, using: &random), &random))
            let ratio = Double.random(in: 0..<1.1, using: &random)
            if Bool.random(using: &random) {
                table.hidden = Set(table.keys.filter { _ in Double.random(in: 0..<1, using: &random) < ratio })
            }
            var record = ReadingRecord()
            record.carryOut(
                RecordsReading(from: nil, itemsPerPage: window, concurrency: concurrency), on: &table, &random)
            #expect(record.error == nil)
            #expect(record.keys == table.visible, "seed \(seed)")
            #expect(record.mostUnderWay <= concurrency)
            #expect(record.stops.last.map { $0.resume == .afterKey(keyText(.max)) || $0.resume != .beginning } ?? true)
            if table.keys.count <= window - window / 64 { #expect(record.requests.count == 1) }
        }
    }

    /// The first page and three counts, which begin a reading, are among the ten.
    @Test(
        "Evenly spread keys cost at most 2.5 requests a page and ten, and with pages of 1,000 at most 1.25 a page and ten",
        arguments: [1, 2, 5, 10, 20, 50, 100, 1000])
    func uniformCost(window: Int) {
        var (requests, pages, crowded) = (0, 0, 0)
        for seed in 0..<3 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var table = KeyedTable(KeySample.uniform.keys(min(50_000, window * 100), &random))
            var record = ReadingRecord()
            record.carryOut(RecordsReading(from: nil, itemsPerPage: window, concurrency: 8), on: &table, &random)
            #expect(record.keys == table.keys)
            requests += record.requests.count
            pages += (table.keys.count + window - 1) / window
            crowded += record.requests.dropFirst(4).count { $0.window.countOnly }
        }
        #expect(Double(requests) <= (window == 1000 ? 1.25 : 2.5) * Double(pages) + 30, "\(requests) for \(pages)")
        #expect(crowded * 20 <= requests)
    }

    @Test(
        "Crowded keys cost at most 2.5 requests a page, 2 of them for rows, and 180, 60 of them for rows, for each crowd",
        arguments: [(KeySample.equalPrefixes, 1), (.dense, 1), (.clustered, 4), (.atTheEnds, 2)], [1, 4, 8])
    func crowdedCost(sample: (KeySample, crowds: Int), concurrency: Int) {
        for seed in 0..<2 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var table = KeyedTable(sample.0.keys(10_000, &random))
            var record = ReadingRecord()
            record.carryOut(
                RecordsReading(from: nil, itemsPerPage: 100, concurrency: concurrency), on: &table, &random)
            #expect(record.keys == table.keys)
            #expect(record.requests.count <= 250 + 180 * sample.crowds, "\(sample.0), seed \(seed)")
            let reads = record.requests.count { !$0.window.countOnly }
            #expect(reads <= 200 + 60 * sample.crowds, "\(sample.0), seed \(seed)")
        }
    }

    @Test(
        "A row that exists throughout comes exactly once while others come and go, and by offset it does not",
        arguments: KeySample.allCases.filter(\.isDivisible))
    func comingAndGoing(sample: KeySample) {
        for seed in 0..<8 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let window = [64, 100, 128].randomElement(using: &random) ?? 64
            let start = KeyedTable(sample.keys(2000, &random))
            let lasting = Set(start.keys.filter { _ in Bool.random(using: &random) })
            let change: (inout KeyedTable, inout SeededGenerator) -> Void = { table, random in
                for _ in 0..<10 {
                    // New keys crowd where the others do.
                    let near = table.keys.randomElement(using: &random).flatMap { keyBound($0) } ?? 0
                    table.insert(keyText(near ^ UInt128.random(in: 0...0xFFFF, using: &random)))
                    if let key = table.keys.randomElement(using: &random), !lasting.contains(key) { table.remove(key) }
                }
            }
            let seedOfScript = SeededGenerator(seed: seed &+ 1000)

            var (table, script, record) = (start, seedOfScript, ReadingRecord())
            record.carryOut(
                RecordsReading(from: nil, itemsPerPage: window, concurrency: 4), on: &table, &script, between: change)
            #expect(record.error == nil)
            #expect(Set(record.keys).count == record.keys.count, "repeated: seed \(seed)")
            #expect(lasting.subtracting(record.keys).isEmpty, "skipped: seed \(seed)")
            #expect(zip(record.keys, record.keys.dropFirst()).allSatisfy { KeyedTable.precedes($0, $1) })

            guard lasting.count > window else { continue }
            (table, script, record) = (start, seedOfScript, ReadingRecord())
            record.carryOut(
                RecordsReading(fromPage: 1, itemsPerPage: window, concurrency: 4), on: &table, &script, between: change)
            #expect(record.error == nil)
            #expect(
                !lasting.subtracting(record.keys).isEmpty || Set(record.keys).count < record.keys.count,
                "offsets did no harm: seed \(seed)")
        }
    }

    @Test(
        "From where a batch says to go on, exactly the rest comes",
        arguments: KeySample.allCases.filter(\.isDivisible), [false, true])
    func resuming(sample: KeySample, byOffset: Bool) {
        for seed in 0..<8 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let window = [1, 5, 20, 100].randomElement(using: &random) ?? 1
            var table = KeyedTable(sample.keys(400, &random))
            table.hidden = Set(table.keys.filter { _ in Double.random(in: 0..<1, using: &random) < 0.3 })
            let reading = { (start: RecordsStart) in RecordsReading(at: start, itemsPerPage: window, concurrency: 3) }
            var record = ReadingRecord()
            record.carryOut(reading(byOffset ? .page(1) : .beginning), on: &table, &random)
            #expect(record.keys == table.visible)
            for (count, resume) in record.stops.shuffled(using: &random).prefix(4) + record.stops.suffix(1) {
                var rest = ReadingRecord()
                rest.carryOut(reading(resume), on: &table, &random)
                #expect(rest.error == nil)
                #expect(rest.keys == Array(record.keys.dropFirst(count)), "seed \(seed), \(resume)")
            }
        }
    }

    @Test("What fails is told at its place, and from there exactly the rest comes", arguments: [false, true])
    func failing(byOffset: Bool) {
        var failures = 0
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var table = KeyedTable(KeySample.uniform.keys(1000, &random))
            let failing = Int.random(in: 0...60, using: &random)
            let reading = { (start: RecordsStart) in RecordsReading(at: start, itemsPerPage: 30, concurrency: 4) }
            var record = ReadingRecord()
            let start: RecordsStart = byOffset ? .page(1) : .beginning
            record.carryOut(reading(start), on: &table, &random, fails: { $0 == failing ? .timedOut(nil) : nil })
            guard let error = record.error else {
                #expect(record.keys == table.keys)
                continue
            }
            failures += 1
            #expect(error.problem == .timedOut(nil))
            var rest = ReadingRecord()
            rest.carryOut(reading(error.resume), on: &table, &random)
            #expect(record.keys + rest.keys == table.keys, "seed \(seed)")
        }
        // By key only the counts and what fails for good end a reading.
        #expect(failures >= (byOffset ? 15 : 2))
    }

    @Test("A failure that a smaller window cannot mend ends the reading by key where it stands")
    func failingForGood() {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var table = KeyedTable(KeySample.uniform.keys(1000, &random))
            let failing = Int.random(in: 4...40, using: &random)
            var record = ReadingRecord()
            let problem = PageSourceError.unavailable(nil, retryAfter: 7)
            record.carryOut(
                RecordsReading(from: nil, itemsPerPage: 30, concurrency: 4), on: &table, &random,
                fails: { $0 >= failing ? problem : nil })
            #expect(record.error?.problem == problem)
            #expect(record.keys == Array(table.keys.prefix(record.keys.count)))
            var rest = ReadingRecord()
            rest.carryOut(
                RecordsReading(at: record.error?.resume ?? .beginning, itemsPerPage: 30, concurrency: 4), on: &table,
                &random)
            #expect(record.keys + rest.keys == table.keys, "seed \(seed)")
        }
    }

    @Test("Windows that do not come whole are divided by key", arguments: [25, 13, 60])
    func tooLarge(largest: Int) {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var table = KeyedTable(KeySample.uniform.keys(3000, &random))
            table.largestAnswer = largest
            var record = ReadingRecord()
            record.carryOut(RecordsReading(from: nil, itemsPerPage: 100, concurrency: 4), on: &table, &random)
            #expect(record.error == nil && record.keys == table.keys)
            #expect(record.requests.allSatisfy { $0.window.offset == 0 })
            // It learns from the first few.
            #expect(record.requests.count <= 3 * 3000 / (largest / 2))
        }
    }

    @Test("An instance that counts now and then only, or never, loses nothing", arguments: [0, 2, 3, 10, 1000])
    func uncounted(every: Int) {
        for (seed, sample) in zip(0... as PartialRangeFrom<UInt64>, KeySample.allCases) {
            var random = SeededGenerator(seed: seed)
            var table = KeyedTable(sample.keys(700, &random))
            table.counts = { every > 0 && $0 % every != 0 }
            var record = ReadingRecord()
            record.carryOut(RecordsReading(from: nil, itemsPerPage: 20, concurrency: 4), on: &table, &random)
            #expect(record.error == nil && record.keys == table.visible, "\(sample)")
            if every == 0 { #expect(record.requests.allSatisfy { $0.part == nil }) }
        }
    }

    @Test(
        "Where conditions on keys do not divide the query, it is read by offset",
        arguments: KeyedTable.Conditions.allCases)
    func conditions(conditions: KeyedTable.Conditions) {
        var random = SeededGenerator(seed: 1)
        var table = KeyedTable(KeySample.uniform.keys(700, &random))
        table.conditions = conditions
        var record = ReadingRecord()
        record.carryOut(RecordsReading(from: nil, itemsPerPage: 20, concurrency: 4), on: &table, &random)
        #expect(record.error == nil && record.keys == table.keys)
        #expect(record.requests.contains { $0.window.offset > 0 } == (conditions != .heeded))

        var resumed = ReadingRecord()
        let start = RecordsStart.afterKey(table.keys[99])
        resumed.carryOut(RecordsReading(at: start, itemsPerPage: 20, concurrency: 4), on: &table, &random)
        #expect(resumed.keys == (conditions == .heeded ? Array(table.keys.dropFirst(100)) : []))
        #expect(resumed.error?.resume == (conditions == .heeded ? nil : start))
    }

    @Test("A branch that the instance drops unless it has a condition on keys is noticed, even among changes")
    func strays() {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var table = KeyedTable(KeySample.uniform.keys(700, &random))
            let start = table.keys
            var changes = 0
            table.strays = KeySample.uniform.keys(300, &random)
            var record = ReadingRecord()
            record.carryOut(
                RecordsReading(from: nil, itemsPerPage: 20, concurrency: 4), on: &table, &random,
                between: { table, random in
                    changes += 1
                    if changes < 11 { table.insert(keyText(.random(in: 0 ... .max, using: &random))) }
                })
            #expect(record.error == nil && Set(start).isSubset(of: record.keys))
            #expect(Set(table.strays).isDisjoint(with: record.keys))
        }
    }

    @Test(
        "By offset the end is where the latest count puts it, and nothing is asked far behind", arguments: [-3, 0, 3])
    func drifting(change: Int) {
        for seed in 0..<8 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var table = KeyedTable((0..<500).map { keyText(UInt128($0)) })
            var record = ReadingRecord()
            var next = UInt128(1_000_000)
            record.carryOut(
                RecordsReading(fromPage: nil, itemsPerPage: 20, concurrency: 5), on: &table, &random,
                between: { table, _ in
                    // At the end, so that no row moves to another page.
                    for _ in 0..<abs(change) {
                        if change > 0 {
                            next += 1
                            if table.keys.count < 700 { table.insert(keyText(next)) }
                        } else if let last = table.keys.last, table.keys.count > 300 {
                            table.remove(last)
                        }
                    }
                })
            #expect(record.error == nil)
            #expect(record.keys.starts(with: table.keys.prefix(change < 0 ? 300 : 500)))
            #expect(change != 0 || record.keys == table.keys)
            #expect(record.requests.map(\.window.offset) == (0..<record.requests.count).map { $0 * 20 })
            if change == 0 { #expect(record.requests.count == 25) }
            #expect(record.stops.last?.resume == .page(record.stops.count + 1))
        }
    }

    @Test("A reading from a page behind the end is empty")
    func behindTheEnd() {
        var random = SeededGenerator(seed: 1)
        var table = KeyedTable(KeySample.uniform.keys(50, &random))
        var record = ReadingRecord()
        record.carryOut(RecordsReading(at: .page(9), itemsPerPage: 10, concurrency: 4), on: &table, &random)
        #expect(record.error == nil && record.keys.isEmpty && record.requests.count == 1)
    }
}

extension RecordsReadingTests {
    /// As an instance that miscounts might. Nothing is to be expected of such a reading but that it goes on.
    @Test(
        "Counts that add up to more than a number can hold do not end the process", arguments: 0..<40 as Range<UInt64>)
    func absurdCounts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let largest = Int.max
        var ranges = KeyRanges(from: nil, estimate: largest, window: KeyWindow(limit: 10), concurrency: 4)
        var underWay: [RecordsRequest] = []
        for _ in 0..<2000 {
            while let request = ranges.nextRequest() { underWay.append(request) }
            guard !underWay.isEmpty else { break }
            let request = underWay.remove(at: Int.random(in: underWay.indices, using: &random))
            let total = [
                0, 5, largest, largest - .random(in: 0...20, using: &random), .random(in: 0...largest, using: &random),
            ]
            .randomElement(using: &random)
            ranges.complete(request.ticket, .success(PageAnswer(rows: Rows(), total: total)))
            while (try? ranges.nextRows()) ?? nil != nil {}
        }
        #expect(!ranges.isFinished || underWay.isEmpty)
    }
}
