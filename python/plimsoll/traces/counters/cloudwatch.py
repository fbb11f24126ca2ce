"""CloudWatch: the JSON answer of `aws cloudwatch get-metric-data` for EBS volumes, with the query that it answers.

The answer does not say which statistic over which period its values are; only the query does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options
from plimsoll.traces.counters._times import moment
from plimsoll.traces.counters._together import Key, in_turn
from plimsoll.traces.series import Column, Found
from plimsoll.units import SECOND, format_duration

NAME = "cloudwatch"
TITLE = "CloudWatch get-metric-data JSON"

METRICS = {
    "VolumeReadOps": "reads",
    "VolumeWriteOps": "writes",
    "VolumeReadBytes": "read_bytes",
    "VolumeWriteBytes": "write_bytes",
    "VolumeTotalReadTime": "read_waited_s",
    "VolumeTotalWriteTime": "write_waited_s",
}


@dataclass(frozen=True)
class _Query:
    """What one result is."""

    metric: str
    stat: str
    period_s: float
    volume: str


def recognise(head: str) -> bool:
    """An answer of get-metric-data."""
    return head.lstrip().startswith("{") and bool(re.search(r'"MetricDataResults"\s*:', head))


def read(text: str, options: Options) -> list[Found]:
    """Each volume. Values are sums over a period; averages of EBS are refused."""
    try:
        results = json.loads(text)["MetricDataResults"]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"no whole answer of get-metric-data ({error}); save it again") from None
    queries = _queries(options.query) if options.query is not None else {}
    pieces: list[tuple[Key, Column]] = []
    notes: list[str] = []
    periods: dict[str, float] = {}
    for result in results:
        query = queries.get(str(result.get("Id"))) or _said(result, options)
        ours = METRICS.get(query.metric)
        if ours is None:
            continue
        _refuse_averages(query)
        if result.get("StatusCode") == "PartialData":
            notes.append(f"{query.metric}: CloudWatch says that these are not all data (PartialData)")
        times, values = _rows(result, query)
        pieces.append(((query.volume, ours), Column("sum", times, values)))
        if periods.setdefault(query.volume, query.period_s) != query.period_s:
            lengths = " and of ".join(
                format_duration(each * SECOND) for each in (periods[query.volume], query.period_s)
            )
            raise UsageError(f"{query.volume} has periods of {lengths}; ask for one length")
    if not pieces:
        raise UsageError(f"no metric of EBS; ask for {', '.join(list(METRICS)[:4])}")
    # A long answer comes in pages, each with results of its own for the same metric.
    columns: dict[str, dict[str, Column]] = {}
    for (volume, ours), column in in_turn(pieces).items():
        columns.setdefault(volume, {})[ours] = column
    return [Found(name, _summed(each), periods[name], "UTC", notes=tuple(notes)) for name, each in columns.items()]


def _rows(result: Mapping[str, Any], query: _Query) -> tuple[list[float], list[float]]:
    try:
        starts = [moment(str(each), f"{query.metric}, a time")[0] for each in result["Timestamps"]]
        rows = sorted(zip(starts, map(float, result["Values"]), strict=True))
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"{query.metric}: times and values do not belong together; save the answer again") from None
    least_s = min((b - a for (a, _), (b, _) in pairwise(rows)), default=0.0)
    if len(rows) > 2 and least_s > query.period_s:
        asked, seen = (format_duration(each * SECOND) for each in (query.period_s, least_s))
        raise UsageError(f"{query.metric}: no two times are closer than {seen}, so these are no sums over {asked}")
    # Times are the starts of periods.
    return [start + query.period_s for start, _ in rows], [value for _, value in rows]


def _summed(columns: Mapping[str, Column]) -> dict[str, Column]:
    found = dict(columns)
    waits = [found.pop(name) for name in ("read_waited_s", "write_waited_s") if name in found]
    if len(waits) == 2:
        times = list(waits[0].times)
        second = dict(zip(waits[1].times, waits[1].values, strict=True))
        found["waited_s"] = Column(
            "sum", times, [a + second.get(t, 0.0) for t, a in zip(times, waits[0].values, strict=True)]
        )
    return found


def _queries(path: Path) -> Mapping[str, _Query]:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        given = given.get("MetricDataQueries", []) if isinstance(given, dict) else given
        found = {}
        for each in given:
            stat = each.get("MetricStat")
            if stat is None:
                continue
            metric = stat["Metric"]
            where = {one["Name"]: one["Value"] for one in metric.get("Dimensions", [])}
            volume = where.get("VolumeId", "volume")
            found[str(each["Id"])] = _Query(metric["MetricName"], stat["Stat"], float(stat["Period"]), volume)
    except OSError as error:
        raise UsageError(f"--query {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(
            f"--query {path}: not a file of --metric-data-queries with MetricStat, Metric, Period and Stat"
        ) from None
    return found


def _said(result: Mapping[str, Any], options: Options) -> _Query:
    """By the label and the options, where there is no query."""
    label = str(result.get("Label", ""))
    if options.stat is None or options.period_s is None:
        raise UsageError(
            "the answer does not say which statistic over which period it has: add --query FILE, the file of "
            "--metric-data-queries, or --stat Sum --period 5m"
        )
    words = label.split()
    metric = next((word for word in words if word in METRICS), label)
    volume = next((word for word in words if word.startswith("vol-")), "volume")
    return _Query(metric, options.stat, options.period_s, volume)


def _refuse_averages(query: _Query) -> None:
    if query.stat.lower() != "sum":
        raise UsageError(
            f"{query.metric} with statistic {query.stat}: of EBS volumes that is a mean per sample, not per second, "
            "and says nothing about a rate; ask for Sum"
        )
