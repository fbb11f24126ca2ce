"""What the user needs of a volume: `p99<10ms`, `iops>=4000`, `throughput>200MiB/s`, joined by commas."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial

from plimsoll.errors import UsageError
from plimsoll.simulation.job import Load
from plimsoll.simulation.outcome import NOTHING, Outcome, Phase
from plimsoll.units import format_duration, format_number, format_value, parse_count, parse_latency, parse_size

KEPT = 0.99
"""Share of the offered operations that must be done; what is missing then still waits in the queue at the end."""
LASTING_KEPT = 0.999
"""The same where nothing was stored at the start; also how exactly a simulated minute counts a rate."""
_CLAUSE = re.compile(r"\s*(p\d{1,4}(?:\.\d+)?|max|mean|iops|throughput)\s*(<=|>=|<|>)\s*([^\s<>=][^<>=]*)")


@dataclass(frozen=True)
class Clause:
    """One bound: `metric` at most (`below`) or at least `limit`, in base units."""

    metric: str
    below: bool
    limit: float
    text: str

    @property
    def unit(self) -> str:
        """Base unit of the metric."""
        return {"iops": "1/s", "throughput": "B/s"}.get(self.metric, "ns")

    def holds(self, value: float) -> bool:
        """Whether a value keeps the bound."""
        return value <= self.limit if self.below else value >= self.limit

    def margin(self, value: float) -> float:
        """How far a value stays from the bound, as a share of it; negative where it fails."""
        return (self.limit - value) / self.limit if self.below else (value - self.limit) / self.limit


@dataclass(frozen=True)
class Judgement:
    """How a volume stands to what is needed."""

    met: bool
    margin: float
    """The smallest margin of all bounds, as a share."""
    reasons: tuple[str, ...]
    """Why it fails, one sentence per bound."""


def parse_slo(text: str) -> tuple[Clause, ...]:
    """The bounds in a text; raises UsageError."""
    parts = [part for part in re.split(r",| and ", text) if part.strip()]
    if not parts:
        raise UsageError("--slo is empty; write it like p99<10ms or p99<10ms,iops>=4000")
    return tuple(_clause(part) for part in parts)


def _clause(part: str) -> Clause:
    match = _CLAUSE.fullmatch(part)
    if not match:
        raise UsageError(
            f"--slo {part.strip()!r} is not a bound; write it like p99<10ms, iops>=4000, throughput>200MiB/s"
        )
    metric, sign, value = _metric(match[1]), match[2], match[3].strip().removesuffix("/s")
    below = sign.startswith("<")
    read = {"iops": parse_count, "throughput": parse_size}.get(
        metric, partial(parse_latency, what=f"--slo {part.strip()}")
    )
    limit = float(read(value))
    if below == (metric in ("iops", "throughput")) or limit <= 0:
        want = ">" if metric in ("iops", "throughput") else "<"
        raise UsageError(f"--slo {part.strip()!r} asks for nothing; {metric} must be {want} a value above zero")
    return Clause(metric, below, limit, f"{metric}{sign}{match[3].strip()}")


def _metric(name: str) -> str:
    """`p999` is p99.9, as elsewhere; raises UsageError for p100, which would be p10."""
    if re.fullmatch(r"p\d.*", name) and not re.fullmatch(r"p9\d{2,}", name) and not 0 < float(name[1:]) < 100:
        raise UsageError(f"--slo {name}: percentiles lie between 0 and 100; write max for the highest latency")
    return f"p{name[1:3]}.{name[3:]}" if re.fullmatch(r"p\d{3,}", name) else name


def judge(outcome: Outcome, clauses: tuple[Clause, ...]) -> Judgement:
    """Every bound must hold over the whole time and, where a burst ended, after it as well."""
    reasons: list[str] = []
    margins: list[float] = []
    for clause in clauses:
        for value, phase in _values(outcome, clause):
            margins.append(clause.margin(value))
            if not clause.holds(value):
                reasons.append(_reason(outcome, clause, value, phase))
    if behind := _behind(outcome):
        reasons.append(behind)
        margins.append(-1.0)
    # The whole time fails because a part of it does: the part says more.
    told = [reason for reason in reasons if " from " in reason] or reasons
    return Judgement(not reasons, min(margins), tuple(dict.fromkeys(told)))


def judge_lasting(outcome: Outcome, clauses: tuple[Clause, ...]) -> Judgement:
    """Every bound must hold in a stage that goes on, in which nothing changes."""
    reasons: list[str] = []
    margins: list[float] = []
    last = outcome.sustained
    for clause in clauses:
        rates = {"iops": last.operations, "throughput": last.bytes}
        value = rates[clause.metric] if clause.metric in rates else _whole(outcome, clause.metric)
        counted = clause.limit * LASTING_KEPT if clause.metric in rates else clause.limit
        margins.append(clause.margin(value))
        if not replace(clause, limit=counted).holds(value):
            reasons.append(_reason(outcome, clause, value, None))
    if behind := _behind(outcome, LASTING_KEPT):
        # A queue that grows has no latency of its own.
        return Judgement(False, -1.0, (behind,))
    return Judgement(not reasons, min(margins), tuple(dict.fromkeys(reasons)))


def judge_whole(outcome: Outcome, clauses: tuple[Clause, ...]) -> Judgement:
    """Every bound must hold over all I/Os of a recorded load, and all of them must be done when it ends."""
    if behind := _behind(outcome):
        return Judgement(False, -1.0, (behind,))
    values = [(clause, _whole(outcome, clause.metric)) for clause in clauses]
    reasons = tuple(_whole_reason(outcome, clause, value) for clause, value in values if not clause.holds(value))
    return Judgement(not reasons, min(clause.margin(value) for clause, value in values), reasons)


def whole_value(outcome: Outcome, clause: Clause) -> float:
    """What a bound is held against, over all I/Os."""
    return _whole(outcome, clause.metric)


def _whole_reason(outcome: Outcome, clause: Clause, value: float) -> str:
    seen, limit = format_value(value, clause.unit), format_value(clause.limit, clause.unit)
    seen = f"just {'above' if clause.below else 'below'} {limit}" if seen == limit else seen
    held = next((name for name in outcome.limiting_shares if name != NOTHING), None) or _held_in_tail(outcome, clause)
    return f"{clause.metric} is {seen}, {f'held back by its {held}' if held else 'its own latency'}"


def _held_in_tail(outcome: Outcome, clause: Clause) -> str | None:
    """What I/Os waited for in enough of the time to make such a percentile, though in no interval for long."""
    if not clause.metric.startswith("p") or not outcome.waited_s:
        return None
    name, waited_s = max(outcome.waited_s.items(), key=lambda each: each[1])
    share = 1 - float(clause.metric.removeprefix("p")) / 100
    return name if waited_s >= share / 2 * outcome.duration_s and waited_s > 0 else None


def _values(outcome: Outcome, clause: Clause) -> list[tuple[float, Phase | None]]:
    """The value over the whole time, and that of the last phase where there is more than one."""
    values: list[tuple[float, Phase | None]] = [(_whole(outcome, clause.metric), None)]
    if len(outcome.phases) > 1:
        last = outcome.sustained
        later = {
            "p50": last.median_p50_ns,
            "p99": last.median_p99_ns,
            "iops": last.operations,
            "throughput": last.bytes,
        }
        values += [(later[clause.metric], last)] if clause.metric in later else []
    return values


def _whole(outcome: Outcome, metric: str) -> float:
    if metric == "iops":
        return outcome.rate
    if metric == "throughput":
        return outcome.throughput
    if metric == "mean":
        return outcome.latency.mean or 0.0
    if metric == "max":
        return float(outcome.latency.max or 0)
    # Where the data do not reach, the slowest operation bounds the percentile.
    percent = float(metric.removeprefix("p"))
    return float(outcome.latency.percentile(percent) or outcome.latency.max or 0)


def _reason(outcome: Outcome, clause: Clause, value: float, phase: Phase | None) -> str:
    when = f" from {format_duration(phase.start_s * 1e9)} on" if phase else ""
    where = phase or outcome.sustained
    held = f", held back by {where.limited_by}" if where.limited_by != NOTHING else ", its own latency"
    rate = f" at {format_value(where.operations, '1/s')}"
    seen, limit = format_value(value, clause.unit), format_value(clause.limit, clause.unit)
    if seen == limit:
        seen = f"just {'above' if clause.below else 'below'} {limit}"
    return f"{clause.metric} is {seen}{when}{rate}{held}"


def _behind(outcome: Outcome, kept: float = KEPT) -> str | None:
    """An open-loop load that is not kept up with has no latency to speak of."""
    if outcome.replay is not None and outcome.replay.recorded_ns and outcome.replay.left:
        left, due = (format_number(each) for each in (outcome.replay.left, outcome.replay.due))
        return f"leaves {left} of {due} recorded I/Os undone, held back by {outcome.sustained.limited_by}"
    offered = outcome.load.rate if isinstance(outcome.load, Load) else None
    if offered is None:
        return None
    phase = outcome.sustained
    if phase.operations >= kept * offered:
        return None
    when = f" from {format_duration(phase.start_s * 1e9)} on" if len(outcome.phases) > 1 else ""
    done, wanted = format_value(phase.operations, "1/s"), format_value(offered, "1/s")
    by = phase.limited_by
    if by == NOTHING and isinstance(outcome.load, Load):
        by = f"its own latency with at most {outcome.load.depth} in flight"
    return f"does {done} of {wanted} that are asked for{when}, held back by {by}"
