"""PySNC, ServiceNow's own client: all that its GlideRecord can read, compared with a plain computation."""

import unittest

import pysnc
from pysnc.exceptions import AuthenticationException, RequestException

import records
from records import folded, incidents, matching, ordered


def client(auth=(records.USER, records.PASSWORD)):
    return pysnc.ServiceNowClient(records.URL, auth, verify=records.CERTIFICATE)


def or_condition(gr):
    gr.add_query("priority", "1").add_or_condition("category", "network")


def two_or_conditions(gr):
    condition = gr.add_query("state", "1")
    condition.add_or_condition("state", "2")
    condition.add_or_condition("short_description", "STARTSWITH", "Cannot")
    gr.add_query("urgency", "!=", "3")


def query_and_encoded_query(gr):
    gr.add_active_query()
    gr.add_encoded_query("priority=1^ORpriority=2")


# What is asked of a GlideRecord, and which incidents are to come.
QUERIES = {
    "equals": (lambda gr: gr.add_query("active", "true"), lambda row: row.active == "true"),
    "active": (lambda gr: gr.add_active_query(), lambda row: row.active == "true"),
    "number": (lambda gr: gr.add_query("number", "INC0010007"), lambda row: row.number == "INC0010007"),
    "not equal": (lambda gr: gr.add_query("state", "!=", "7"), lambda row: row.state != "7"),
    "less": (lambda gr: gr.add_query("priority", "<", "3"), lambda row: int(row.priority) < 3),
    "at most": (lambda gr: gr.add_query("reassignment_count", "<=", "1"), lambda row: int(row.reassignment_count) <= 1),
    "more": (lambda gr: gr.add_query("sys_mod_count", ">", "30"), lambda row: int(row.sys_mod_count) > 30),
    "at least": (lambda gr: gr.add_query("impact", ">=", "2"), lambda row: int(row.impact) >= 2),
    "after": (
        lambda gr: gr.add_query("opened_at", ">", "2025-06-01 00:00:00"),
        lambda row: row.opened_at > "2025-06-01 00:00:00"),
    "in": (lambda gr: gr.add_query("state", "IN", "1,3"), lambda row: row.state in ("1", "3")),
    "not in": (lambda gr: gr.add_query("category", "NOT IN", "network,software"),
               lambda row: row.category not in ("network", "software")),
    "starts": (lambda gr: gr.add_query("short_description", "STARTSWITH", "cannot"),
               lambda row: folded(row.short_description).startswith("cannot")),
    "ends": (lambda gr: gr.add_query("number", "ENDSWITH", "77"), lambda row: row.number.endswith("77")),
    "contains": (lambda gr: gr.add_query("short_description", "CONTAINS", "Sap"),
                 lambda row: "sap" in folded(row.short_description)),
    "contains not": (lambda gr: gr.add_query("short_description", "DOES NOT CONTAIN", "sap"),
                     lambda row: "sap" not in folded(row.short_description)),
    "instance of": (lambda gr: gr.add_query("sys_class_name", "INSTANCEOF", "task"), lambda row: True),
    "or": (or_condition, lambda row: row.priority == "1" or row.category == "network"),
    "two ors": (two_or_conditions, lambda row: row.urgency != "3" and (
        row.state in ("1", "2") or folded(row.short_description).startswith("cannot"))),
    "empty": (lambda gr: gr.add_null_query("assigned_to"), lambda row: row.assigned_to == ""),
    "not empty": (lambda gr: gr.add_not_null_query("resolved_at"), lambda row: row.resolved_at != ""),
    "empty text": (lambda gr: gr.add_null_query("description"), lambda row: row.description == ""),
    "several": (lambda gr: (gr.add_active_query(), gr.add_query("priority", "2"), gr.add_null_query("company")),
                lambda row: row.active == "true" and row.priority == "2" and row.company == ""),
    "dot-walked": (lambda gr: gr.add_query("caller_id.first_name", "STARTSWITH", "S"),
                   lambda row: folded(row.walk("caller_id.first_name")[0]).startswith("s")),
    "dot-walked twice": (lambda gr: gr.add_query("caller_id.location.city", "STARTSWITH", "s"),
                         lambda row: folded(row.walk("caller_id.location.city")[0]).startswith("s")),
    "dot-walked thrice": (lambda gr: gr.add_not_null_query("caller_id.manager.location.name"),
                          lambda row: row.walk("caller_id.manager.location.name")[0] != ""),
    "encoded": (lambda gr: gr.add_encoded_query("active=true^priority=1^ORpriority=2^categoryINnetwork,hardware"),
                lambda row: row.active == "true" and row.priority in ("1", "2")
                and row.category in ("network", "hardware")),
    "encoded, new query": (lambda gr: gr.add_encoded_query("priority=1^active=true^NQstate=8^opened_at<2024-03-01 00:00:00"),
                           lambda row: row.priority == "1" and row.active == "true"
                           or row.state == "8" and row.opened_at < "2024-03-01 00:00:00"),
    "encoded, between": (lambda gr: gr.add_encoded_query("sys_mod_countBETWEEN10@20"),
                         lambda row: 10 <= int(row.sys_mod_count) <= 20),
    "both": (query_and_encoded_query, lambda row: row.active == "true" and row.priority in ("1", "2")),
    "nothing": (lambda gr: gr.add_query("number", "none"), lambda row: False),
}


