"""Passwords in addresses, with signs that end them for a reader of URLs: no part of one is ever shown."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stderr, suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plimsoll import remote
from plimsoll.addresses import holds_password, shown, shown_in
from plimsoll.cli.output import say
from plimsoll.errors import PlimsollError
from plimsoll.frontends.ycsb.bindings import BINDINGS
from plimsoll.frontends.ycsb.command_line import without_secrets
from plimsoll.frontends.ycsb.properties import Properties
from plimsoll.run.leftovers import address
from plimsoll.store.connection import parse_location
from plimsoll.store.connection import show as show_store
from plimsoll.targets.parse import parse_target

PARTS = ("Kq7xZ", "Vb9wY", "Lm4tR")
"""Of a password; what tells one of them tells a part of it."""
SIGNS = "@:/#?%&=+~!$*'"
ODD = st.lists(st.text(SIGNS, min_size=1, max_size=3), min_size=2, max_size=2).map(
    lambda signs: PARTS[0] + "".join(sign + part for sign, part in zip(signs, PARTS[1:], strict=True))
)
NUMBER_FIRST = st.builds(lambda number, odd: f"{number}{odd}", st.integers(0, 65535), ODD)


def said(act: Callable[[], object]) -> str:
    """What a caller would show of it: the result, or the sentence of the error."""
    try:
        return str(act())
    except PlimsollError as error:
        return str(error)


def clean(text: str) -> None:
    for part in PARTS:
        assert part not in text, text


@given(ODD | NUMBER_FIRST, st.sampled_from(["postgresql", "postgres", "mysql", "redis"]))
@example("p@Kq7xZ", "postgresql")
def test_no_part_of_a_password_is_shown(password: str, scheme: str) -> None:
    written = f"{scheme}://me:{password}@host:5432/db"
    assert holds_password(written)
    clean(shown(written))
    clean(shown_in(f"the database {written} cannot be used"))
    clean(said(lambda: parse_target(f"x={written}").where))
    clean(said(lambda: parse_target(f"bad name={written}").where))
    clean(said(lambda: parse_target(f"x=@worker:{written}").where))
    clean(said(lambda: address(written)))
    clean(" ".join(without_secrets(["load", "jdbc", "-p", f"db.url=jdbc:{written}"])))
    clean(said(lambda: remote._parse(f"s3://key:{password}@bucket/folder/file")))
    printed = io.StringIO()
    with redirect_stderr(printed):
        say(f"plimsoll: cannot use {written}")
    clean(printed.getvalue())


@given(ODD | NUMBER_FIRST)
@example("one@Kq7xZ")
def test_a_store_is_used_with_the_whole_password_or_not_at_all(password: str) -> None:
    location = f"postgresql://me:{password}@host/db"
    shown_place = "refused"
    with suppress(PlimsollError):
        url = parse_location(location)
        assert url.host == "host"
        shown_place = show_store(url)
    clean(shown_place)
    clean(said(lambda: parse_location(location).host))


@given(ODD | NUMBER_FIRST)
def test_a_jdbc_address_shows_none_either(password: str) -> None:
    notes: list[str] = []
    properties = Properties({"db.url": f"jdbc:postgresql://me:{password}@host:5432/db"}, notes.append)
    told = said(lambda: parse_target(BINDINGS["jdbc"](properties).address).where)
    clean(told + " ".join(notes))


def test_a_jdbc_address_may_have_its_password_in_an_option() -> None:
    url = "jdbc:mysql://host:3306/db?user=me&password=p@ss:w/d"
    found = BINDINGS["jdbc"](Properties({"db.url": url}, print))
    assert (found.address, found.password) == ("mysql://me@host:3306/db", "p@ss:w/d")


@pytest.mark.parametrize(
    "plain",
    [
        "postgresql://me@host:5432/db",
        "postgresql://me@corp@host/db",
        "http://host:8080/@scope/page",
        "sqlite:/data/a:b@c.db",
        "s3://bucket/2026-11-23T10:00@host.jsonl",
        "redis://127.0.0.1:6379/0",
        "postgresql://USER:PASSWORD@HOST/DATABASE",
    ],
)
def test_addresses_without_a_password_stay_as_they_are(plain: str) -> None:
    assert not holds_password(plain)
    assert shown(plain) == shown_in(plain) == plain


def test_values_that_are_called_secret_are_hidden() -> None:
    assert shown("az://box/file?sv=1&sig=abc%3D&se=2") == "az://box/file?sv=1&sig=***&se=2"
    assert shown("postgresql://host/db?sslpassword=x&a=b") == "postgresql://host/db?sslpassword=***&a=b"
