"""The room that a private server is said to need."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll.model import Plan
from plimsoll.parameters import defaults
from plimsoll.run.workloads import db
from plimsoll.units import GIB, MIB, SECOND


def room(server: str, **changes: Any) -> int:
    values = {**defaults("ycsb"), "server": server, **changes}
    plan = Plan(test="t", case="t", workload="ycsb", parameters=values, metrics=("operation_rate",))
    return sum(db.data_files(plan).values())


@pytest.mark.parametrize(("server", "most"), [("postgresql", 300), ("mariadb", 200), ("redis", 24), ("sqlite", 4)])
def test_a_thousand_records_do_not_take_a_gigabyte(server: str, most: int) -> None:
    assert room(server, records=1000) < most * MIB


def test_what_is_written_takes_its_room() -> None:
    # An empty cluster of PostgreSQL 15 takes 39 MiB, MariaDB's files 126 MiB.
    assert room("postgresql", records=1000, runtime=SECOND, warmup=0) > 39 * MIB
    assert room("mariadb", records=1000, runtime=SECOND, warmup=0) > 126 * MIB
    # In an hour PostgreSQL keeps as much of its log as it ever does.
    assert room("postgresql", records=1000, runtime=3600 * SECOND) > GIB
    assert room("postgresql", records=20_000_000) > 20 * 10**9
