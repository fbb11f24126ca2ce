"""fio's logs: bandwidth, IOPS, latency and latency histograms over time, one file per job.

A line is `time_ms, value, direction, block size, priority`; values are averages of a window, so the block size is 0, as
with fio's log_avg_msec. Without it, `single_logs` writes a line for every operation.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import single_logs, values
from plimsoll.frontends.fio.execution import Done
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.fio.latency import BUCKETS, buckets_of
from plimsoll.frontends.fio.single_logs import DIRECTIONS, KINDS, log_path, opened, priority
from plimsoll.frontends.fio.statistics import windows
from plimsoll.frontends.results import open_result
from plimsoll.outgoing import check_regular
from plimsoll.run.outcome import OneInterval, Outcome
from plimsoll.stats.histogram import Histogram, decode
from plimsoll.units import KIB, MILLISECOND, SECOND

VIEWS = {
    "slat": ("{}_submission",),
    "clat": ("{}_completion", "{}_service", "{}"),
    "lat": ("{}_service", "{}"),
}
"""The core's names of each latency, the first of which that is there counts."""


TOGETHER = "agg-{}_bw.log"
"""fio's logs of all jobs together."""


def check(jobs: Sequence[Job], *, together: bool = False) -> None:
    """Refuse logs that cannot be written, before anything is measured."""
    for direction in DIRECTIONS if together else ():
        check_regular(Path(TOGETHER.format(direction)))
    for job in jobs:
        words = job.words
        single_logs.check(job)
        for option in filter(words.given, (*KINDS, "write_hist_log")):
            path = log_path(job, option, "log")
            if not path.parent.is_dir():
                where = job.section.where
                raise UsageError(
                    f"{where}: {option}: cannot write {path}: there is no directory {path.parent}; make it"
                )
            for kind in KINDS.get(option, ("clat_hist",)):
                check_regular(log_path(job, option, kind))
        if words.given("write_hist_log") and not words.read("log_hist_msec", values.whole):
            raise UsageError(f"{job.section.where}: write_hist_log needs log_hist_msec, such as log_hist_msec=1000")


def paths(jobs: Sequence[Job], *, together: bool = False) -> Iterator[tuple[str, Path]]:
    """The options that leave a log, and the log."""
    for direction in DIRECTIONS if together else ():
        yield "--bandwidth-log", Path(TOGETHER.format(direction))
    for job in jobs:
        for option in filter(job.words.given, (*KINDS, "write_hist_log")):
            for kind in KINDS.get(option, ("clat_hist",)):
                yield option, log_path(job, option, kind)


def write(done: Sequence[Done]) -> list[Path]:
    """Write the logs that the jobs ask for; returns their paths. Raises OSError."""
    written = []
    for each in done:
        if each.ended is None:
            continue
        outcome, words = each.ended.execution.outcome, each.job.words
        for name, kinds in KINDS.items():
            for kind in kinds if words.given(name) and not single_logs.wanted(each.job) else ():
                path = log_path(each.job, name, kind)
                _put(path, each.job, _series(each.job, outcome, kind))
                written.append(path)
        if words.given("write_hist_log"):
            path = log_path(each.job, "write_hist_log", "clat_hist")
            _put(path, each.job, _histograms(each.job, outcome))
            written.append(path)
    return written


def write_together(done: Sequence[Done]) -> None:
    """Write the bandwidth of all jobs together over time, one file per direction, as `--bandwidth-log` does."""
    outcomes = [each.ended.execution.outcome for each in done if each.ended is not None]
    begin_ns = min((outcome["started_ns"] for outcome in outcomes), default=0)
    for direction, number in DIRECTIONS.items():
        seconds: Counter[int] = Counter()
        for outcome in outcomes:
            for interval in outcome["intervals"]:
                end_ns = outcome["started_ns"] - begin_ns + interval["start_ns"] + interval["duration_ns"]
                if moved := interval["operations"].get(direction):
                    seconds[max(1, round(end_ns / SECOND))] += moved["bytes"]
        with open_result(Path(TOGETHER.format(direction))) as file:
            lines = (f"{second * 1000}, {seconds[second] // KIB}, {number}, 0, 0\n" for second in sorted(seconds))
            file.writelines(lines)


