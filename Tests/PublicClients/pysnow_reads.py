"""pysnow: resources, its query builder and OAuth, compared with a plain computation."""

import datetime
import unittest

import pysnow

import records
from records import folded, incidents, matching, ordered

HOST = records.URL.split("://")[1]


def builder():
    return pysnow.QueryBuilder()


# What the query builder is asked for, and which incidents are to come.
QUERIES = {
    "equals": (builder().field("active").equals("true"), lambda row: row.active == "true"),
    "list": (builder().field("state").equals(["1", "2"]), lambda row: row.state in ("1", "2")),
    "not": (builder().field("category").not_equals("network"), lambda row: row.category != "network"),
    "not list": (builder().field("state").not_equals(["7", "8"]), lambda row: row.state not in ("7", "8")),
    "starts": (builder().field("short_description").starts_with("Cannot"),
               lambda row: folded(row.short_description).startswith("cannot")),
    "ends": (builder().field("number").ends_with("9"), lambda row: row.number.endswith("9")),
    "contains": (builder().field("short_description").contains("sap"),
                 lambda row: "sap" in folded(row.short_description)),
    "contains not": (builder().field("short_description").not_contains("sap"),
                     lambda row: "sap" not in folded(row.short_description)),
    "empty": (builder().field("location").is_empty(), lambda row: row.location == ""),
    "not empty": (builder().field("location").is_not_empty(), lambda row: row.location != ""),
    "greater": (builder().field("opened_at").greater_than(datetime.datetime(2025, 3, 1)),
                lambda row: row.opened_at > "2025-03-01 00:00:00"),
    "at most": (builder().field("priority").less_than_or_equal(2), lambda row: int(row.priority) <= 2),
    "between": (builder().field("sys_mod_count").between(5, 9), lambda row: 5 <= int(row.sys_mod_count) <= 9),
    "dates": (builder().field("opened_at").between(datetime.datetime(2024, 2, 1), datetime.datetime(2024, 2, 29)),
              lambda row: "2024-02-01 00:00:00" <= row.opened_at <= "2024-02-29 00:00:00"),
    "and, or, new query": (
        builder().field("priority").equals("1").AND().field("state").equals("1").OR().field("state").equals("2")
        .NQ().field("number").starts_with("INC001000"),
        lambda row: row.priority == "1" and row.state in ("1", "2") or row.number.startswith("INC001000")),
}


class ResourceReads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = pysnow.Client(host=HOST, user=records.USER, password=records.PASSWORD)
        cls.incident = cls.client.resource(api_path="/table/incident")

    @classmethod
    def tearDownClass(cls):
        cls.client.close()

    def pages(self, query, size, fields=("sys_id",), stream=False):
        rows = []
        while True:
            answer = self.incident.get(query=query, limit=size, offset=len(rows), fields=list(fields), stream=stream)
            page = list(answer.all())
            rows += page
            if len(page) < size:
                return rows

    def test_all_page_by_page(self):
        for stream in (False, True):
            with self.subTest(stream=stream):
                rows = self.pages("ORDERBYsys_id", 1000, ("sys_id", "number", "short_description"), stream)
                expected = [{"sys_id": key, "number": row.number, "short_description": row.short_description}
                            for key, row in incidents().items()]
                self.assertEqual(len(rows), 10000)
                self.assertEqual(rows, expected)

    def test_orders(self):
        query = builder().field("number").order_descending()
        self.assertEqual([row["sys_id"] for row in self.pages(query, 2500)], ordered(("number", True)))
        query = (builder().field("active").is_not_empty().AND().field("priority").order_ascending().AND()
                 .field("number").order_descending())
        self.assertEqual([row["sys_id"] for row in self.pages(query, 2500)],
                         ordered(("priority", False), ("number", True)))

    def test_queries(self):
        for name, (query, predicate) in QUERIES.items():
            with self.subTest(name):
                expected = matching(predicate)
                self.assertTrue(expected)
                rows = self.pages(f"{query}^ORDERBYsys_id", 4000)
                self.assertEqual([row["sys_id"] for row in rows], expected)

    def test_filter_and_order_page_by_page(self):
        query = f"{QUERIES['equals'][0]}^ORDERBYpriority^ORDERBYnumber"
        expected = set(matching(QUERIES["equals"][1]))
        self.assertEqual([row["sys_id"] for row in self.pages(query, 333)],
                         [key for key in ordered(("priority", False), ("number", False)) if key in expected])

    def test_one(self):
        row = next(iter(incidents().values()))
        answer = self.incident.get(query={"number": row.number})
        self.assertEqual(answer.headers["X-Total-Count"], "1")
        record = answer.one()
        self.assertEqual(record["short_description"], row.short_description)
        self.assertEqual(record["caller_id"], {
            "link": f"{records.URL}/api/now/table/sys_user/{row.caller_id}", "value": row.caller_id})
        self.assertIsNone(self.incident.get(query={"number": "none"}).one_or_none())

    def test_display_values(self):
        resource = self.client.resource(api_path="/table/incident")
        resource.parameters.display_value = True
        resource.parameters.exclude_reference_link = True
        rows = list(resource.get(query="ORDERBYsys_id", limit=100).all())
        expected = [{name: display for name, (_, display) in row.fields.items()}
                    for row in list(incidents().values())[:100]]
        self.assertEqual(rows, expected)

    def test_dot_walked_fields(self):
        paths = ["caller_id.name", "caller_id.manager.location.city"]
        for row in self.pages("priority=1^ORDERBYsys_id", 4000, ["sys_id"] + paths):
            for path in paths:
                self.assertEqual(row[path], incidents()[row["sys_id"]].walk(path)[0])

    def test_oauth(self):
        client = pysnow.OAuthClient(client_id=records.CLIENT, client_secret=records.SECRET, host=HOST)
        client.set_token(client.generate_token(records.USER, records.PASSWORD))
        rows = client.resource(api_path="/table/problem").get(query="ORDERBYsys_id", fields=["sys_id"]).all()
        self.assertEqual([row["sys_id"] for row in rows], sorted(records.table("problem")))


if __name__ == "__main__":
    unittest.main()
