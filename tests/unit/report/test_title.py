"""The title of a report says what was compared, whatever its session is called."""

from __future__ import annotations

import pytest
from tests.unit.report.studies import evidence

from plimsoll.report import Evidence, build_document

CASES = ("randread", "seqread")


def title(
    called: str, targets: tuple[str, ...] = ("gp2", "gp3"), cases: tuple[str, ...] = CASES, suite: str = ""
) -> str:
    found = evidence(baseline=targets[0], targets=targets, cases=cases, blocks=1, title=called)
    if suite:
        [session] = found.sessions
        study = {**session.study, "tests": [{"test": suite}]}
        found = Evidence([session.model_copy(update={"study": study})], found.runs, found.baseline, found.band)
    return build_document(found).title


@pytest.mark.parametrize(
    ("called", "says"),
    [
        ("randread, seqread on gp2, gp3", "randread, seqread on gp2, gp3"),
        ("gp3 against gp2", "gp3 against gp2: randread, seqread"),
        ("randread at night", "randread at night: gp3 against gp2"),
        ("nightly", "nightly: randread, seqread, gp3 against gp2"),
        ("", "randread, seqread, gp3 against gp2"),
    ],
)
def test_what_the_title_leaves_unsaid_is_added(called: str, says: str) -> None:
    assert title(called) == says


def test_a_suite_stands_for_its_tests() -> None:
    assert title("disk on gp2, gp3", suite="disk") == "disk on gp2, gp3"
    assert title("disk on gp2, gp3", suite="quick") == "disk on gp2, gp3: randread, seqread"


def test_names_that_no_title_has_room_for_are_left_to_the_line_below() -> None:
    assert title("nightly", ("x" * 60, "y")) == "nightly: randread, seqread"
    assert title("nightly", cases=("ping", "randread", "randwrite", "randrw", "seqread", "seqwrite")) == (
        "nightly: gp3 against gp2"
    )


def test_of_one_target_there_is_nothing_to_tell_apart() -> None:
    assert title("nightly", ("gp2",)) == "nightly: randread, seqread"
