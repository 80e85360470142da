import Foundation
import Testing

/// That no case of the list is without a test.
///
/// The list is what was seen of instances in public, in six groups: A counts and hidden rows, B order and drift, C bodies
/// that are no page, D statuses and retries, E links, URLs and cookies, F navigation. A test of a case has its number at
/// the beginning of its name or as an argument.
@Suite(.timeLimit(.minutes(10))) struct CoverageTests {
    private static let cases = [
        "A": [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 15, 16, 17, 19, 20, 21],
        "B": [1, 2, 3, 4, 5, 7, 8, 9, 10],
        "C": [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 16, 17],
        "D": [1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 14],
        "E": [1, 2, 3, 4, 5, 6, 7, 9, 11],
        "F": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 26],
    ]

    @Test("Every case of the list has a test, and every test's number is on the list")
    func complete() throws {
        let file = URL(fileURLWithPath: #filePath)
        let folder = file.deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var found: Set<String> = []
        for other in files where other.pathExtension == "swift" && other.lastPathComponent != file.lastPathComponent {
            for match in try String(contentsOf: other, encoding: .utf8).matches(of: /"([A-F][0-9]{1,2})[":]/) {
                found.insert(String(match.1))
            }
        }
        let listed = Set(Self.cases.flatMap { group, numbers in numbers.map { "\(group)\($0)" } })
        #expect(listed.count == 85)
        #expect(listed.subtracting(found).sorted() == [])
        #expect(found.subtracting(listed).sorted() == [])
    }
}
