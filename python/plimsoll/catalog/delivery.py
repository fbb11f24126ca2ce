"""Did a place give what its volume promises? A pure function of stored runs and the volume's limits.

Each load is judged by the provider's own promise: in windows of the run, at least `consistency` of the limit, in at
least `consistency_time` of them. Too few bad windows prove nothing: the binomial tail decides, and a single one never
does. Windows shorter than the minutes that a provider counts prove nothing if all together kept the promise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import pstdev

from plimsoll.catalog.bounds import ABOVE, Bound, Reason, burst, explain, sustained, use_of
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.waits import waits
from plimsoll.declared import IoParameters
from plimsoll.metrics import DATA_KINDS
from plimsoll.model import Run, RunStatus
from plimsoll.stats.course import Rates, rates_of
from plimsoll.stats.histogram import Histogram, merge
from plimsoll.stats.steady import SHORTEST_S, Regime, Shape
from plimsoll.units import MINUTE, SECOND, format_duration, format_value

WINDOWS = 10
"""A run shorter than ten minutes is cut into ten windows, a longer one into minutes, as the provider counts."""
FEWEST_BAD = 2
"""A volume is slow in stretches, not in independent windows: one bad window is one event, whatever was promised."""
SIGNIFICANT = 0.05
"""So unlikely must as many bad windows be of a volume that keeps its promise."""
PROMISE, PROMISE_TIME = 0.9, 0.99
"""Where the provider promises nothing, what EBS promises of gp3."""
FIRST_TOUCH = 1.5
"""Reading the same blocks again is so many times faster: they had to be fetched first."""
DEEPER = 1.15
"""Twice as many in flight are so many times faster: the client did not ask for enough."""
AMPLIFIED = 1.15
"""The device does so many I/Os for each of the test's: the file system adds its own."""
CLIENT_BUSY = 0.95
"""Share of a processor from which the test's own thread is the limit, and share of all from which others may be."""
PLATEAU = 0.05
"""A rate that varies less from second to second stands at a limit, however busy the machine is."""


class Role(StrEnum):
    """What a run of a verification is for."""

    FIRST = "first pass"
    AGAIN = "second pass"
    CONTROL = "third pass"
    READS = "random reads"
    DEEPER = "random reads, twice as many in flight"
    WRITES = "random writes"
    STREAM = "sequential reads"


JUDGED = (Role.READS, Role.WRITES, Role.STREAM)


class Answer(StrEnum):
    """The verdict on a load or on all."""

    YES = "delivers"
    NO = "does not deliver"
    UNKNOWN = "cannot tell"


@dataclass(frozen=True)
class Load:
    """One load, what it got, and who held it back."""

    role: Role
    answer: Answer
    expected: Bound | None
    """The tightest limit that lasts."""
    most: Bound | None
    """The tightest limit while credits last."""
    rate: float | None
    """Steady IOPS."""
    regime: Regime | None
    """What the one detector of levels says of the run, here as in its findings."""
    p99_ns: float | None
    windows: int
    kept: int
    party: str
    """The limiting party: a limit of the volume or instance, client, file system, first touch, or the volume itself."""
    why: str
    measured_s: float
    lasts_s: float | None
    """How long full credits hold the rate that was seen."""
    counted: bool = False
    """Whether the volume's own counters say which limit made I/Os wait."""

    @property
    def burst_rate(self) -> float | None:
        """Before a burst ended inside the run."""
        return self.regime.burst if self.regime else None

    @property
    def burst_s(self) -> float | None:
        """When that was."""
        return self.regime.segments[0].end_s if self.regime and self.burst_rate is not None else None


@dataclass(frozen=True)
class Delivery:
    """The verdict over all loads."""

    shape: VolumeShape
    answer: Answer
    loads: tuple[Load, ...]
    first_touch: float | None
    """Rate of the second pass over the first; None where nothing was read twice."""
    sentences: tuple[str, ...]
    """The verdict, what it stands on, and for how long it holds."""


