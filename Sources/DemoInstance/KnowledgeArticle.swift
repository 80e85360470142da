internal import SQLite

/// An article that tells how to help oneself.
struct KnowledgeArticle: Sendable {
    /// Its number, such as `KB0050001`.
    var number: String
    /// Its title.
    var title: String
    /// Its text, as HTML of several kilobytes.
    var text: String
    /// How far it is: a key of `workflowStates`.
    var workflowState: String
    /// The row of the collection that it belongs to.
    var base: Int
    /// The row of the user who wrote it.
    var author: Int
    /// The row of the problem that it is about.
    var problem: Int?
    /// The day on which it was published, as the second at which that begins.
    var published: Int?
    /// The last day on which it is valid.
    var validTo: Int
    /// How often it was read.
    var views: Int
    /// Words to find it by; may be empty.
    var keywords: String
    /// The record's own history.
    var history: Bookkeeping

    private init(row: Int, random: inout RandomSource) {
        number = "KB\(String(50000 + row).leftPadded(to: 7))"
        let subject = random.pick(DemoTexts.subjects)
        title = DemoTexts.filled(random.pick(DemoTexts.articles), with: subject)
        var text = "<h1>\(title)</h1>\n"
        for _ in 0...random.below(12) {
            text += "<p>"
            for _ in 0...random.below(8) { text += random.pick(DemoTexts.sentences) + " " }
            text += "</p>\n"
        }
        self.text = text + "<p dir=\"rtl\">\(random.pick(["يرجى المساعدة.", "תודה מראש."]))</p>"
        workflowState = random.pick(["published", "published", "published", "draft", "review", "retired"])
        base = 1 + random.below(DemoTexts.knowledgeBases.count)
        author = 1 + random.below(DemoSizes.users)
        problem = random.chance(30) ? 1 + random.below(DemoSizes.problems) : nil
        // Days of 2023 to 2025.
        published = workflowState == "draft" ? nil : 1_672_531_200 + 86400 * random.below(1090)
        validTo = 1_893_456_000
        views = random.below(5000)
        keywords = random.chance(50) ? subject : ""
        let createdOn = published ?? 1_704_067_200 + random.below(60_000_000)
        history = Bookkeeping(createdOn: createdOn, updatedOn: createdOn + random.below(600_000), random: &random)
    }

    /// The table `kb_knowledge`.
    static let table = TableDefinition<KnowledgeArticle>(
        name: "kb_knowledge", displayField: "short_description", indexes: [["number"]],
        record: { row, random in KnowledgeArticle(row: row, random: &random) },
        fields: [
            .sysID, .string("number") { $0.number },
            .constant("sys_class_name", .choice(["kb_knowledge": "Knowledge"]), .text("kb_knowledge")),
            .string("short_description") { $0.title }, .string("text") { $0.text },
            .constant("article_type", .choice(["text": "HTML"]), .text("text")),
            .string("workflow_state", .choice(workflowStates)) { $0.workflowState },
            .boolean("active") { $0.workflowState != "retired" },
            .integer("kb_knowledge_base", .reference("kb_knowledge_base")) { $0.base },
            .integer("author", .reference("sys_user")) { $0.author },
            .integer("problem", .reference("problem")) { $0.problem },
            .integer("published", .date) { $0.published }, .integer("valid_to", .date) { $0.validTo },
            .integer("sys_view_count") { $0.views }, .string("meta") { $0.keywords },
            .constant("language", .choice(["en": "English"]), .text("en")),
            .constant("direct", .boolean, .integer(0)), .constant("disable_commenting", .boolean, .integer(0)),
        ] + Bookkeeping.fields { $0.history }
            + DefinedField.empty(
                "kb_category", "can_read_user_criteria", "cannot_read_user_criteria", "image", "rating", "retired",
                "roles", "source", "topic", "use_count", "wiki"))

    private static let workflowStates = [
        "draft": "Draft", "review": "Review", "published": "Published", "retired": "Retired",
    ]
}
