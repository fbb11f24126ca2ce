"""What `plimsoll plan` says about money."""

from __future__ import annotations

import pytest

from plimsoll.cli.plan_cost import rows, sentences
from plimsoll.errors import UnknownName
from plimsoll.model import Target
from plimsoll.prices.cost import read_region
from plimsoll.units import HOUR

KNOWN = Target(name="a", where="/a", options={"as": "gp2+size=385GiB+instance=m5d.large"})
SERVED = Target(name="b", kind="volume", where="vol:type=standard,size=100GiB,era=2009,fs=ext3")
UNPRICED = Target(name="c", where="/c", options={"as": "premium-ssd+size=64GiB"})
UNKNOWN = Target(name="d", where="/d")


def test_only_known_volumes_have_a_price_and_every_price_its_date() -> None:
    said = list(sentences([KNOWN, SERVED, UNPRICED, UNKNOWN], HOUR))
    assert len(said) == 3
    assert "a: gp2 385 GiB" in said[0]
    assert "costs at most $0.17 for this session; $120.99 a month with m5d.large (prices as of 2026-" in said[0]
    assert "would cost at most $0.014 for this session, and $0.10 per million requests" in said[1]
    assert "2012-05-06" in said[1]
    assert "no price is known of premium-ssd.P6" in said[2]


def test_for_programs() -> None:
    first, second = rows([KNOWN, SERVED], HOUR)
    assert (first["emulated"], second["emulated"]) == (False, True)
    assert first["prices_as_of"] >= "2026"
    assert second["usd_per_million_requests"] == 0.10


def test_a_target_may_name_its_region() -> None:
    there = Target(name="a", where="/a", options={"as": "gp3+size=100GiB", "region": "eu-west-1"})
    [row] = rows([there], HOUR)
    assert (row["region"], row["usd_per_month"]) == ("eu-west-1", pytest.approx(8.8))
    assert read_region("ap-northeast-1") == "ap-northeast-1"
    with pytest.raises(UnknownName, match="us-east-1"):
        read_region("us-east-9")
