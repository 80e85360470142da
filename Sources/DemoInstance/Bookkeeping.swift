internal import SQLite

/// The fields that the platform keeps for every record.
struct Bookkeeping: Sendable {
    /// When it was made, in seconds since 1970.
    var createdOn: Int
    /// Who made it, by user name.
    var createdBy: String
    /// When it was changed last.
    var updatedOn: Int
    /// Who changed it last.
    var updatedBy: String
    /// How often it was changed.
    var changes: Int

    /// Makes the history of a record that was made at a moment and last changed at another.
    init(createdOn: Int, updatedOn: Int, random: inout RandomSource) {
        self.createdOn = createdOn
        self.updatedOn = updatedOn
        createdBy = random.pick(DemoTexts.accounts)
        updatedBy = random.pick(DemoTexts.accounts)
        changes = random.below(60)
    }

    /// The fields.
    ///
    /// - Parameter created: another field that says when the record was made.
    static func fields<Record>(
        created: String? = nil, _ read: @escaping @Sendable (Record) -> Bookkeeping
    ) -> [DefinedField<Record>] {
        [
            created.map { .same("sys_created_on", as: $0, .dateTime) }
                ?? .integer("sys_created_on", .dateTime) { read($0).createdOn },
            .string("sys_created_by") { read($0).createdBy },
            .integer("sys_updated_on", .dateTime) { read($0).updatedOn },
            .string("sys_updated_by") { read($0).updatedBy },
            .integer("sys_mod_count") { read($0).changes },
            .constant("sys_tags", .string, .null),
        ]
    }

    /// The history of a record that has been there for long: made in 2022 or 2023.
    static func old(_ random: inout RandomSource) -> Bookkeeping {
        let createdOn = 1_640_995_200 + random.below(63_000_000)
        return Bookkeeping(createdOn: createdOn, updatedOn: createdOn + random.below(40_000_000), random: &random)
    }
}
