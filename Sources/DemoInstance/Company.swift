/// A company.
struct Company: Sendable {
    /// Its name.
    var name: String
    /// The city.
    var city: String
    /// The country.
    var country: String
    /// Whether it buys from us.
    var isCustomer: Bool
    /// The record's own history.
    var history: Bookkeeping

    /// The table `core_company`.
    static let table = TableDefinition<Company>(
        name: "core_company", displayField: "name", indexes: [],
        record: { row, random in
            let place = random.pick(DemoTexts.places)
            return Company(
                name: DemoTexts.companies[(row - 1) % DemoTexts.companies.count], city: place.0, country: place.1,
                isCustomer: random.chance(50), history: .old(&random))
        },
        fields: [.sysID, .string("name") { $0.name }, .string("city") { $0.city }, .string("country") { $0.country }]
            + [.boolean("customer") { $0.isCustomer }] + DefinedField.empty("stock_symbol", "website", "notes")
            + Bookkeeping.fields { $0.history })
}
