"""Every record of the instance, read once and without any of the clients, and how the scripts compare with it.

What a client's query should give is computed from these rows in Python; the instance's query language has no part in it.
"""

import base64
import functools
import json
import os
import ssl
import urllib.request

URL = os.environ["INSTANCE_URL"]
USER = os.environ["INSTANCE_USER"]
PASSWORD = os.environ["INSTANCE_PASSWORD"]
CLIENT = os.environ["INSTANCE_CLIENT"]
SECRET = os.environ["INSTANCE_SECRET"]
CERTIFICATE = os.environ["SSL_CERT_FILE"]


@functools.lru_cache(maxsize=None)
def table(name):
    """All records of a table by sys_id: each field as (value, display value)."""
    request = urllib.request.Request(
        f"{URL}/api/now/table/{name}?sysparm_display_value=all&sysparm_limit=100000",
        headers={"Authorization": "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()})
    with urllib.request.urlopen(request, context=ssl.create_default_context()) as answer:
        rows = json.load(answer)["result"]
    rows = [{name: (field["value"], field["display_value"]) for name, field in row.items()} for row in rows]
    return {row["sys_id"][0]: row for row in rows}


class Row:
    """One incident: `row.priority` is its value, `row.shown("priority")` what people see."""

    def __init__(self, fields):
        self.fields = fields

    def __getattr__(self, name):
        return self.fields[name][0]

    def shown(self, name):
        return self.fields[name][1]

    def walk(self, path):
        """(value, display value) of a dot-walked field; empty where a reference on the way is."""
        fields = self.fields
        *references, last = path.split(".")
        name = "incident"
        for reference in references:
            key = fields[reference][0]
            name = REFERENCES[name, reference]
            if not key:
                return "", ""
            fields = table(name)[key]
        return fields[last]


# Which table a reference leads to.
REFERENCES = {
    ("incident", "caller_id"): "sys_user",
    ("incident", "assigned_to"): "sys_user",
    ("incident", "company"): "core_company",
    ("incident", "location"): "cmn_location",
    ("incident", "cmdb_ci"): "cmdb_ci_server",
    ("sys_user", "company"): "core_company",
    ("sys_user", "location"): "cmn_location",
    ("sys_user", "manager"): "sys_user",
    ("cmdb_ci_server", "assigned_to"): "sys_user",
    ("cmdb_ci_server", "location"): "cmn_location",
}


@functools.lru_cache(maxsize=None)
def incidents():
    """All incidents by sys_id, in the order of it."""
    rows = table("incident")
    return {key: Row(rows[key]) for key in sorted(rows)}


def matching(predicate):
    """The sys_ids of the incidents that meet a condition, in order."""
    return [key for key, row in incidents().items() if predicate(row)]


def ordered(*terms):
    """All sys_ids by a list of (name, descending); what is equal in all of them comes by sys_id."""
    keys = list(incidents())
    for name, descending in reversed(terms):
        keys.sort(key=lambda key: getattr(incidents()[key], name), reverse=descending)
    return keys


def folded(text):
    """A text as comparisons of the instance see it: without the case of ASCII letters."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)
