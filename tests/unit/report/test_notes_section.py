"""Notes are what somebody wrote: a baseline's tag is none."""

from __future__ import annotations

import pytest
from tests.unit.report.studies import evidence

from plimsoll.report import Evidence
from plimsoll.report.document import Text
from plimsoll.report.sections import notes


@pytest.mark.parametrize(
    ("tags", "note", "told"),
    [
        (("baseline:monday",), "", []),
        (("baseline:monday", "gp3"), "", ["synthetic study: gp3"]),
        (("baseline:monday",), "before the move", ["synthetic study: no tags", "before the move"]),
        ((), "", []),
    ],
)
def test_tags_that_name_a_baseline_are_no_notes(tags: tuple[str, ...], note: str, told: list[str]) -> None:
    found = evidence(targets=("a",), cases=("randread",), blocks=1)
    session = found.sessions[0].model_copy(update={"tags": tags, "note": note})
    blocks = notes.build(Evidence([session], list(found.runs), None, 0.1))
    assert [each.text for block in blocks if isinstance(block, Text) for each in block.sentences] == told
