import Foundation
import Testing

/// What the fuzzer has found, and what it begins with, stays right.
@Suite("Fuzzing")
struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Corpus")

    @Test("Every property holds for every input of the corpus", arguments: FuzzTarget.allCases)
    func corpus(target: FuzzTarget) async throws {
        let folder = Self.folder.appendingPathComponent(target.rawValue)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names.count >= 5, "a corpus to begin with")
        for name in names {
            let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
            do {
                try await target.check(Array(bytes))
            } catch {
                Issue.record("\(target.rawValue)/\(name): \(error)")
            }
        }
    }

    // On a connection the half of a head is waited for.
    @Test(
        "Every property holds for what is made of the corpus by cutting and joining",
        arguments: FuzzTarget.allCases.filter { $0 != .serverConnection })
    func pieces(target: FuzzTarget) async throws {
        let folder = Self.folder.appendingPathComponent(target.rawValue)
        let inputs = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            Array(try Data(contentsOf: folder.appendingPathComponent($0)))
        }
        for (index, input) in inputs.enumerated() {
            let other = inputs[(index + 1) % inputs.count]
            for cut in [1, input.count / 2, input.count - 1] where cut >= 0 && cut <= input.count {
                do {
                    try await target.check(Array(input.prefix(cut)))
                    try await target.check(Array(input.prefix(cut) + other.suffix(cut)))
                } catch {
                    Issue.record("\(target.rawValue): \(error) for the first \(cut) bytes of input \(index)")
                }
            }
        }
    }
}
