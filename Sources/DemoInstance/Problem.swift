internal import SQLite

/// A problem: what several incidents have as their cause.
struct Problem: Sendable {
    /// Its number, such as `PRB0040001`.
    var number: String
    /// What is wrong, in one line.
    var shortDescription: String
    /// More about it; may be empty.
    var description: String
    /// What causes it, as HTML; may be empty.
    var cause: String
    /// What to do until it is solved; may be empty.
    var workaround: String
    /// How far it is: a key of `states`.
    var state: Int
    /// How many are affected: 1 for many to 3 for few.
    var impact: Int
    /// How soon it matters: 1 for at once to 3 for some time.
    var urgency: Int
    /// Whether the cause is known and the problem remains.
    var isKnownError: Bool
    /// Who works on it.
    var people: TaskPeople
    /// The row of the change that solves it.
    var change: Int?
    /// When it was opened, in seconds since 1970.
    var openedAt: Int
    /// When it was solved.
    var resolvedAt: Int?
    /// When it was closed.
    var closedAt: Int?
    /// How many incidents it is said to cause.
    var relatedIncidents: Int
    /// The journal, as one text; may be empty.
    var notes: String
    /// The record's own history.
    var history: Bookkeeping

    private init(row: Int, random: inout RandomSource) {
        number = "PRB\(String(40000 + row).leftPadded(to: 7))"
        let subject = random.pick(DemoTexts.subjects)
        shortDescription = DemoTexts.filled(random.pick(DemoTexts.complaints), with: subject)
        description = (0..<random.below(5)).map { _ in random.pick(DemoTexts.sentences) }.joined(separator: "\n")
        state = random.pick([101, 102, 103, 103, 104, 106, 107, 107])
        cause = state > 103 ? "<p dir=\"auto\">\(random.pick(DemoTexts.sentences))</p>" : ""
        workaround = random.chance(40) ? random.pick(DemoTexts.solutions) : ""
        impact = random.pick([1, 2, 2, 3])
        urgency = random.pick([1, 2, 3, 3])
        isKnownError = state > 103 && random.chance(40)
        people = TaskPeople(&random)
        change = random.chance(30) ? 1 + random.below(DemoSizes.changes) : nil
        openedAt = 1_704_067_200 + random.below(60_000_000)
        resolvedAt = state >= 106 ? openedAt + 3600 + random.below(2_000_000) : nil
        closedAt = state == 107 ? resolvedAt.map { $0 + random.below(900_000) } : nil
        relatedIncidents = random.below(40)
        history = Bookkeeping(
            createdOn: openedAt, updatedOn: closedAt ?? resolvedAt ?? openedAt + random.below(80000), random: &random)
        notes = Journal.text(entries: random.below(16), until: history.updatedOn, &random)
    }

    /// The table `problem`, which extends `task`.
    static let table = TableDefinition<Problem>(
        name: "problem", displayField: "number", indexes: [["number"], ["state"]],
        record: { row, random in Problem(row: row, random: &random) },
        fields: [
            .sysID, .string("number") { $0.number },
            .constant("sys_class_name", .choice(["problem": "Problem"]), .text("problem")),
            .constant("sys_domain", .foreignReference("sys_user_group"), .text("global")),
            .boolean("active") { $0.state < 106 }, .integer("state", .integerChoice(states)) { $0.state },
            .integer("problem_state", .integerChoice(states)) { $0.state },
            .integer("impact", .integerChoice(TaskPeople.levels)) { $0.impact },
            .integer("urgency", .integerChoice(TaskPeople.levels)) { $0.urgency },
            .integer("priority", .integerChoice(TaskPeople.priorities)) { $0.impact + $0.urgency - 1 },
            .boolean("known_error") { $0.isKnownError },
        ] + TaskPeople.fields { $0.people } + [
            .integer("rfc", .reference("change_request")) { $0.change },
            .integer("opened_at", .dateTime) { $0.openedAt }, .integer("resolved_at", .dateTime) { $0.resolvedAt },
            .integer("closed_at", .dateTime) { $0.closedAt },
            .integer("related_incidents") { $0.relatedIncidents },
            .string("short_description") { $0.shortDescription }, .string("description") { $0.description },
            .string("cause_notes") { $0.cause }, .string("workaround") { $0.workaround },
            .string("comments_and_work_notes") { $0.notes },
        ] + Bookkeeping.fields { $0.history }
            + DefinedField.empty(
                "category", "subcategory", "close_notes", "comments", "correlation_id", "due_date", "fix_notes",
                "fix_communicated_at", "resolution_code", "work_notes", "workaround_communicated_at")
            + DefinedField.empty("duplicate_of", type: .reference("problem"))
            + DefinedField.empty("first_reported_by_task", type: .reference("incident")))

    private static let states: [Int64: String] = [
        101: "New", 102: "Assess", 103: "Root Cause Analysis", 104: "Fix in Progress", 106: "Resolved", 107: "Closed",
    ]
}
