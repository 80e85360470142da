/// Journals: the notes of a task as one text, the newest entry first, as instances show them.
enum Journal {
    /// Writes a journal of that many entries, the newest at a moment, the others up to two days apart.
    static func text(entries: Int, until newest: Int, _ random: inout RandomSource) -> String {
        var text = ""
        var moment = newest
        for _ in 0..<entries {
            let author = random.pick(DemoTexts.givenNames)
            let kind = random.chance(70) ? "Work notes" : "Additional comments"
            text += "\(DateText.text(Int64(moment))) - \(author) (\(kind))\n"
            for _ in 0...random.below(4) { text += random.pick(DemoTexts.sentences) + " " }
            text += "\n\n"
            moment -= random.below(172_800)
        }
        return text
    }
}
