"""Heat maps and scores over months, as what a browser draws them from."""

from __future__ import annotations

import pytest
from tests.factories import make_histogram
from tests.unit.report.studies import drawn_spec

from plimsoll.report.palette import HEAT
from plimsoll.stats.histogram import decode
from plimsoll.units import DAY
from plimsoll.web.history import Level, Session
from plimsoll.web.pictures import SHARE_NAMES, SHARES, Column, _step, heat_map, over_time


def test_every_step_of_the_key_has_its_colour() -> None:
    assert len(HEAT) == len(SHARE_NAMES) == len(SHARES) + 1
    assert [_step(share) for share in (1e-9, *SHARES)] == list(range(len(HEAT)))
    assert _step(1.0) == len(HEAT) - 1


def test_a_heat_map_has_all_operations_of_each_column_inside_its_frame() -> None:
    found = [Column(str(n), decode(make_histogram(1e5 * (n + 1), 10_000))) for n in range(5)]
    chart = heat_map("heat", "latency", found)
    spec = drawn_spec(chart)
    tiles = spec["data"]["values"]
    low, high = spec["encoding"]["y"]["scale"]["domain"]
    assert all(low <= tile["v"] < tile["high"] <= high * 1.001 for tile in tiles)
    for column in range(5):
        shares = [float(tile["Share"].removesuffix(" %")) for tile in tiles if tile["c"] == column]
        assert sum(shares) == pytest.approx(100, abs=0.5)
    assert len(chart.data.rows) == 5
    assert f'fill="{list(HEAT)[-1]}"' in chart.svg()


def test_a_heat_map_without_any_operation_is_empty_and_drawn() -> None:
    assert "<svg" in heat_map("heat", "latency", []).inline()


def session(day: float, value: float | None, place: int = 0, event: str = "") -> Session:
    end = value or 1.0
    return Session(
        str(day),
        "h",
        int(day * DAY),
        value,
        end * 0.9,
        end * 1.1,
        3,
        3,
        pattern="" if value else "trend",
        place=place,
        event=event,
    )


@pytest.mark.parametrize("count", [1, 2, 40, 1000])
def test_scores_over_months_have_a_point_for_each_session(count: int) -> None:
    sessions = [session(20_000 + 3 * n, 1e5 + n) for n in range(count)]
    levels = [Level(0, count // 2, 1e5), Level(count // 2 + 1, count - 1, 9e4)] if count > 20 else []
    spec = drawn_spec(over_time("t", "iops", "1/s", sessions, levels))
    points, *others = spec["layer"]
    assert len(points["data"]["values"]) == count
    assert all(row["x"] > 0 for row in points["data"]["values"])
    assert len(others) == (2 if levels else 0)
    if levels:
        assert [row["sign"] for row in others[-1]["data"]["values"]] == ["▼"]
    assert "<svg" in over_time("t", "iops", "1/s", sessions, levels).svg()


def test_sessions_without_a_common_score_have_only_their_span() -> None:
    sessions = [session(20_000, None), session(20_001, 5.0, 1, "file system changed")]
    spec = drawn_spec(over_time("t", "iops", "1/s", sessions, []))
    assert [row["scored"] for row in spec["layer"][0]["data"]["values"]] == [False, True]
    assert [row["sign"] for row in spec["layer"][1]["data"]["values"]] == ["◆"]