def _put(path: Path, job: Job, lines: Iterable[str]) -> None:
    with opened(job, path) as file:
        file.writelines(f"{line}\n" for line in lines)


def _series(job: Job, outcome: Outcome, kind: str) -> Iterator[str]:
    offset = ", 0" if job.words.on("log_offset") else ""
    issued = ", 0" if job.words.on("log_issue_time") else ""
    for rows in windows(outcome, job.words.read("log_avg_msec", values.whole)):
        time_ms = _time(job, outcome, rows[-1][1])
        for direction, number in DIRECTIONS.items():
            found = _mean_and_maximum(outcome, rows, direction, kind)
            if found is not None:
                yield f"{time_ms}, {_told(job, *found)}, {number}, 0{offset}, {priority(job)}{issued}"


def _told(job: Job, mean: int, maximum: int) -> str:
    """What `log_window_value` asks for."""
    wanted = job.words.text("log_window_value")
    return f"{mean}, {maximum}" if wanted == "both" else f"{maximum if wanted in ('max', '1') else mean}"


def _mean_and_maximum(
    outcome: Outcome, rows: Sequence[tuple[int, OneInterval]], direction: str, kind: str
) -> tuple[int, int] | None:
    """Of a window; nothing where nothing was done in it. Of a rate both are the same, as with fio."""
    seconds = sum(row["duration_ns"] for _, row in rows) / SECOND
    parts = [row["operations"].get(direction) for _, row in rows]
    counts = [part for part in parts if part and part["operations"]]
    if not counts:
        return None
    if kind == "bw":
        return (int(sum(count["bytes"] for count in counts) / KIB / seconds),) * 2
    if kind == "iops":
        return (int(sum(count["operations"] for count in counts) / seconds),) * 2
    return _latency(outcome, [index for index, _ in rows], [name.format(direction) for name in VIEWS[kind]])


def _time(job: Job, outcome: Outcome, interval: OneInterval) -> int:
    end_ms: int = round((interval["start_ns"] + interval["duration_ns"]) / MILLISECOND)
    return end_ms + (round(outcome["started_ns"] / MILLISECOND) if job.words.on("log_unix_epoch") else 0)


def _kept(outcome: Outcome, index: int, names: Sequence[str]) -> Histogram | None:
    kept = outcome.get("interval_histograms", [])
    found = kept[index] if index < len(kept) else {}
    encoded = next((found[name] for name in names if name in found), None)
    return decode(base64.b64decode(encoded)) if encoded else None


def _latency(outcome: Outcome, indices: Sequence[int], names: Sequence[str]) -> tuple[int, int] | None:
    """Mean and maximum of all operations in some intervals; nothing where there are none."""
    found = [histogram for index in indices if (histogram := _kept(outcome, index, names)) is not None]
    total = sum(histogram.count for histogram in found)
    if not total:
        return None
    mean = sum((histogram.mean or 0.0) * histogram.count for histogram in found) / total
    return int(mean), max(histogram.max or 0 for histogram in found)


def _histograms(job: Job, outcome: Outcome) -> Iterator[str]:
    """`time_ms, direction, block size, counts…`: the counts of fio's buckets in each window."""
    window = job.words.read("log_hist_msec", values.whole)
    coarse = job.words.read("log_hist_coarseness", values.whole)
    size = int(job.block_sizes[0][0])
    for rows in windows(outcome, window):
        time_ms = _time(job, outcome, rows[-1][1])
        for direction, number in DIRECTIONS.items():
            counts = [0] * BUCKETS
            for index, _ in rows:
                histogram = _kept(outcome, index, [name.format(direction) for name in VIEWS["clat"]])
                if histogram is not None:
                    middles = ((histogram.low + histogram.high) / 2).tolist()
                    for bucket, count in buckets_of(middles, histogram.counts.tolist()).items():
                        counts[bucket] += count
            step = 2**coarse
            joined = [sum(counts[start : start + step]) for start in range(0, BUCKETS, step)]
            if any(joined):
                yield f"{time_ms}, {number}, {size}, {', '.join(map(str, joined))}"
