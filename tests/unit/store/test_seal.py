"""Checksums of runs stay what they are: those of today are compared with those that stores hold."""

from __future__ import annotations

from tests.factories import make_study

from plimsoll.altered import has_no_checksum
from plimsoll.store import seal
from plimsoll.store.codec import as_stored, canonical_json
from plimsoll.store.records import sealed, told

RUN = make_study(("a",), ("randrw",), 1, intervals=2, artefacts=True, seed=11)[1][0]


def test_a_checksum_is_the_same_in_every_version() -> None:
    """If this fails, a record has changed so that every stored run would be said to be altered: see `seal.py`."""
    found = seal.carried(sealed(RUN).facts)
    assert found is not None
    assert found.whole == "1:123cf7c8babf6971e280afb31d715ace75bfcc32874cedafa9b3b1f8e3bb1f5a"
    assert found.scores[:2] == ("3dfb3a4b4db75aae", "32ad0bc0932308ef")


def test_a_run_with_its_checksums_is_told_as_it_was() -> None:
    assert told(sealed(RUN)) == RUN
    assert has_no_checksum(told(RUN))
    assert canonical_json(as_stored(told(sealed(RUN)))) == canonical_json(as_stored(RUN))


def test_anything_has_a_checksum_for_a_damaged_store_may_hold_anything() -> None:
    of_run = ("id", None, 3, b"x", 0, 0, 0, "ok", 1.5)
    found = {seal.of_score(of_run, metric, "1/s", "higher", 1.0) for metric in ("iops", 7, None, b"iops")}
    assert len(found) == 4


def test_what_is_no_checksum_is_a_fact_like_any_other() -> None:
    for fact in ("x", {"whole": "1:zz", "scores": []}, {"whole": "1:" + "0" * 64, "scores": [1]}, {"whole": "x"}, None):
        run = RUN.model_copy(update={"facts": {"checksum": fact}})
        assert seal.carried(run.facts) is None
        assert seal.without(run) == run
