"""One target alone: commands to type for any name and place, and names of strangers in load lines of imports."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.golden.sentences.speech import of_report
from tests.unit.report.imported_sweeps import sweep
from tests.unit.report.studies import evidence, with_runs

from plimsoll.report import Evidence, build_document
from plimsoll.report.renderers import terminal


def at(where: str) -> list[str]:
    found = evidence(targets=("disk",), cases=("randread",), blocks=3)
    runs = [run.model_copy(update={"target": run.target.model_copy(update={"where": where})}) for run in found.runs]
    return of_report(with_runs(found, runs))


@pytest.mark.parametrize(
    ("where", "typed"),
    [
        ("/mnt/a", "--on disk=/mnt/a --on other=…"),
        ("/mnt/my disk", "--on 'disk=/mnt/my disk' --on other=…"),
        ("/mnt/$(reboot)", "--on 'disk=/mnt/$(reboot)' --on other=…"),
        ("/mnt/\u202egnp", "--on disk=… --on other=…"),
        ("/mnt/\x1b[31m", "--on disk=… --on other=…"),
        ("/mnt/" + "x" * 4000, "--on disk=… --on other=…"),
    ],
)
def test_the_next_command_can_be_typed(where: str, typed: str) -> None:
    assert any(typed in line for line in at(where))


def test_parameters_of_strangers_in_labels_stay_harmless() -> None:
    strange = "<b>\u202e\x1b[31m" + "y" * 4000
    one, two = sweep(fixed={"mode": strange}), sweep(fixed={"mode": "plain"})
    others = [run.model_copy(update={"id": run.id.replace("8000", "8001")}) for run in two.runs]
    both = replace(one, runs=[*one.runs, *others])
    assert len(both.searched) == 2
    text = terminal.render(build_document(both), width=80)
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_two_targets_at_several_loads_are_compared_at_each() -> None:
    one = sweep()
    others = [
        run.model_copy(
            update={"id": run.id.replace("8000", "8001"), "target": run.target.model_copy(update={"name": "other"})}
        )
        for run in one.runs
    ]
    both = Evidence(one.sessions, [*one.runs, *others], None, 0.1)
    assert [each.label for each in both.searched] == ["disk", "other"]
    assert not both.only_searched
    assert one.only_searched
