"""Golden: values of a composite.xml; repeats, failures, units and hostile XML."""

import pytest
from tests.unit.importers.importing import load, read_text, scores, told

from plimsoll.errors import ResultFileError
from plimsoll.model import RunStatus
from plimsoll.units import MIB, SECOND


def test_every_run_and_the_unit_that_the_profile_gets_wrong() -> None:
    imported = load("phoronix", "composite.xml")
    assert imported.session.title == "two volumes"
    fio = [run for run in imported.runs if run.plan.test == "fio"]
    assert [(run.target.name, scores(run).get("iops")) for run in fio] == [
        ("gp3-500", 500),
        ("gp3-500", 502),
        ("gp3-500", 504),
        ("io2", None),
    ]
    assert [scores(run)["throughput"] for run in fio] == [500 * MIB, 502 * MIB, 504 * MIB, 790 * MIB]
    assert all(told(run) == {"units"} for run in fio)
    assert len({run.block for run in fio}) == 4
    assert fio[0].ended_ns - fio[0].started_ns == 62.1 * SECOND
    assert fio[0].target.facts["disk"] == "107GB Example SATA"
    assert [run.facts["imported"]["summary"] for run in fio] == [False, False, False, True]
    assert fio[3].facts["summarised_runs"] == 3


def test_failed_results_latencies_and_graphs() -> None:
    runs = {run.plan.test: run for run in load("phoronix", "composite.xml").runs}
    assert runs["sqlite"].status is RunStatus.FAILED
    assert runs["sqlite"].reason == "The test run ended prematurely."
    assert not runs["sqlite"].scores
    assert scores(runs["pgbench"]) == {"latency_mean": 711_000}
    assert told(runs["pgbench"]) == {"mean"}
    assert scores(runs["load"]) == {"throughput_series_mean": 25_000_000}
    assert runs["load"].facts["points"] == [1e7, 2e7, 3e7, 4e7]


def test_megabytes_of_other_profiles_stay_megabytes() -> None:
    runs = load("phoronix", "memory.xml").runs
    assert [scores(run)["throughput"] for run in runs] == [1_301_200_000, 1_301_700_000]
    assert not told(runs[0])


ENTITY = "a document type or entity is in the XML"
DEEP = "<PhoronixTestSuite>" + "<a>" * 60 + "</a>" * 60 + "</PhoronixTestSuite>"


@pytest.mark.parametrize(
    ("hostile", "told"),
    [
        ('<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><PhoronixTestSuite>&b;</PhoronixTestSuite>', ENTITY),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><PhoronixTestSuite/>', ENTITY),
        ("<!DOCTYPE x><PhoronixTestSuite/>", ENTITY),
        (DEEP, "more than 500,000 elements or 50 levels"),
        ("<PhoronixTestSuite>" + "<a/>" * 500_001 + "</PhoronixTestSuite>", "more than 500,000 elements or 50 levels"),
        ("<PhoronixTestSuite><Result>", "damaged or cut short"),
        ("<PhoronixTestSuite>&nobody;</PhoronixTestSuite>", "damaged or cut short"),
        ("<html/>", "not a result of the Phoronix Test Suite"),
        ('<?xml version="1.0" encoding="no-such"?><PhoronixTestSuite/>', "unknown encoding"),
    ],
    ids=["bomb", "outside", "empty type", "deep", "wide", "cut", "undefined", "html", "encoding"],
)
def test_hostile_xml_is_refused(hostile: str, told: str) -> None:
    with pytest.raises(ResultFileError, match=told):
        read_text("phoronix", hostile)