UNWRITTEN = (
    "Its rates were not measured: the blocks to be read hold only zeros, as if nobody ever wrote them, and reads of "
    "such blocks may never reach the medium. Allow it to be overwritten (--destroy SERIAL; all data on it is lost), or "
    "verify a directory of a file system on it."
)


def judge(shape: VolumeShape, runs: Mapping[Role, Run]) -> Delivery:
    """The verdict of the runs of one verification; without a load it was not measured, for its blocks were empty."""
    touched = _first_touch(runs)
    loads = tuple(_load(shape, role, runs, touched) for role in JUDGED if role in runs)
    answers = [load.answer for load in loads]
    if Answer.NO in answers:
        answer = Answer.NO
    elif not answers or Answer.UNKNOWN in answers:
        answer = Answer.UNKNOWN
    else:
        answer = Answer.YES
    return Delivery(shape, answer, loads, touched, tuple(_sentences(shape, answer, loads, touched)))


def _load(shape: VolumeShape, role: Role, runs: Mapping[Role, Run], touched: float | None) -> Load:
    run = runs[role]
    use = use_of(run.plan)
    expected, most = (sustained(shape, use), burst(shape, use)) if use else (None, None)
    measured_s = sum(interval.duration_ns for interval in run.intervals) / SECOND
    if run.status is not RunStatus.OK or use is None or expected is None:
        why = run.reason or "the provider publishes no limit for it"
        nothing = (None, None, None, 0, 0)
        return Load(role, Answer.UNKNOWN, expected, most, *nothing, "", why, measured_s, None)
    series = rates_of(run.intervals, "1/s")
    regime = series.regime()
    rate = regime.sustained or regime.score
    reason = explain(shape, use, rate, waits([run]))
    least = expected.per_second * (shape.type.consistency or PROMISE)
    counted = _windows(series, regime, least, _begun_before(run))
    answer, party, why = _answer(shape, rate, reason, (expected, most), counted, _Suspects(runs, role, touched))
    return Load(
        role=role,
        answer=answer,
        expected=expected,
        most=most,
        rate=rate,
        regime=regime,
        p99_ns=next((score.value for score in run.scores if score.metric.endswith("_p99")), None),
        windows=counted.windows,
        kept=counted.kept,
        party=party,
        why=why,
        measured_s=measured_s,
        lasts_s=reason.lasts_s,
        counted=waits([run]) is not None,
    )


@dataclass(frozen=True)
class _Counted:
    """Windows of the steady part, and how many of them reach what was promised."""

    windows: int
    kept: int
    least: float
    """What a window must reach, per second."""
    mean: float
    """Of all of them, per second."""
    minutes: bool
    """Whether windows are the minutes that a provider counts."""


