/// Finds what somebody probably meant to write.
enum Spelling {
    /// The candidate that is one slip away: a letter too many, too few, another or swapped, or only other letter case.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let candidates = candidates.sorted()
        return candidates.first { $0.lowercased() == word.lowercased() }
            ?? candidates.first { isOneSlip(Array(word.lowercased()), Array($0.lowercased())) }
    }

    /// As `; did you mean itemsPerPage?`, or nothing.
    static func suggestion(for word: String, among candidates: some Sequence<String>) -> String {
        nearest(to: word, among: candidates).map { "; did you mean \($0)?" } ?? ""
    }

    private static func isOneSlip(_ left: [Character], _ right: [Character]) -> Bool {
        guard abs(left.count - right.count) <= 1, max(left.count, right.count) > 2 else { return false }
        let start = zip(left, right).prefix { $0 == $1 }.count
        let leftRest = left[start...]
        let rightRest = right[start...]
        if leftRest.count != rightRest.count {
            return leftRest.count < rightRest.count
                ? leftRest.elementsEqual(rightRest.dropFirst()) : rightRest.elementsEqual(leftRest.dropFirst())
        }
        if leftRest.dropFirst().elementsEqual(rightRest.dropFirst()) { return true }
        return leftRest.count >= 2 && leftRest.prefix(2).reversed().elementsEqual(rightRest.prefix(2))
            && leftRest.dropFirst(2).elementsEqual(rightRest.dropFirst(2))
    }
}
