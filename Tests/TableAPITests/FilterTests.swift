import Testing

@testable import TableAPI

@Suite struct FilterTests {
    @Test(
        "Ties are broken by sys_id at the very end of a query that is not ordered by it",
        arguments: [
            ("", "ORDERBYsys_id"),
            ("active=true", "active=true^ORDERBYsys_id"),
            ("ORDERBYu_column_1", "ORDERBYu_column_1^ORDERBYsys_id"),
            ("active=true^ORDERBYDESCnumber", "active=true^ORDERBYDESCnumber^ORDERBYsys_id"),
            ("a=1^NQb=2", "a=1^NQb=2^ORDERBYsys_id"),
            ("ORDERBYa^NQb=2", "ORDERBYa^NQb=2^ORDERBYsys_id"),
            ("a=1^EQ", "a=1^EQ^ORDERBYsys_id"),
            ("a=1^", "a=1^^ORDERBYsys_id"),
            ("ORDERBYsys_id_x", "ORDERBYsys_id_x^ORDERBYsys_id"),
            ("ORDERBYDESCsys_id2", "ORDERBYDESCsys_id2^ORDERBYsys_id"),
            ("a=ORDERBYsys_id", "a=ORDERBYsys_id^ORDERBYsys_id"),
            ("orderbysys_id", "orderbysys_id^ORDERBYsys_id"),
            ("a=1^ORDERBYcaller.sys_id", "a=1^ORDERBYcaller.sys_id^ORDERBYsys_id"),
            ("a=1^ ORDERBYsys_id", "a=1^ ORDERBYsys_id^ORDERBYsys_id"),
            ("a^\u{301}ORDERBYsys_id", "a^\u{301}ORDERBYsys_id^ORDERBYsys_id"),
        ])
    func breaksTies(query: String, expected: String) {
        #expect(Filter.stablyOrdered(query).utf8.elementsEqual(expected.utf8))
    }

    @Test(
        "A query that is ordered by sys_id anywhere stays as it is",
        arguments: [
            "ORDERBYsys_id", "ORDERBYDESCsys_id", "a=1^ORDERBYsys_id", "ORDERBYDESCsys_id^a=1",
            "ORDERBYa^ORDERBYsys_id^NQb=2",
            "a=x\u{301}^ORDERBYsys_id^b=1",
        ])
    func keeps(query: String) {
        #expect(Filter.stablyOrdered(query) == query)
    }
}