class GlideRecordReads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = client()

    def glide(self, fields="sys_id", batch_size=500):
        gr = self.client.GlideRecord("incident", batch_size=batch_size)
        gr.fields = fields
        return gr

    def keys(self, gr):
        gr.query()
        return [record.get_value("sys_id") for record in gr]

    def test_all_page_by_page(self):
        gr = self.glide("sys_id,number,short_description,caller_id")
        gr.query()
        self.assertEqual(gr.get_row_count(), 10000)
        seen = [(r.get_value("sys_id"), r.get_value("number"), r.get_value("short_description"),
                 r.get_display_value("caller_id")) for r in gr]
        expected = [(key, row.number, row.short_description, row.shown("caller_id")) for key, row in incidents().items()]
        self.assertEqual(len(seen), 10000)
        self.assertEqual(seen, expected)
        # A second run over the same records asks for nothing.
        self.assertEqual([r.get_value("sys_id") for r in gr], [key for key, *_ in expected])

    def test_orders(self):
        gr = self.glide()
        gr.order_by("number")
        self.assertEqual(self.keys(gr), ordered(("number", False)))
        gr = self.glide()
        gr.order_by_desc("number")
        self.assertEqual(self.keys(gr), ordered(("number", True)))
        gr = self.glide()
        gr.add_encoded_query("ORDERBYpriority^ORDERBYDESCopened_at")
        self.assertEqual(self.keys(gr), ordered(("priority", False), ("opened_at", True)))

    def test_queries(self):
        for name, (ask, predicate) in QUERIES.items():
            with self.subTest(name):
                expected = matching(predicate)
                self.assertEqual(bool(expected), name != "nothing")
                gr = self.glide()
                ask(gr)
                self.assertEqual(self.keys(gr), expected)
                self.assertEqual(gr.get_row_count(), len(expected))
                self.assertEqual(len(gr), len(expected))

    def test_limit_and_location(self):
        gr = self.glide(batch_size=7)
        gr.limit = 20
        gr.query()
        walked = []
        while gr.next():
            walked.append(gr.get_value("sys_id"))
            self.assertEqual(gr.location, len(walked) - 1)
        # It asks for whole batches, so that the last one goes over the limit.
        self.assertEqual(walked, list(incidents())[:len(walked)])
        self.assertIn(len(walked), range(20, 27))
        self.assertFalse(gr.has_next())
        gr.rewind()
        self.assertTrue(gr.next())
        self.assertEqual(gr.get_value("sys_id"), walked[0])

    def test_get(self):
        key = matching(lambda row: row.caller_id and row.description)[0]
        row = incidents()[key]
        gr = self.client.GlideRecord("incident")
        self.assertTrue(gr.get(key))
        for name, (value, display) in row.fields.items():
            self.assertEqual(gr.get_value(name), value, name)
            self.assertEqual(gr.get_display_value(name), display, name)
        self.assertEqual(gr.caller_id, row.caller_id)
        self.assertFalse(gr.changes())
        self.assertEqual(gr.pop_record().get_value("number"), row.number)
        self.assertFalse(self.client.GlideRecord("incident").get("0" * 32))
        gr = self.client.GlideRecord("incident")
        self.assertTrue(gr.get("number", row.number))
        self.assertEqual(gr.sys_id, key)

    def test_values_and_display_values(self):
        gr = self.client.GlideRecord("incident", batch_size=50)
        gr.limit = 100
        gr.query()
        count = 0
        for record in gr:
            row = incidents()[record.get_value("sys_id")]
            self.assertEqual(set(record.fields), set(row.fields))
            both = record.serialize(display_value="both")
            for name, (value, display) in row.fields.items():
                self.assertEqual((record.get_value(name), record.get_display_value(name)), (value, display), name)
                self.assertEqual(both[name], {"value": value, "display_value": display}, name)
            count += 1
        self.assertGreaterEqual(count, 100)

    def test_forms(self):
        keys = list(incidents())[:20]
        for display, index in ((False, 0), (True, 1)):
            gr = self.glide("sys_id,state,caller_id,opened_at", batch_size=20)
            gr.limit = 20
            gr.display_value = display
            gr.query()
            rows = [incidents()[key].fields for key in keys]
            expected = [{n: row[n][index] for n in ("sys_id", "state", "caller_id", "opened_at")} for row in rows]
            self.assertEqual(gr.serialize_all(display_value=display)[:20], expected)

    def test_links(self):
        gr = self.glide("caller_id", batch_size=20)
        gr.exclude_reference_link = False
        gr.query()
        self.assertTrue(gr.next())
        link = gr.get_element("caller_id").get_link()
        self.assertEqual(link, f"{records.URL}/api/now/table/sys_user/{gr.get_value('caller_id')}")

    def test_dot_walked_fields(self):
        paths = ["caller_id.name", "caller_id.company.name", "caller_id.manager.location.city",
                 "cmdb_ci.location.name", "assigned_to.email", "caller_id.location", "company.name"]
        gr = self.glide(["sys_id"] + paths)
        gr.add_query("priority", "1")
        gr.query()
        count = 0
        for record in gr:
            row = incidents()[record.get_value("sys_id")]
            for path in paths:
                self.assertEqual((record.get_value(path), record.get_display_value(path)), row.walk(path), path)
            count += 1
        self.assertEqual(count, len(matching(lambda row: row.priority == "1")))

    def test_other_tables(self):
        for name, count in (("sys_user", 500), ("cmdb_ci_server", 2000), ("change_request", 200), ("problem", 200),
                            ("kb_knowledge", 200)):
            with self.subTest(name):
                gr = self.client.GlideRecord(name, batch_size=150)
                gr.fields = "sys_id"
                self.assertEqual(self.keys(gr), sorted(records.table(name)))
                self.assertEqual(gr.get_row_count(), count)

    def test_oauth(self):
        for flow in (pysnc.ServiceNowPasswordGrantFlow(records.USER, records.PASSWORD, records.CLIENT, records.SECRET),
                     pysnc.ServiceNowClientCredentialsFlow(records.CLIENT, records.SECRET)):
            with self.subTest(type(flow).__name__):
                gr = client(flow).GlideRecord("problem", batch_size=50)
                gr.fields = "sys_id"
                self.assertEqual(self.keys(gr), sorted(records.table("problem")))

    def test_refusals(self):
        gr = client((records.USER, "wrong")).GlideRecord("incident")
        self.assertRaises(AuthenticationException, gr.query)
        gr = self.client.GlideRecord("nothing")
        self.assertRaises(RequestException, gr.query)


if __name__ == "__main__":
    unittest.main()
