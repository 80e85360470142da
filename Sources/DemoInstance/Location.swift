/// A place where people work.
struct Location: Sendable {
    /// Its name.
    var name: String
    /// Street and house number.
    var street: String
    /// The city.
    var city: String
    /// The country.
    var country: String
    /// The row of its company.
    var company: Int
    /// The record's own history.
    var history: Bookkeeping

    /// The table `cmn_location`.
    static let table = TableDefinition<Location>(
        name: "cmn_location", displayField: "name", indexes: [],
        record: { row, random in
            let place = DemoTexts.places[(row - 1) % DemoTexts.places.count]
            let floor = (row - 1) / DemoTexts.places.count
            return Location(
                name: floor == 0 ? "\(place.2), \(place.0)" : "\(place.2), \(place.0), floor \(floor)",
                street: place.2, city: place.0, country: place.1,
                company: 1 + random.below(DemoTexts.companies.count), history: .old(&random))
        },
        fields: [
            .sysID, .string("name") { $0.name }, .string("street") { $0.street }, .string("city") { $0.city },
            .string("country") { $0.country }, .integer("company", .reference("core_company")) { $0.company },
        ] + DefinedField.empty("zip", "state", "phone") + Bookkeeping.fields { $0.history })
}
