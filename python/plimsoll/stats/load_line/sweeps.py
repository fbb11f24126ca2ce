"""Runs of another tool at several loads as the points of a load line.

Imported runs of one target belong together if their tool, their test and all parameters but a load are the same. The
nth run at a load is of the nth round. Nothing is known of what was stored, or of how busy the client was.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from plimsoll.model import Run, RunStatus, Score
from plimsoll.stats.course import series_of
from plimsoll.stats.littles_law import residual
from plimsoll.stats.load_line.answer import Met
from plimsoll.stats.load_line.points import KEPT, Phase, Point, throughput_of
from plimsoll.stats.load_line.slo import Objective
from plimsoll.stats.summary import summarise

LONGEST_WORD = 40
"""Characters of a parameter in a label."""
FEWEST_LOADS = 3
"""Two loads are a comparison of two settings."""
LOADS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "fio": (("iodepth", "depth"), ("numjobs", "jobs"), ("rate_iops", "rate")),
    "ycsb": (("threads", "threads"), ("target", "rate")),
    "pgbench": (("clients", "clients"), ("rate", "rate")),
    "sysbench": (("threads", "threads"), ("target_rate", "rate")),
    "diskspd": (("outstanding", "depth"), ("threads", "threads")),
    "cassandra-stress": (("threads", "threads"),),
}
"""By tool, the parameters that are a load, and what they are called here."""
_IN_FLIGHT = {
    "fio": ("iodepth", "numjobs"),
    "ycsb": ("threads",),
    "pgbench": ("clients",),
    "sysbench": ("threads",),
    "diskspd": ("outstanding", "threads"),
    "cassandra-stress": ("threads",),
}
"""Parameters whose product is how many operations a closed loop has in flight."""
_FOLLOWING = {"pgbench": {"clients": "threads"}}
"""A parameter that people raise along with a load, to serve it: it may differ where each load has one value of it."""
_ASIDE = ("sync", "commit", "read_modify_write", "schedule_lag")
"""Kinds of operation that contain others or are no operations of their own."""


class _Key(NamedTuple):
    """What the runs of a sweep have in common."""

    target: str
    workload: str
    parameter: str
    load: str
    fixed: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Sweep:
    """Runs of one target that differ in a load alone, in their order."""

    target: str
    parameter: str
    """As the file calls it."""
    load: str
    """As load lines call it: `depth`, `clients`, `threads`, `jobs`, `rate`."""
    fixed: Mapping[str, str]
    """The other parameters, as text."""
    runs: tuple[Run, ...]

    @property
    def loads(self) -> tuple[float, ...]:
        """The load of each run."""
        return tuple(_load(run, self.parameter) or 0.0 for run in self.runs)


def sweeps(runs: Sequence[Run]) -> tuple[Sweep, ...]:
    """Every sweep among imported runs; a run belongs to one, that with the most loads."""
    groups: dict[_Key, list[Run]] = defaultdict(list)
    order: dict[_Key, int] = {}
    for run in runs:
        if "imported" not in run.facts:
            continue
        for place, (parameter, load) in enumerate(LOADS.get(run.plan.test, ())):
            if _load(run, parameter) is not None:
                key = _Key(run.target.name, run.plan.workload, parameter, load, _fixed(run, parameter))
                groups[key].append(run)
                order.setdefault(key, place)
    found: list[Sweep] = []
    taken: set[str] = set()
    for key in sorted(groups, key=lambda key: (-_levels(groups[key], key.parameter), order[key])):
        free = [run for run in groups[key] if run.id not in taken]
        if _levels(free, key.parameter) >= FEWEST_LOADS and _follows(free, key.parameter):
            taken |= {run.id for run in free}
            found.append(Sweep(key.target, key.parameter, key.load, dict(key.fixed), tuple(free)))
    first = {run.id: place for place, run in enumerate(runs)}
    return tuple(sorted(found, key=lambda each: first[each.runs[0].id]))


def points(sweep: Sweep, percent: float | None = None) -> list[Point]:
    """The points of a load line; `percent` (99.0) is that of an objective."""
    rounds: Counter[float] = Counter()
    found = []
    for run, load in zip(sweep.runs, sweep.loads, strict=True):
        found.append(_point(run, sweep, load, rounds[load], percent))
        rounds[load] += 1
    return found


def largest_within(found: Sequence[Point], objective: Objective) -> Met | None:
    """The largest load up to which the median of every load meets an objective; None where no run says its latency."""
    known = [point for point in found if point.valid and point.objective_ns]
    levels = sorted({point.load for point in known})
    if not levels:
        return None
    at = {load: [point for point in known if point.load == load] for load in levels}
    kept = [load for load in levels if _median(at[load]) <= objective.limit_ns]
    missed = [load for load in levels if load not in kept]
    below = [load for load in kept if not missed or load < missed[0]]
    load = below[-1] if below else levels[0]
    timed = [point.objective_ns for point in at[load] if point.objective_ns and math.isfinite(point.objective_ns)]
    if not timed:
        return None
    return Met(
        load=load,
        met=bool(below),
        latency=summarise(timed, "lower"),
        throughput=summarise([point.throughput for point in at[load]], "higher"),
        at_top=load == levels[-1],
        against=tuple(each for each in kept if each > load),
    )


def _median(found: Sequence[Point]) -> float:
    return median(point.objective_ns or math.inf for point in found)


def _point(run: Run, sweep: Sweep, load: float, number: int, percent: float | None) -> Point:
    score = throughput_of(run)
    throughput = score.value if score is not None else 0.0
    late = sweep.load == "rate" and 0 < throughput < KEPT * load
    mean = None if late else _mean(run)
    wanted = None if percent is None else _percentile(run, f"p{percent:g}".replace(".", ""))
    series = series_of(run, "1/s") or series_of(run, "B/s")
    return Point(
        load=load,
        phase=Phase.ROUND,
        round=number,
        valid=run.status is RunStatus.OK and 0 < throughput < math.inf,
        throughput=throughput,
        mean_ns=mean,
        p50_ns=None if late else _percentile(run, "p50"),
        p99_ns=None if late else _percentile(run, "p99"),
        objective_ns=math.inf if late and percent is not None else wanted,
        overloaded=late,
        littles_law=_littles_law(run, sweep, score, mean),
        lasted_ns=float(run.ended_ns - run.started_ns),
        steady=series is None or series.regime.burst is None,
    )


def _fixed(run: Run, parameter: str) -> tuple[tuple[str, str], ...]:
    """All parameters but the load, as text that is equal only for equal values."""
    follows = _FOLLOWING.get(run.plan.test, {}).get(parameter)
    values = run.plan.parameters.items()
    kept = ((name, value) for name, value in values if name not in (parameter, follows))
    return tuple(sorted((name, json.dumps(value, sort_keys=True, default=str)) for name, value in kept))


def _follows(runs: Sequence[Run], parameter: str) -> bool:
    """Whether what was raised along with the load has one value at each load."""
    follows = _FOLLOWING.get(runs[0].plan.test, {}).get(parameter) if runs else None
    if follows is None:
        return True
    seen: dict[float | None, set[str]] = defaultdict(set)
    for run in runs:
        seen[_load(run, parameter)].add(str(run.plan.parameters.get(follows)))
    return all(len(values) == 1 for values in seen.values())


def _levels(runs: Sequence[Run], parameter: str) -> int:
    return len({_load(run, parameter) for run in runs})


def _load(run: Run, parameter: str) -> float | None:
    """A positive number; files of strangers may hold anything else."""
    value = run.plan.parameters.get(parameter)
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf
    return float(value) if known and isinstance(value, int | float) else None


def _kinds(run: Run, name: str) -> dict[str, Score]:
    """The scores of this name by their kind of operation, without kinds that contain others."""
    found = {
        score.metric.removesuffix(f"_{name}"): score
        for score in run.scores
        if score.metric.endswith(f"_{name}") and score.unit == "ns" and score.value > 0
    }
    return {kind: each for kind, each in found.items() if kind not in _ASIDE and not kind.startswith("intended")}


def _mean(run: Run) -> float | None:
    """Mean latency of all operations; None where the file does not say how many of each kind there were."""
    means = _kinds(run, "mean")
    if len(means) < 2:
        return next((score.value for score in means.values()), None)
    done = run.facts.get("operations")
    counts = {kind: done.get(kind) if isinstance(done, Mapping) else None for kind in means}
    known = {kind: float(count) for kind, count in counts.items() if isinstance(count, int | float) and count > 0}
    if len(known) < len(means):
        return None
    return sum(known[kind] * score.value for kind, score in means.items()) / sum(known.values())


def _percentile(run: Run, name: str) -> float | None:
    """That of the only kind, or of the slowest: that of all together is no higher. None where a kind has none."""
    found = _kinds(run, name)
    if not found or len(found) < len(_kinds(run, "mean")):
        return None
    return max(score.value for score in found.values())


def _littles_law(run: Run, sweep: Sweep, score: Score | None, mean: float | None) -> float | None:
    if score is None or score.unit != "1/s" or mean is None or sweep.load == "rate":
        return None
    counts = [_load(run, name) or 1.0 for name in _IN_FLIGHT[run.plan.test]]
    return residual(score.value, mean, math.prod(counts))


def told_apart(found: Sequence[Sweep]) -> Iterator[str]:
    """A label for each: the target, with what else differs where it has several sweeps."""
    for each in found:
        others = [other for other in found if other.target == each.target and other is not each]
        names = [name for name, value in each.fixed.items() if any(other.fixed.get(name) != value for other in others)]
        words = [f"{name}={each.fixed[name].strip(chr(34))}"[:LONGEST_WORD] for name in names[:3]]
        words = words or ([each.parameter] if others else [])
        yield f"{each.target} ({', '.join(words)})" if words else each.target
