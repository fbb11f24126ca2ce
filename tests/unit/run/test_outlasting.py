"""`plimsoll plan` says before the run which burst it would not outlast, and how long a run must be that does."""

from __future__ import annotations

import pytest

from plimsoll.run.outlasting import bursts
from plimsoll.run.plan import steps
from plimsoll.run.studies import chosen


def told(where: str, **settings: str) -> list[str]:
    study = chosen(["randread"], [f"v={where}"], settings, {})
    return list(bursts(study, steps(study)))


def test_a_run_that_ends_before_the_burst_is_told_how_long_it_must_be() -> None:
    assert told("vol:type=gp2,size=100GiB", runtime="60s") == [
        "v (randread): credits of the volume may hold 3,000/s for 33 min 20 s; only runs that are longer see the 300/s "
        "that last (runtime=44m)"
    ]


def test_the_machines_credits_count_too() -> None:
    (sentence,) = told("aws:gp3,size=100GiB,iops=16000,instance=m5.large", runtime="60s")
    assert sentence.startswith("v (randread): credits of the instance may hold 16,000/s for ")
    assert "the 3,600/s that last" in sentence


@pytest.mark.parametrize(
    ("where", "settings"),
    [
        ("vol:type=gp2,size=100GiB", {"runtime": "45m"}),
        ("vol:type=gp2,size=100GiB,time_scale=200", {"runtime": "20s"}),
        ("vol:type=gp2,size=100GiB,credits=0%", {"runtime": "60s"}),
        ("vol:type=gp3,size=100GiB", {"runtime": "60s"}),
        ("vol:type=gp2,size=1000GiB", {"runtime": "60s"}),
        ("/tmp", {"runtime": "60s"}),
    ],
)
def test_nothing_is_said_where_nothing_ends_or_it_is_seen(where: str, settings: dict[str, str]) -> None:
    assert told(where, **settings) == []
