"""A place is its facts: what is known of both and differs makes two places, what is not known makes none."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll.identity import changes, place_facts, told_apart, words_apart
from plimsoll.model import Target

HOST = {"hostname": "bench-1"}


def facts(kind: str = "directory", where: str = "/mnt/a", host: Any = None, **known: Any) -> dict[str, str]:
    options = known.pop("options", {})
    return place_facts(Target(name="disk", kind=kind, where=where, options=options, facts=known), host or HOST)


def disk(key: str, size: int = 100 * 2**30, **known: Any) -> dict[str, Any]:
    return {"devices": [{"name": "sda", "size_bytes": size, "model": "", "key": key}], **known}


def test_a_label_and_a_path_are_no_facts() -> None:
    one = place_facts(Target(name="disk", where="/mnt/a", facts={"file_system": "xfs", "path": "/mnt/a"}), HOST)
    other = place_facts(Target(name="data", where="/tmp/7f3a", facts={"file_system": "xfs", "path": "/tmp/7f3a"}), HOST)
    assert one == other == {"file system": "xfs", "host": "bench-1"}


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (facts(file_system="ext4"), facts(file_system="tmpfs"), "file system changed from ext4 to tmpfs"),
        (facts(), facts(host={"hostname": "bench-2"}), "host changed from bench-1 to bench-2"),
        (facts(**disk("aa")), facts(**disk("bb")), "device changed from aa to bb"),
        (facts(**disk("aa")), facts(**disk("aa", 200 * 2**30)), "size changed from 100 GiB to 200 GiB"),
        (
            facts("volume", "vol:type=gp2,size=1GiB,fs=xfs"),
            facts("volume", "vol:type=gp3,size=1GiB,fs=ext4"),
            "volume changed from size=1GiB type=gp2 to size=1GiB type=gp3",
        ),
        (facts(options={"as": "gp2"}), facts(options={"as": "gp3"}), "volume changed from gp2 to gp3"),
        (
            facts("database", "redis://a:1"),
            facts("database", "redis://b:1"),
            "address changed from redis://a:1 to redis://b:1",
        ),
    ],
)
def test_what_differs_makes_another_place(one: dict[str, str], other: dict[str, str], told: str) -> None:
    assert changes(one, other) == [told]
    assert told_apart([one, other, one]) == [0, 1, 0]


def test_a_place_on_a_worker_has_the_host_of_its_worker() -> None:
    host = {"hostname": "laptop", "workers": {"w1": {"hostname": "node-1"}}}
    assert facts(where="@w1:/mnt", host=host) == {"host": "node-1"}


def test_what_is_not_known_differs_from_nothing() -> None:
    known, old = {"file system": "ext4", "device": "aa"}, {"file system": "ext4"}
    assert changes(known, old) == []
    assert told_apart([old, known, {}]) == [0, 0, 0]


def test_a_set_that_fits_several_places_stays_on_its_own() -> None:
    assert told_apart([{"file system": "ext4"}, {"file system": "tmpfs"}, {}]) == [0, 1, 2]


def test_the_order_of_the_sets_does_not_matter() -> None:
    sets = [{"a": "1"}, {"a": "1", "b": "1"}, {"a": "2"}, {"b": "1", "a": "1"}]
    assert told_apart(sets) == [0, 0, 1, 0]
    assert told_apart(sets[::-1]) == [0, 1, 0, 0]


def test_the_fewest_words_that_tell_places_apart() -> None:
    assert words_apart([{"file system": "ext4", "host": "a"}, {"file system": "tmpfs", "host": "a"}]) == [
        "ext4",
        "tmpfs",
    ]
    assert words_apart([{"file system": "ext4", "host": "a"}, {"file system": "ext4", "host": "b"}]) == ["a", "b"]
    assert words_apart([{"device": "aa"}, {"device": "bb"}]) == ["device aa", "device bb"]
    assert words_apart([{"file system": "ext4"}, {"file system": "xfs"}, {}]) == ["ext4", "xfs", "file system unknown"]
