"""What a search is made of: one test, one load, one range."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli_w

from plimsoll.errors import UsageError
from plimsoll.run.load_study import load_study, load_study_file
from plimsoll.run.study import from_words


@pytest.mark.parametrize(
    ("test", "on", "shared", "loads", "slo", "message"),
    [
        ("randread", "x=.", (), {"depth": "1..4", "rate": "1..4"}, None, "one load is searched at a time"),
        ("randread", "x=.", (), {"depth": "4"}, None, "is not a load range"),
        ("randread", "x=.", (), {"depth": "4..1"}, None, "goes from above zero to more"),
        ("randread", "x=.", ("depth=2",), {"depth": "1..4"}, None, "leave it out of --set"),
        ("randread", "x=.,depth=3", (), {}, None, "leave it out of target x"),
        ("randread", "x=.", (), {}, "p99>5ms", "is not an objective"),
        ("disk", "x=.", (), {}, None, "a load line is of one test"),
        ("nonesuch", "x=.", (), {}, None, "'nonesuch'"),
        ("ycsb-a", "x=.", (), {"depth": "1..4"}, None, "has no load 'depth'; loads that it has: --clients"),
    ],
)
def test_what_cannot_be_meant(
    test: str, on: str, shared: tuple[str, ...], loads: dict[str, str], slo: str | None, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        load_study(from_words([test], [on], shared=shared), loads, slo)


def test_clients_of_a_disk_are_its_depth() -> None:
    study = load_study(from_words(["randread"], ["x=."]), {"clients": "1..4"}, None)
    assert study.request.parameter == "depth"
    assert [step.plans["x"].parameters["depth"] for step in study.steps()] == [1, 2, 3, 4]
    assert study.step(3).case == "randread depth=3"


def test_databases_are_searched_over_clients() -> None:
    study = load_study(from_words(["ycsb-c"], ["x=."], shared=["server=memory"]), {}, "p99<5ms")
    assert (study.request.parameter, study.request.bounds.text) == ("clients", "1..256")


def test_a_study_survives_its_file(tmp_path: Path) -> None:
    made = load_study(from_words(["randread"], ["x=/tmp"], seed=7), {"rate": "100..20k"}, "p99.9<20ms")
    path = tmp_path / "study.toml"
    path.write_text(tomli_w.dumps(made.to_table()))
    assert load_study_file(path) == made


def test_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    with pytest.raises(UsageError, match="there is no study file"):
        load_study_file(path)
    path.write_text("[[")
    with pytest.raises(UsageError, match="cannot read"):
        load_study_file(path)
    path.write_text('title = "x"')
    with pytest.raises(UsageError, match=r"holds no \[load_line\]"):
        load_study_file(path)


@pytest.mark.parametrize(
    ("on", "words", "stored", "least"),
    [
        ("x=.", ("runtime=500ms",), None, "set runtime=5s or more, or give --stored 0s"),
        ("x=.,runtime=4s", (), None, "runs of 4 s are too short"),
        ("x=.", ("runtime=100ms",), "50ms", "set runtime=250ms or more"),
        ("v=vol:type=gp3,size=10GiB,time_scale=10", ("runtime=400ms",), None, "about 100 ms worth of I/O"),
    ],
)
def test_runs_that_what_is_stored_would_outlast_are_refused(
    on: str, words: tuple[str, ...], stored: str | None, least: str
) -> None:
    with pytest.raises(UsageError, match=least):
        load_study(from_words(["randread"], [on], shared=words), {"depth": "1..4"}, None, stored)


@pytest.mark.parametrize(
    ("on", "words", "stored"),
    [
        ("x=.", ("runtime=5s",), None),
        ("x=.", ("runtime=60ms",), "0s"),
        ("x=.,engine=null", ("runtime=60ms",), None),
        ("v=vol:type=gp3,size=10GiB,time_scale=100", ("runtime=50ms",), None),
    ],
)
def test_runs_that_outlast_it_are_not(on: str, words: tuple[str, ...], stored: str | None) -> None:
    assert load_study(from_words(["randread"], [on], shared=words), {"depth": "1..4"}, None, stored)


def test_a_run_has_a_warm_up_that_uses_up_what_is_stored_and_intervals_that_show_it() -> None:
    study = load_study(from_words(["randread"], ["x=.", "y=.,warmup=7s,interval=1s"]), {"depth": "1..4"}, None)
    step = study.step(2)
    assert [step.plans["x"].parameters[name] for name in ("runtime", "warmup", "interval")] == [
        10_000_000_000,
        2_500_000_000,
        500_000_000,
    ]
    assert [step.plans["y"].parameters[name] for name in ("warmup", "interval")] == [7_000_000_000, 1_000_000_000]
    assert study.step(2, 4).plans["x"].parameters["runtime"] == 40_000_000_000
    assert study.step(2, 4).case == step.case


def test_what_may_be_stored_survives_the_study_file(tmp_path: Path) -> None:
    made = load_study(from_words(["randread"], ["x=/tmp"]), {"depth": "1..4"}, None, "200ms")
    path = tmp_path / "study.toml"
    path.write_text(tomli_w.dumps(made.to_table()))
    assert load_study_file(path) == made
    assert "stored" not in load_study(from_words(["randread"], ["x=."]), {}, None).to_table()["load_line"]


@pytest.mark.parametrize("test", ["dbench", "sysbench-fileio", "postmark"])
def test_tests_of_files_keep_the_parameters_that_they_have(test: str) -> None:
    """Some have a time, some a warm-up, none has intervals to choose."""
    study = load_study(from_words([test], ["x=."]), {"threads": "1..4"}, None)
    once, twice = (study.step(2, longer).plans["x"].parameters for longer in (1, 2))
    assert once.keys() == twice.keys() == study.steps()[0].plans["x"].parameters.keys()
    assert twice.get("runtime") == (2 * once["runtime"] if "runtime" in once else None)
