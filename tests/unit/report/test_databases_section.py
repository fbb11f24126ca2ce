"""Of servers, what differs between targets comes first; what all share does not push the answer off the screen."""

from __future__ import annotations

from tests.unit.report import situations

from plimsoll.report import Evidence
from plimsoll.report.document import Table
from plimsoll.report.sections import databases

SETTINGS = {"version": "15.1", "shared_buffers": "128MB", "fsync": "on"}


def servers(**other: str) -> list[Table]:
    """Of two servers, of which the second has some settings of its own."""
    sessions, runs = situations.databases()
    own = {"db1": SETTINGS, "db2": {**SETTINGS, **other}}
    told = [run.model_copy(update={"facts": {**run.facts, "server": own[run.target.name]}}) for run in runs]
    blocks = databases.build(Evidence(sessions, told, None, 0.1))
    return [block for block in blocks if isinstance(block, Table) and block.caption.startswith("Servers")]


def names(table: Table) -> list[str]:
    return [row[0].text for row in table.rows if row[0]]


def test_settings_that_differ_stand_apart_and_in_short_forms() -> None:
    differ, common = servers(shared_buffers="1GB")
    assert (differ.caption, differ.short, names(differ)) == ("Servers: settings that differ", True, ["shared_buffers"])
    assert (common.caption, common.short, names(common)) == ("Servers", False, ["version", "fsync"])


def test_where_nothing_differs_short_forms_have_none_of_it() -> None:
    (common,) = servers()
    assert (common.short, names(common)) == (False, list(SETTINGS))
