"""What the tested volumes cost, with the dates of the prices, and why they gave what they gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from plimsoll.catalog.bounds import explain, use_of
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.targets import is_emulated, shape_of
from plimsoll.catalog.waits import waits
from plimsoll.metrics import DATA_KINDS
from plimsoll.model import RENTED, Run, Target
from plimsoll.prices.cost import Cost, cost_of, usd
from plimsoll.report.document import Block, Cell, Column, Number, Table, number, phrase, text
from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.report.labels import score_text
from plimsoll.report.levels import level_rows
from plimsoll.report.subject import Products
from plimsoll.stats.standing import Standing
from plimsoll.units import SECOND, format_duration

ORDER = 25
TITLE = "Cost and limits"
SHORT = True
OF_PRODUCTS = True

_MONTH = (
    "$ per month: list price of the volume and of the instance it is on, with the date on which it was seen. "
    "$ per million operations: volume and instance, all month at the score or, where that was a burst, at what lasts.",
)


@dataclass(frozen=True)
class Priced:
    """A target whose volume is known, and what that costs."""

    target: Target
    shape: VolumeShape
    cost: Cost


def build(evidence: Evidence) -> list[Block]:
    """Prices of the volumes, what an operation costs, and which limit each case stood at; nothing without volumes."""
    known = priced(evidence)
    if not known:
        return []
    blocks: list[Block] = [_volumes(known), _operations(evidence, known)]
    if told := list(_session(evidence, known)):
        blocks.append(text(*told))
    return blocks


def priced(evidence: Evidence) -> Mapping[str, Priced]:
    """The targets whose volume is known."""
    found: dict[str, Priced] = {}
    targets = {run.target.name: run.target for run in evidence.runs}
    for name in evidence.targets:
        shape = shape_of(targets[name])
        if shape is not None:
            found[name] = Priced(targets[name], shape, cost_of(targets[name], shape))
    return found


def _volumes(known: Mapping[str, Priced]) -> Table:
    rows = tuple(
        (
            phrase(name),
            phrase(each.shape.one),
            _money(each.cost.volume_per_month),
            phrase(each.shape.instance.name if each.shape.instance else "–"),
            _money(each.cost.instance_per_month),
            phrase(_dates(each.cost)),
        )
        for name, each in known.items()
    )
    columns = (
        Column("target", "Target"),
        Column("volume", "Volume"),
        Column("volume_usd_per_month", "Volume $/month", "right"),
        Column("instance", "Instance"),
        Column("instance_usd_per_month", "Instance $/month", "right"),
        Column("prices_of", "Prices of"),
    )
    return Table("Price of what was tested", columns, rows, _MONTH)


def _money(amount: float | None) -> Cell:
    return None if amount is None else number(amount, "USD", usd(amount))


def _dates(found: Cost) -> str:
    missing = f"no price of {', '.join(found.unknown)}" if found.unknown else ""
    return ", ".join(part for part in (found.as_of and f"{found.as_of}, {found.region}", missing) if part)


def _operations(evidence: Evidence, known: Mapping[str, Priced]) -> Table:
    """One row per case and target: the sustained rate, what a million costs, and its limiting factor."""
    rows: list[tuple[Cell, ...]] = []
    for case in evidence.cases:
        metric = _rate_metric(evidence, case)
        lines = {line.target: line for line in evidence.lines if line.case == case and line.metric == metric}
        bursts = {
            line.target: line for line in evidence.lines if line.case == case and line.metric == f"{metric}_burst"
        }
        for name, each in known.items():
            line, runs = lines.get(name), evidence.runs_of(case, name)
            # Runs that are all invalid have a line, and nothing to say about money.
            if line is None or not runs:
                continue
            scores = list(_scores(line))
            use = use_of(runs[0].plan)
            # The waits of all runs are those of no single level.
            waited = waits(runs) if len(scores) == 1 else None
            for score, what in scores:
                told = "" if use is None else explain(each.shape, use, score.value, waited).text
                why = (told + _before(bursts.get(name))).removeprefix("; ")
                lasting = _lasting(line.standing, score.value)
                money = _money(each.cost.per_million_operations(lasting))
                rows.append((phrase(case), phrase(name), score, money, phrase(what + why)))
    columns = (
        Column("case", "Case"),
        Column("target", "Target"),
        Column("rate", "Score", "right"),
        Column("usd_per_million", "$/million", "right"),
        Column("why", "Why"),
    )
    return Table("What an operation costs, and its limiting factor", columns, tuple(rows))


def _scores(line: ScoreLine) -> Iterator[tuple[Number, str]]:
    """The score, or each level of runs that have none in common, and which runs that is; nothing of a mere range."""
    if line.summary is not None:
        low, high = line.summary.low, line.summary.high
        yield Number(line.summary.value, "1/s", score_text(line.summary.value, "1/s", low, high)), ""
    for level, _, runs in level_rows(line):
        yield Number(level.value, "1/s", score_text(level.value, "1/s")), f"{runs}: "


def _before(burst: ScoreLine | None) -> str:
    """The burst that ended inside the runs, where there was one."""
    if burst is None or burst.summary is None:
        return ""
    return f"; before that a burst of {score_text(burst.summary.value, '1/s', burst.summary.low, burst.summary.high)}"


def _rate_metric(evidence: Evidence, case: str) -> str | None:
    """The judged metric that counts operations per second, else `iops`."""
    known = {name: unit for (of, name), (unit, _) in evidence.metrics.items() if of == case}
    named = [name for name in evidence.judged[case] if known.get(name) == "1/s"]
    return next(iter(named), "iops" if (case, "iops") in evidence.metrics else None)


def _lasting(found: Standing | None, rate: float) -> float:
    """The part of a rate that goes on when credits are used up."""
    return rate if found is None else rate * found.share


def _session(evidence: Evidence, known: Mapping[str, Priced]) -> Iterator[str]:
    """What the time of the sessions costs, all volumes for the whole time, each instance type once.

    Nothing of what was rented: that has a bill, which is of the sessions and not of a product.
    """
    if all(each.target.kind == RENTED for each in known.values()):
        return
    seconds = sum(_length_ns(evidence, session.id) for session in evidence.sessions) / SECOND
    parts, total, complete = [], 0.0, True
    seen: set[str] = set()
    for name, each in known.items():
        machine = each.shape.instance.name if each.shape.instance else ""
        amount = each.cost.of_time(seconds, requests_of(evidence, name), with_instance=machine not in seen)
        seen.add(machine)
        complete &= amount is not None
        total += amount or 0.0
        parts.append(f"{name} {usd(amount) if amount is not None else 'unknown'}")
    least = "" if complete else "at least "
    # An instance counts with the first of its volumes, so equal products would seem to differ.
    shares = "" if isinstance(evidence, Products) else f" ({', '.join(parts)})"
    yield (
        f"These volumes for the {format_duration(seconds * SECOND)} of the measurement: {least}{usd(total)}{shares}, "
        "each instance type counted once; less than a minute is billed as one."
    )
    emulated = [name for name, each in known.items() if is_emulated(each.target)]
    if emulated:
        names = ", ".join(emulated)
        yield f"Emulated here, so nothing was charged: {names}. Amounts are what the provider would charge."


def _length_ns(evidence: Evidence, session_id: str) -> int:
    runs = [run for run in evidence.runs if run.session_id == session_id]
    return max((run.ended_ns for run in runs), default=0) - min((run.started_ns for run in runs), default=0)


def requests_of(evidence: Evidence, target: str) -> float:
    """I/Os that reached a target's device while it was measured; preparing it comes on top."""
    return sum(_run_requests(run) for run in evidence.runs if run.target.name == target)


def _run_requests(run: Run) -> float:
    """What the device counted; else what the test did, where every operation of it is one I/O."""
    counted = sum(each.device.get("reads", 0) + each.device.get("writes", 0) for each in run.intervals)
    if counted or use_of(run.plan) is None:
        return counted
    return sum(
        each.operations[kind].operations for each in run.intervals for kind in DATA_KINDS if kind in each.operations
    )
