internal import SQLite

/// An incident.
struct Incident: Sendable {
    /// Its number, such as `INC0010001`.
    var number: String
    /// What is wrong, in one line.
    var shortDescription: String
    /// More about it; may be empty.
    var description: String
    /// How far it is: a key of `states`.
    var state: Int
    /// How many are affected: 1 for many to 3 for few.
    var impact: Int
    /// How soon it matters: 1 for at once to 3 for some time.
    var urgency: Int
    /// What it is about: a key of `categoryLabels`.
    var category: String
    /// What it is about more closely; may be empty.
    var subcategory: String
    /// How it came in; may be empty.
    var contactType: String
    /// The row of the user who has it.
    var caller: Int
    /// The row of the user who entered it.
    var openedBy: Int
    /// The row of the group that works on it.
    var assignmentGroup: Int?
    /// The row of the user who works on it.
    var assignedTo: Int?
    /// The row of the user who solved it.
    var resolvedBy: Int?
    /// The row of the user who closed it.
    var closedBy: Int?
    /// The row of the place where it is.
    var location: Int?
    /// The row of the company that has it.
    var company: Int?
    /// The row of the server that it is about.
    var item: Int?
    /// The row of the problem that causes it.
    var problem: Int?
    /// The row of the change that is to solve it.
    var change: Int?
    /// When it was opened, in seconds since 1970.
    var openedAt: Int
    /// When it was solved.
    var resolvedAt: Int?
    /// When it was closed.
    var closedAt: Int?
    /// How it was solved; empty while it is not.
    var closeCode: String
    /// What solved it; may be empty.
    var closeNotes: String
    /// The journal, as one text; may be empty.
    var notes: String
    /// How often it went to somebody else.
    var reassignments: Int
    /// Whether an article is to be made of it.
    var isKnowledge: Bool
    /// The record's own history.
    var history: Bookkeeping

    /// New, in progress and on hold; then resolved; then closed and cancelled, which are inactive.
    var isActive: Bool { state < 7 }
    /// Follows from impact and urgency, as on an instance: 1 for both high, 5 for both low.
    var priority: Int { impact + urgency - 1 }

    private init(row: Int, random: inout RandomSource) {
        number = "INC\(String(10000 + row).leftPadded(to: 7))"
        let subject = random.below(DemoTexts.subjects.count)
        shortDescription = random.pick(Self.complaints)[subject]
        let sentences = random.below(4)
        description = (0..<sentences).map { _ in random.pick(DemoTexts.sentences) }.joined(separator: " ")
        state = random.pick([1, 1, 2, 2, 2, 3, 6, 7, 7, 7, 7, 8])
        impact = random.pick([1, 2, 2, 3, 3, 3])
        urgency = random.pick([1, 2, 2, 3, 3, 3])
        let (category, subcategories) = random.pick(Self.categories)
        self.category = category
        subcategory = random.chance(60) ? random.pick(subcategories) : ""
        contactType = random.pick(["phone", "email", "self-service", "walk-in", ""])
        caller = 1 + random.below(DemoSizes.users)
        openedBy = random.chance(60) ? caller : 1 + random.below(DemoSizes.users)
        assignmentGroup = random.chance(85) ? 1 + random.below(DemoTexts.groups.count) : nil
        assignedTo = state > 1 || random.chance(20) ? 1 + random.below(DemoSizes.users) : nil
        location = random.chance(75) ? 1 + random.below(DemoSizes.locations) : nil
        company = random.chance(90) ? 1 + random.below(DemoTexts.companies.count) : nil
        item = random.chance(50) ? 1 + random.below(DemoSizes.servers) : nil
        // 2024 and 2025.
        openedAt = 1_704_067_200 + random.below(63_158_400)
        reassignments = random.below(5)
        isKnowledge = random.chance(10)
        let isSolved = state == 6 || state == 7
        resolvedAt = isSolved ? openedAt + 600 + random.below(900_000) : nil
        resolvedBy = isSolved ? assignedTo : nil
        closedAt = state == 7 ? (resolvedAt ?? openedAt) + 86400 * 7 : nil
        closedBy = state == 7 ? 1 + random.below(DemoSizes.users) : nil
        closeCode =
            isSolved ? random.pick(["Solution provided", "Workaround provided", "User error", "No resolution"]) : ""
        closeNotes = isSolved ? random.pick(DemoTexts.solutions) : ""
        let updatedOn = closedAt ?? resolvedAt ?? openedAt + random.below(400_000)
        history = Bookkeeping(createdOn: openedAt, updatedOn: updatedOn, random: &random)
        notes = random.chance(30) ? Journal.text(entries: 1, until: updatedOn, &random) : ""
        // A few are told about at length.
        if random.chance(1) { notes = Journal.text(entries: 8 + random.below(40), until: updatedOn, &random) }
        problem = random.chance(12) ? 1 + random.below(DemoSizes.problems) : nil
        change = random.chance(6) ? 1 + random.below(DemoSizes.changes) : nil
    }

    /// The table `incident`, which extends `task`.
    static let table = TableDefinition<Incident>(
        name: "incident", displayField: "number",
        indexes: [
            ["number"], ["priority"], ["caller_id"], ["assigned_to"], ["assignment_group"], ["cmdb_ci"],
            ["problem_id"], ["sys_updated_on"],
            // Counts within a span of time, and the latest of them, need nothing but this one.
            ["opened_at", "active", "state", "priority", "sys_updated_on"],
        ],
        record: { row, random in Incident(row: row, random: &random) },
        // What is searched most stands in front: SQLite walks over all columns before the one that it reads.
        fields: identity + headline + people + progress + texts
            + Bookkeeping.fields(created: "opened_at") { $0.history }
            + neverSet,
        isSortedBySysID: true,
        summary: ["active", "state", "priority", "impact", "urgency", "category", "assignment_group"])

