"""`NAME=WHERE,option=value`: the form, and the law that what is written comes back."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plimsoll.errors import TargetError, UsageError
from plimsoll.targets.parse import NAME_LENGTH, parse_target

NAMES = st.from_regex(r"[A-Za-z0-9._-]{1,40}", fullmatch=True)
PLACES = st.text(st.characters(codec="utf-8", exclude_characters="\0,~"), min_size=1, max_size=30).map(
    lambda t: f"/{t}"
)
OPTIONS = st.dictionaries(
    st.from_regex(r"[a-z_][a-z0-9_]{0,12}", fullmatch=True),
    st.text(st.characters(codec="ascii", categories=("L", "N"), include_characters=":/+. -"), max_size=12).map(
        str.strip
    ),
    max_size=4,
)


@given(NAMES, PLACES, OPTIONS)
def test_what_is_written_comes_back(name: str, place: str, options: dict[str, str]) -> None:
    assume(place == place.strip())
    text = f"{name}={place}" + "".join(f",{option}={value}" for option, value in options.items())
    target = parse_target(text)
    assert (target.name, target.where, target.options) == (name, place, options)


@given(PLACES, OPTIONS)
def test_a_place_alone_gets_a_name(place: str, options: dict[str, str]) -> None:
    assume(place == place.strip())
    target = parse_target(place + "".join(f",{option}={value}" for option, value in options.items()))
    assert (target.where, target.options) == (place, options)
    assert re.fullmatch(rf"[A-Za-z0-9._-]{{1,{NAME_LENGTH}}}", target.name)


@given(st.text(max_size=40))
def test_any_text_is_a_target_or_a_usage_error(text: str) -> None:
    try:
        target = parse_target(text)
    except UsageError:
        return
    assert target.name
    assert target.where


@pytest.mark.parametrize(
    ("text", "name", "where", "options"),
    [
        ("nvme=/mnt/a", "nvme", "/mnt/a", {}),
        ("/mnt/a", "a", "/mnt/a", {}),
        ("/mnt/a/", "a", "/mnt/a/", {}),
        ("/", "root", "/", {}),
        ("/mnt/my disk", "my-disk", "/mnt/my disk", {}),
        ("/mnt/Größe", "Gr-e", "/mnt/Größe", {}),
        ("/mnt/a=b", "a-b", "/mnt/a=b", {}),
        ("x=/mnt/a=b,depth=2", "x", "/mnt/a=b", {"depth": "2"}),
        ("./a=b", "a-b", "./a=b", {}),
        ("/mnt/a,b", "a-b", "/mnt/a,b", {}),
        (
            "a=/m,block_size=4KiB:60 16KiB:40,rate=10MiB/s",
            "a",
            "/m",
            {"block_size": "4KiB:60 16KiB:40", "rate": "10MiB/s"},
        ),
    ],
)
def test_forms(text: str, name: str, where: str, options: dict[str, str]) -> None:
    target = parse_target(text)
    assert (target.name, target.where, target.options, target.kind) == (name, where, options, "directory")


@pytest.mark.parametrize(
    ("text", "name", "where", "options"),
    [
        ("db=postgres://u@h/d?x=1", "db", "postgres://u@h/d?x=1", {}),
        ("redis://cache.example:6379/0,clients=3", "cache.example", "redis://cache.example:6379/0", {"clients": "3"}),
        ("sqlite:/data/x.db", "sqlite", "sqlite:/data/x.db", {}),
    ],
)
def test_addresses_are_databases(text: str, name: str, where: str, options: dict[str, str]) -> None:
    target = parse_target(text)
    assert (target.name, target.where, target.options, target.kind) == (name, where, options, "database")


def test_the_current_directory_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "data-1"
    place.mkdir()
    monkeypatch.chdir(place)
    assert parse_target(".").name == "data-1"


def test_the_home_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert parse_target("a=~/x").where == str(tmp_path / "x")


def test_a_device_is_told_by_its_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plimsoll.targets.mounts.stat.S_ISBLK", lambda _mode: True)
    assert parse_target(f"a={os.devnull}").kind == "device"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no place"),
        ("x=", "names no place"),
        ("=/mnt/a", "'' is not a name"),
        ("my disk=/mnt/a", "'my disk' is not a name"),
        ("ä=/mnt/a", "is not a name"),
        (f"{'x' * 41}=/mnt/a", "is not a name"),
        ("a=/m,depth=1,depth=2", "gives depth twice"),
        ("a=/m\0x", "zero byte"),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        parse_target(text)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("jdbc:sqlite:/data/x.db", "target a: an address of JDBC is written without jdbc: here, as sqlite:/data/x.db"),
        ("JDBC:postgresql://h:5432/d", "here, as postgresql://h:5432/d"),
        ("jdbc:mysql://h/d?user=me&password=secret", "here, as mysql://h/d (user@ stands before the host"),
        ("jdbc:mariadb://me:secret@h/d", "here, as mariadb://me:***@h/d"),
        ("jdbc:oracle:thin:@h", "target a: no driver speaks oracle; addresses begin with"),
    ],
)
def test_an_address_of_jdbc_is_told_as_it_is_written_here(address: str, words: str) -> None:
    with pytest.raises(TargetError, match=re.escape(words)) as caught:
        parse_target(f"a={address}")
    assert "secret" not in str(caught.value)
