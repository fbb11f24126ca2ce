"""Targets alternate in slices where that is right; where it is asked for and would mislead, it is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from plimsoll.catalog.volume_type import volume_type, volume_types
from plimsoll.errors import UnknownName, UsageError
from plimsoll.run import interleave, plan
from plimsoll.run.study import Study, from_table, from_words
from plimsoll.simulation.grid import grid

TWO = ("a=.", "b=.,depth=9")
SHARED_MEMORY = "/dev/shm"


def study(*on: str, tests: tuple[str, ...] = ("randread",), **choices: object) -> Study:
    return replace(from_words(tests, on or TWO, seed=1, interleave="slices"), **choices)


def ways(asked: Study) -> list[interleave.Way]:
    return list(interleave.ways(asked, plan.steps(asked)).values())


SETTINGS = [
    study(),
    study("a=.", "b=.,engine=psync,depth=1"),
    study("a=.", "b=.,block_size=16KiB", tests=("randrw", "seqread")),
    study("a=.", "b=.,mode=randwrite,direct=no,sync=dsync"),
    study("a=.,direct=no", "b=."),
]


@pytest.mark.parametrize("asked", SETTINGS)
def test_settings_of_one_disk_alternate(asked: Study) -> None:
    assert all(way.slices for way in ways(asked))
    for way in ways(replace(asked, interleave="auto")):
        assert str(way) == "in turns, several times a second (a and b share one device, which is never idle)"


@pytest.mark.parametrize(
    ("on", "why"),
    [
        (("a=.",), "there is one target, and nothing to alternate with"),
        (("a=.", "b=.,as=gp3+size=100GiB"), "target b has the limits of gp3+size=100GiB, and what it saves up"),
        (("a=.", "b=.,cap_iops=3000"), "target b has a limit (cap_iops=3000), and what it saves up"),
        (("a=.", "b=vol:gp3,size=100GiB"), "target b is an emulated volume with limits, and what it saves up"),
        (
            ("a=.,warmup=2s", "b=."),
            "warms up for 1 s on b and 2 s on a, and targets that share a block do that equally",
        ),
        (
            ("a=.", "b=.,runtime=9s"),
            "runs for 9 s on b and 10 s on a, and targets that share a block do that equally long",
        ),
        (("a=.,runtime=100ms", "b=.,runtime=100ms"), "runs for 100 ms, and slices need 160 ms"),
        (("a=.", "b=.,verify=yes"), "test randread cannot: "),
        (("a=.", "b=.,mode=randwrite,direct=no"), "test randread leaves writes in the page cache, which would be done"),
        (
            ("a=.", "b=.,mode=randwrite,direct=no,sync=fsync,sync_every=9"),
            "test randread leaves writes in the page cache",
        ),
        (("a=.", "b=.,max_operations=9"), "test randread cannot: "),
        (("a=.", "b=.,implementation=original"), "is run by another program, which cannot pause"),
    ],
)
def test_what_cannot_alternate_is_refused_with_the_reason_and_otherwise_done_in_whole_blocks(
    on: tuple[str, ...], why: str
) -> None:
    with pytest.raises(UsageError) as refused:
        ways(study(*on))
    assert why in str(refused.value)
    assert str(refused.value).startswith("--interleave slices: ")
    (way,) = ways(study(*on, interleave="auto"))
    assert not way.slices
    if len(on) > 1:
        assert why in f"test randread {way.why}".replace("test randread the test", "test randread")
    else:
        assert str(way) == "one after the other"


AT_ONCE = ("a=vol:gp3,size=100GiB", "b=vol:gp2,size=100GiB")


def test_volumes_with_limits_of_their_own_run_at_once_where_that_is_asked_for() -> None:
    (way,) = ways(study(*AT_ONCE, interleave="parallel"))
    assert str(way) == "at the same time (as asked)"
    (way,) = ways(study(*AT_ONCE, interleave="auto"))
    assert not way.parallel


@pytest.mark.parametrize(
    ("on", "test", "why"),
    [
        (("a=.",), "randread", "there is one target, and nothing to run beside"),
        (TWO, "randread", "a and b share "),
        (("a=vol:gp3,size=100GiB", "b=."), "randread", "whether a and b share a device cannot be told"),
        ((*AT_ONCE[:1], f"{AT_ONCE[1]},runtime=9s"), "randread", "runs for 9 s on b and 10 s on a"),
        ((*AT_ONCE[:1], f"{AT_ONCE[1]},warmup=2s"), "randread", "warms up for 1 s on a and 2 s on b"),
        (AT_ONCE, "postmark", "is no test of block I/O, and only these run on all targets at once"),
        ((*AT_ONCE[:1], f"{AT_ONCE[1]},implementation=original"), "randread", "is run by another program"),
    ],
)
def test_what_cannot_run_at_once_is_refused_with_the_reason(on: tuple[str, ...], test: str, why: str) -> None:
    with pytest.raises(UsageError) as refused:
        ways(study(*on, tests=(test,), interleave="parallel"))
    assert str(refused.value).startswith("--interleave parallel: ")
    assert why in str(refused.value)


def test_what_has_an_end_of_its_own_is_not_cut() -> None:
    two = study("a=.", "b=./", tests=("postmark",))
    with pytest.raises(
        UsageError, match="test postmark has an end of its own: only what goes on for as long as it is told can pause"
    ):
        ways(two)
    assert [way.slices for way in ways(study("a=.", "b=./", tests=("postmark", "randread"), interleave="auto"))] == [
        False,
        True,
    ]


REDIS = "server=redis"


@pytest.mark.parametrize(
    ("on", "test", "slices", "why"),
    [
        ((f"a=.,{REDIS}", f"b=.,{REDIS},clients=2"), "ycsb-c", True, "a and b share one device, which is never idle"),
        ((f"a=.,{REDIS}", f"b=.,{REDIS},durability=none"), "ycsb-c", True, "share one device"),
        (("a=redis://h/1", "b=redis://u@h/2"), "ycsb-c", True, "a and b share one server, which is never idle"),
        (("a=sqlite:/x/a.db", "b=sqlite:/x/a.db,clients=2"), "ycsb-c", True, "share one database"),
        (("a=redis://h:1/1", "b=redis://h:2/1"), "ycsb-c", False, "they are not on one server, and one with a limit"),
        (("a=redis://h/1", "b=/tmp,server=redis"), "ycsb-c", False, "they are not on one device"),
        ((f"a=.,{REDIS}", f"b=.,{REDIS},clients=2"), "ycsb-a", False, "the test writes, and a database does part of"),
        (("a=postgresql://h/x", "b=postgresql://h/x,clients=2"), "tpcb-select-only", True, "share one server"),
        (("a=postgresql://h/x", "b=postgresql://h/x,clients=2"), "tpcb", False, "the test writes"),
        (("a=http://h/x", "b=http://h/x,clients=2"), "web-static", True, "share one server"),
        ((f"a=.,{REDIS},fault=expected", f"b=.,{REDIS}"), "ycsb-c", False, "the test waits for an outage"),
        ((f"a=.,{REDIS},max_operations=9", f"b=.,{REDIS}"), "ycsb-c", False, "the test cannot: the slices say how"),
    ],
)
def test_databases_alternate_where_they_only_read_on_one_server_or_device(
    on: tuple[str, ...], test: str, slices: bool, why: str
) -> None:
    (way,) = ways(study(*on, tests=(test,), interleave="auto"))
    assert way.slices is slices
    assert why in str(way)


def test_writes_to_a_database_alternate_where_that_is_asked_for() -> None:
    for test in ("ycsb-a", "tpcb"):
        server = REDIS if test == "ycsb-a" else "server=postgresql"
        (way,) = ways(study(f"a=.,{server}", f"b=.,{server},clients=2", tests=(test,)))
        assert str(way) == "in turns, several times a second (as asked)"
    load = "data=recreate,measure=load"
    with pytest.raises(UsageError, match=r"cannot: a load .* has no steady state"):
        ways(study(f"a=.,{REDIS},{load}", f"b=.,{REDIS},clients=2,{load}", tests=("ycsb-c",)))


def test_devices_that_may_rest_are_not_given_a_rest(tmp_path: Path) -> None:
    memory = f"b={SHARED_MEMORY}"
    (way,) = ways(study(f"a={tmp_path}", memory, interleave="auto"))
    assert str(way) == (
        "one after the other (they are not on one device, and one with a limit would save up while another works)"
    )
    assert all(each.slices for each in ways(study(f"a={tmp_path}", memory)))


@pytest.mark.parametrize("name", [each.name for each in volume_types() if not each.until])
@pytest.mark.parametrize("place", ["vol:{}", ".,as={}"])
def test_no_volume_of_the_catalog_ever_alternates_by_itself(name: str, place: str) -> None:
    needed = {"instance": "m5d.large"} if volume_type(name, None, "here").is_local else {"size": "100GiB"}
    sold = grid(name, needed)
    units = {"size": "GiB", "throughput": "MiB/s"}
    options = {**sold.options, **{axis.name: f"{axis.values[0]}{units.get(axis.name, '')}" for axis in sold.axes}}
    given = [f"{key}={value}" for key, value in options.items() if key != "type"]
    joined = ",".join([name, *given]) if place.startswith("vol") else "+".join([name, *given])
    asked = study("a=.", f"b={place.format(joined)}", interleave="auto")
    assert not any(way.slices for way in ways(asked))
    with pytest.raises(UsageError, match="what it saves up while another works would show as speed"):
        ways(replace(asked, interleave="slices"))


def test_what_is_measured_elsewhere_may_have_a_reason_of_its_own() -> None:
    asked = study()
    steps = plan.steps(asked)
    with pytest.raises(UsageError, match="--interleave slices: the wind blows; leave --interleave out"):
        interleave.one_by_one(asked, steps, "the wind blows")
    chosen = interleave.one_by_one(replace(asked, interleave="auto"), steps, "the wind blows")
    assert {str(way) for way in chosen.values()} == {"one after the other (the wind blows)"}
    said = interleave.one_by_one(replace(asked, interleave="blocks"), steps, "the wind blows")
    assert {str(way) for way in said.values()} == {"one after the other (as asked)"}
    rented = interleave.of_rented(replace(asked, interleave="auto"), steps)
    assert {way.why for way in rented.values()} == {"rented volumes have limits, and save up while another works"}
    alone = replace(study("a=."), interleave="auto")
    assert {str(way) for way in interleave.of_rented(alone, plan.steps(alone)).values()} == {"one after the other"}


def test_blocks_are_asked_nothing() -> None:
    asked = study("a=.,as=gp3+size=100GiB", "b=.,runtime=9s", interleave="blocks")
    assert [str(way) for way in ways(asked)] == ["one after the other (as asked)"]


def test_a_way_that_is_none_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"slice.*slices"):
        study(interleave="slice")


def test_a_study_file_keeps_the_way_and_says_nothing_of_the_usual_one() -> None:
    for way in ("slices", "blocks"):
        assert from_table(study(interleave=way).to_table(), "x").interleave == way
    assert "interleave" not in study(interleave="auto").to_table()