    private static let identity: [DefinedField<Incident>] = [
        .sysID, .string("number") { $0.number },
        .constant("sys_class_name", .choice(["incident": "Incident"]), .text("incident")),
        .constant("sys_domain", .foreignReference("sys_user_group"), .text("global")),
        .constant("sys_domain_path", .string, .text("/")), .boolean("active") { $0.isActive },
    ]

    private static let people: [DefinedField<Incident>] = [
        .integer("caller_id", .reference("sys_user")) { $0.caller },
        .integer("opened_by", .reference("sys_user")) { $0.openedBy },
        .integer("assignment_group", .reference("sys_user_group")) { $0.assignmentGroup },
        .integer("assigned_to", .reference("sys_user")) { $0.assignedTo },
        .integer("resolved_by", .reference("sys_user")) { $0.resolvedBy },
        .integer("closed_by", .reference("sys_user")) { $0.closedBy },
        .integer("location", .reference("cmn_location")) { $0.location },
        .integer("company", .reference("core_company")) { $0.company },
        .integer("cmdb_ci", .reference("cmdb_ci")) { $0.item },
        .integer("problem_id", .reference("problem")) { $0.problem },
        .integer("rfc", .reference("change_request")) { $0.change },
    ]

    private static let progress: [DefinedField<Incident>] = [
        .integer("state", .integerChoice(states)) { $0.state },
        .same("incident_state", as: "state", .integerChoice(states)),
        .integer("priority", .integerChoice(TaskPeople.priorities)) { $0.priority },
        .integer("impact", .integerChoice(TaskPeople.levels)) { $0.impact },
        .integer("urgency", .integerChoice(TaskPeople.levels)) { $0.urgency },
        .constant("severity", .integerChoice(TaskPeople.levels), .integer(3)),
        .string("category", .choice(categoryLabels)) { $0.category },
        .string("subcategory") { $0.subcategory },
        .string("contact_type", .choice(contactTypes)) { $0.contactType },
        .integer("opened_at", .dateTime) { $0.openedAt },
        .integer("resolved_at", .dateTime) { $0.resolvedAt },
        .integer("closed_at", .dateTime) { $0.closedAt },
        .string("close_code") { $0.closeCode },
        .integer("reassignment_count") { $0.reassignments },
        .boolean("knowledge") { $0.isKnowledge },
        .constant("reopen_count", .integer, .integer(0)),
        .constant("escalation", .integerChoice([0: "Normal"]), .integer(0)),
        .constant("made_sla", .boolean, .integer(1)),
        .constant("notify", .integerChoice([1: "Do Not Notify"]), .integer(1)),
        .constant("approval", .choice(["not requested": "Not Yet Requested"]), .text("not requested")),
        .constant("upon_approval", .choice(["proceed": "Proceed to Next Task"]), .text("proceed")),
        .constant("upon_reject", .choice(["cancel": "Cancel all future Tasks"]), .text("cancel")),
    ]

    private static let headline: [DefinedField<Incident>] = [
        .string("short_description") { $0.shortDescription }, .string("description") { $0.description },
    ]

    private static let texts: [DefinedField<Incident>] = [
        .string("close_notes") { $0.closeNotes }, .string("comments_and_work_notes") { $0.notes },
    ]

    private static let neverSet: [DefinedField<Incident>] =
        DefinedField.empty(
            "comments", "work_notes", "activity_due", "additional_assignee_list", "approval_history", "business_stc",
            "calendar_stc", "business_duration", "calendar_duration", "cause", "correlation_display", "correlation_id",
            "delivery_plan", "delivery_task", "due_date", "expected_start", "follow_up", "group_list", "hold_reason",
            "order", "origin_table", "origin_id", "parent", "service_offering", "sla_due", "time_worked",
            "universal_request",
            "user_input", "watch_list", "work_end", "work_notes_list", "work_start", "rejection_goto", "wf_activity")
        + DefinedField.empty("parent_incident", type: .reference("incident"))
        + DefinedField.empty("business_service", type: .reference("cmdb_ci"))
        + DefinedField.empty("caused_by", type: .reference("change_request"))

    /// Every complaint about every subject.
    private static let complaints = DemoTexts.complaints.map { complaint in
        DemoTexts.subjects.map { DemoTexts.filled(complaint, with: $0) }
    }
    private static let states: [Int64: String] = [
        1: "New", 2: "In Progress", 3: "On Hold", 6: "Resolved", 7: "Closed", 8: "Canceled",
    ]
    private static let categories: [(String, [String])] = [
        ("inquiry", ["antivirus", "email", "internal application"]), ("software", ["email", "os"]),
        ("hardware", ["cpu", "disk", "keyboard", "memory", "monitor", "mouse"]),
        ("network", ["dhcp", "dns", "ip address", "vpn", "wireless"]), ("database", ["db2", "sql server", "oracle"]),
    ]
    private static let categoryLabels = [
        "inquiry": "Inquiry / Help", "software": "Software", "hardware": "Hardware", "network": "Network",
        "database": "Database",
    ]
    private static let contactTypes = [
        "phone": "Phone", "email": "Email", "self-service": "Self-service", "walk-in": "Walk-in",
    ]
}
