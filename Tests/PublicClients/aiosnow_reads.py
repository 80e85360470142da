"""aiosnow: its declared incident model, page by page, compared with a plain computation."""

import datetime
import unittest
import warnings

import aiosnow
from aiosnow.models.table.declared import IncidentModel

import records
from records import folded, incidents, matching, ordered


class IncidentReads(unittest.IsolatedAsyncioTestCase):
    def model(self):
        client = aiosnow.Client(records.URL.split("://")[1], basic_auth=(records.USER, records.PASSWORD))
        return IncidentModel(client, table_name="incident")

    def assertValue(self, loaded, row, name):
        """A loaded value is that of the record; the model makes numbers, moments and pairs of it."""
        value, display = row.fields[name]
        if isinstance(loaded, datetime.datetime):
            loaded = loaded.strftime("%Y-%m-%d %H:%M:%S")
        elif isinstance(loaded, bool):
            loaded = "true" if loaded else "false"
        elif hasattr(loaded, "key"):
            self.assertEqual(loaded.value, display, name)
            loaded = loaded.key
        self.assertEqual("" if loaded is None else str(loaded), value, name)

    async def keys(self, selection, **options):
        async with self.model() as model:
            return [row["sys_id"] async for _, row in model.stream(selection, return_only=["sys_id"], **options)]

    async def test_all_page_by_page(self):
        async with self.model() as model:
            names = ["sys_id", "number", "short_description", "opened_at", "priority", "active", "resolved_at"]
            seen = []
            async for _, row in model.stream(
                    aiosnow.select().order_asc("sys_id"), limit=10000, page_size=500, return_only=names):
                seen.append(row["sys_id"])
                for name in names:
                    self.assertValue(row[name], incidents()[row["sys_id"]], name)
        self.assertEqual(seen, list(incidents()))

    async def test_every_field(self):
        async with self.model() as model:
            answer = await model.get(aiosnow.select().order_asc("sys_id"), limit=100)
        self.assertEqual([row["sys_id"] for row in answer.data], list(incidents())[:100])
        for loaded in answer.data:
            row = incidents()[loaded["sys_id"]]
            for name, value in loaded.items():
                self.assertValue(value, row, name)

    async def test_orders(self):
        selection = aiosnow.select().order_desc("number")
        self.assertEqual(await self.keys(selection, limit=10000, page_size=1500), ordered(("number", True)))
        selection = aiosnow.select().order_asc("priority").order_desc("number")
        self.assertEqual(await self.keys(selection, limit=10000, page_size=2500),
                         ordered(("priority", False), ("number", True)))

    async def test_queries(self):
        model = IncidentModel
        cases = [
            (model.active.is_true(), lambda row: row.active == "true"),
            (model.active.is_falsy(), lambda row: row.active != "true"),
            (model.number.starts_with("INC00101"), lambda row: row.number.startswith("INC00101")),
            (model.short_description.contains("sap"), lambda row: "sap" in folded(row.short_description)),
            (model.short_description.not_contains("sap"), lambda row: "sap" not in folded(row.short_description)),
            (model.priority.in_list([1, 2]), lambda row: row.priority in ("1", "2")),
            (model.priority.less_or_equals(2), lambda row: int(row.priority) <= 2),
            (model.state.not_equals(7), lambda row: row.state != "7"),
            (model.assigned_to.is_empty(), lambda row: row.assigned_to == ""),
            (model.resolved_at.is_populated(), lambda row: row.resolved_at != ""),
            (model.opened_at.before("2024-04-01 00:00:00"), lambda row: row.opened_at < "2024-04-01 00:00:00"),
            (model.opened_at.as_of("2025-11-01 00:00:00"), lambda row: row.opened_at >= "2025-11-01 00:00:00"),
            (model.priority.equals(1) & model.state.equals(1) | model.state.equals(2),
             lambda row: row.priority == "1" and row.state in ("1", "2")),
            (model.priority.equals(1) ^ model.priority.equals(5), lambda row: row.priority in ("1", "5")),
        ]
        for condition, predicate in cases:
            selection = aiosnow.select(condition).order_asc("sys_id")
            with self.subTest(selection.sysparms):
                expected = matching(predicate)
                self.assertTrue(expected)
                self.assertEqual(await self.keys(selection, limit=10000, page_size=2000), expected)

    async def test_one(self):
        row = next(iter(incidents().values()))
        async with self.model() as model:
            answer = await model.get_one(IncidentModel.number.equals(row.number))
        self.assertEqual(answer["sys_id"], row.sys_id)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    unittest.main()
