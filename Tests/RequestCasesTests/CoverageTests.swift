import Foundation
import Testing

/// That no case of the list is without a test.
///
/// The list is of hostile and malformed requests, numbered with gaps. A test of a case has its number at the beginning of its
/// name.
@Suite(.timeLimit(.minutes(10))) struct CoverageTests {
    private static let cases: Set<Int> = [
        1, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 25, 27, 28, 29, 30, 31, 32, 33, 34, 35,
        36,
        38, 39, 40, 41, 42, 43, 44, 45, 46, 49, 50, 51, 53, 54, 55,
    ]

    @Test("Every case of the list has a test, and every test's number is on the list")
    func complete() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var found: Set<Int> = []
        for file in files where file.pathExtension == "swift" {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: /"([0-9]{1,2}):[ ]/) {
                found.insert(try #require(Int(match.1)))
            }
        }
        #expect(Self.cases.subtracting(found).sorted() == [])
        #expect(found.subtracting(Self.cases).sorted() == [])
    }
}
