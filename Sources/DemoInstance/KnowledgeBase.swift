internal import SQLite

/// A collection of articles.
struct KnowledgeBase: Sendable {
    /// Its title.
    var title: String
    /// The row of the user who answers for it.
    var owner: Int
    /// The record's own history.
    var history: Bookkeeping

    /// The table `kb_knowledge_base`.
    static let table = TableDefinition<KnowledgeBase>(
        name: "kb_knowledge_base", displayField: "title", indexes: [],
        record: { row, random in
            KnowledgeBase(
                title: DemoTexts.knowledgeBases[(row - 1) % DemoTexts.knowledgeBases.count],
                owner: 1 + random.below(DemoSizes.users), history: .old(&random))
        },
        fields: [
            .sysID, .string("title") { $0.title }, .integer("owner", .reference("sys_user")) { $0.owner },
            .constant("active", .boolean, .integer(1)),
        ] + DefinedField.empty("description") + Bookkeeping.fields { $0.history })
}