def _windows(series: Rates, regime: Regime, least: float, begun_before: int) -> _Counted:
    start, end = (round(second / series.interval_s) for second in regime.window_s)
    # A volume that was slow for a while and came back is what windows are there to find.
    if regime.shape is Shape.EPISODE or not series.values[start:end]:
        start, end = 0, len(series.values)
    inside = list(series.values[start:end])
    if start == 0:
        inside[0] += begun_before / series.interval_s
    minutes = series.measured_s * SECOND >= WINDOWS * MINUTE
    size = max(1, round(60 / series.interval_s) if minutes else len(inside) // WINDOWS)
    means = [sum(inside[i : i + size]) / size for i in range(0, len(inside) - size + 1, size)]
    return _Counted(len(means), sum(mean >= least for mean in means), least, sum(inside) / len(inside), minutes)


def _begun_before(run: Run) -> int:
    """Operations that were under way when counting began, done in the first interval, and left out there.

    Records of today have them in their intervals, and say so; the first ones of 0.1 do not.
    """
    values = run.plan.values(IoParameters)
    told = "discarded" in run.facts or not values["warmup"]
    return 0 if told else values["depth"] * values["threads"]


@dataclass(frozen=True)
class _Suspects:
    """What else can hold a load back."""

    runs: Mapping[Role, Run]
    role: Role
    touched: float | None

    def find(self) -> tuple[str, str] | None:
        """Party and why, the most certain first."""
        run = self.runs[self.role]
        if self.touched is not None and self.touched >= FIRST_TOUCH:
            return "first touch", f"blocks read again are {self.touched:.1f} times faster: initialise the volume first"
        if float(run.facts.get("cpu", {}).get("busiest_thread", 0.0)) >= CLIENT_BUSY:
            return "client", "the thread that issues I/O kept its processor busy; use a faster machine"
        if _busy(run) >= CLIENT_BUSY and _variation(run) >= PLATEAU:
            return "client", "all processors of this machine were busy; stop other programs, or use a larger one"
        deeper, base = self.runs.get(Role.DEEPER), self.runs.get(Role.READS)
        if deeper is not None and base is not None and self.role is not Role.STREAM:
            factor = _mean(deeper) / max(_mean(base), 1e-9)
            if factor >= DEEPER:
                return "client", f"twice as many in flight are {factor:.2f} times faster: give --depth more"
        added = _amplification(run)
        if added is not None and added >= AMPLIFIED:
            return "file system", f"the device does {added:.2f} I/Os for each of the test's: verify the device itself"
        return None


def _answer(
    shape: VolumeShape,
    rate: float,
    reason: Reason,
    limits: tuple[Bound, Bound | None],
    counted: _Counted,
    suspects: _Suspects,
) -> tuple[Answer, str, str]:
    expected, most = limits
    windows, bad = counted.windows, counted.windows - counted.kept
    if most is not None and rate > ABOVE * most.per_second:
        return Answer.UNKNOWN, reason.party, reason.text
    if rate > ABOVE * expected.per_second or not bad:
        return Answer.YES, reason.party, reason.text
    found = suspects.find()
    if found is not None:
        # What the volume counted tells who held the load back; a suspect, why it may not be to blame.
        party, why = (reason.party, f"{reason.text}; {found[1]}") if reason.counted else found
        return Answer.UNKNOWN, party, why
    promised = shape.type.consistency_time or PROMISE_TIME
    least = expected.seen(counted.least)
    below = f"{bad} of {windows} windows {'is' if bad == 1 else 'are'} below {least}"
    told = f"{below}, with a limit ({expected.name}) of {expected.text}"
    together = not counted.minutes and counted.mean >= counted.least
    if bad >= FEWEST_BAD and unlikely(bad, windows, 1 - promised) and not together:
        waited = f"; {reason.text}" if reason.counted else ""
        return Answer.NO, "the volume", f"{told}; nothing else holds it back{waited}"
    why = "too few to prove anything"
    if together and bad >= FEWEST_BAD:
        why = "all windows together are not, and a provider counts minutes"
    return Answer.UNKNOWN, reason.party if reason.counted else "", f"{told}: {why}, measure longer with --runtime"


def unlikely(bad: int, windows: int, share: float) -> bool:
    """Whether so many bad windows are below 5 % likely where a `share` of all may be bad."""
    fewer = sum(math.comb(windows, k) * share**k * (1 - share) ** (windows - k) for k in range(bad))
    return 1 - fewer < SIGNIFICANT


def _mean(run: Run) -> float:
    return rates_of(run.intervals, "1/s").mean


def _first_touch(runs: Mapping[Role, Run]) -> float | None:
    """Rate of the slower of two later passes over the same blocks, over that of the first.

    Of the mean and the slowest tenth, what changed less: on a busy machine a few reads are slow without a first touch.
    The third pass tells what a pass differs from another where nothing is new.
    """
    first, later = runs.get(Role.FIRST), [runs[role] for role in (Role.AGAIN, Role.CONTROL) if role in runs]
    if first is None:
        return None
    new = _usual_read(first)
    faster = [[before / after for before, after in zip(new, _usual_read(run), strict=False)] for run in later]
    return min((ratio for each in faster for ratio in each), default=None)


def _usual_read(run: Run) -> tuple[float, ...]:
    """p90 of its reads, ns, and their mean with all that took longer counted as so long; nothing where unknown.

    A later pass over blocks that are there takes a tenth of a second: one stall of the machine would be most of it.
    """
    found = merge([run.histograms["read"]] if "read" in run.histograms else [])
    p90 = found.percentile(90)
    if p90 is None:
        return ()
    usual = Histogram(found.low.clip(max=p90), found.high.clip(max=p90), found.counts).mean
    return (p90, usual) if usual else ()


def _busy(run: Run) -> float:
    shares = [interval.cpu["busy"] for interval in run.intervals if "busy" in interval.cpu]
    return sum(shares) / len(shares) if shares else 0.0


def _variation(run: Run) -> float:
    """Standard deviation of the rate from second to second, as a share of its mean."""
    series = rates_of(run.intervals, "1/s").values
    return pstdev(series) / max(_mean(run), 1e-9) if len(series) > 1 else 0.0


def _amplification(run: Run) -> float | None:
    """I/Os of the device for each I/O of the test; None where the device could not be watched."""
    device = sum(each.device.get("reads", 0) + each.device.get("writes", 0) for each in run.intervals)
    own = sum(
        each.operations[kind].operations for each in run.intervals for kind in DATA_KINDS if kind in each.operations
    )
    return device / own if device and own else None


def _sentences(shape: VolumeShape, answer: Answer, loads: Sequence[Load], touched: float | None) -> list[str]:
    told = {
        Answer.YES: "It delivers what is paid for",
        Answer.NO: "It does not deliver what is paid for",
        Answer.UNKNOWN: "Cannot tell whether it delivers what is paid for",
    }[answer]
    named = ", ".join(f"{load.role} ({_party(load)})" for load in loads if load.answer is answer)
    found = [f"{told}: {shape.summary}{f'. {_capital(named)}' if named else ''}."]
    if touched is not None:
        state = "the blocks were fetched before" if touched < FIRST_TOUCH else "first touch: not initialised yet"
        found.append(f"Reading the same blocks again is {touched:.2f} times as fast: {state}.")
    found += [] if loads else [UNWRITTEN]
    found += _together((load.role, load.why) for load in loads if load.answer is not Answer.YES)
    found += _together((load.role, _vouches(load)) for load in loads if load.rate is not None)
    if shape.instance is None and not all(load.counted for load in loads):
        found.append("No instance was named, so that its limit cannot be told from the volume's; say --instance TYPE.")
    return found


def _together(told: Iterable[tuple[Role, str]]) -> list[str]:
    """`Random reads, random writes: …`: what is the same of several loads is said once."""
    roles: dict[str, list[str]] = {}
    for role, words in told:
        roles.setdefault(words, []).append(role)
    return [f"{_capital(', '.join(names))}: {words}." for words, names in roles.items()]


def _party(load: Load) -> str:
    return load.party or ("too short" if load.rate is not None else "not measured")


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _vouches(load: Load) -> str:
    """The longest time a load can vouch for."""
    seen = format_duration(round(load.measured_s) * SECOND)
    if load.burst_s is not None and load.burst_rate is not None and load.rate is not None:
        end = format_duration(round(load.burst_s) * SECOND)
        rates_seen = f"{format_value(load.burst_rate, '1/s')} before, {format_value(load.rate, '1/s')} after"
        return f"the burst ended after {end}: {rates_seen}; measured for {seen}"
    shape = load.regime.shape if load.regime else Shape.SHORT
    cliff = f"no cliff in {seen}"
    if shape is Shape.SHORT:
        cliff = f"measured for {seen}, too short to see a cliff in ({SHORTEST_S:.0f} s at least)"
    elif shape is not Shape.FLAT and load.regime is not None:
        cliff = f"{load.regime.sentence} (measured for {seen})"
    if load.lasts_s is None or load.expected is None:
        return f"{cliff}, and no credits of this volume are spent at this rate"
    holds = format_duration(round(load.lasts_s) * SECOND)
    left = format_value(load.expected.per_second, "1/s")
    longer = format_duration(math.ceil(load.lasts_s * 1.1 / 60) * 60 * SECOND).replace(" min", "m").replace(" ", "")
    return (
        f"{cliff}, but full credits hold this rate for {holds} only; then {left} are left. "
        f"--runtime {longer} would show it"
    )
