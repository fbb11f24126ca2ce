"""A running session on a screen: the table that fills in, the current run, what is undecided, the time left.

`plimsoll run` draws it where it runs, `plimsoll top` in another terminal. It is made of a `State` alone, so that both
show the same; every line is as wide as the screen or shorter, and names of strangers are only words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING

from plimsoll.report.document import SHAPES, Tone
from plimsoll.report.printable import clean
from plimsoll.run.time_left import TimeLeft
from plimsoll.targets.owner import Owner
from plimsoll.units import format_duration, format_number, format_percent, format_size

if TYPE_CHECKING:
    from rich.text import Text

MOST_POINTS = 60
"""Seconds of the current run that are kept for its sparklines."""
MOST_OPEN = 4
"""Cases whose open questions are shown."""
LONGEST_NAME = 32
_LEAST_TITLE = 8
_SHORTER_NAME = 20
_BETWEEN = 2
_BARS = "▁▂▃▄▅▆▇█"
_STYLES = {Tone.BETTER: "green", Tone.WORSE: "red", Tone.SAME: "cyan", Tone.UNKNOWN: "yellow"}
_PHASES = {
    "layout": "writing the test file",
    "warmup": "warming up",
    "measure": "measuring",
    "verify": "reading back",
    "ready": "getting ready",
}


@dataclass
class CellState:
    """What one target has reached in one case so far."""

    score: str = ""
    told: str = ""
    """How that compares with the baseline, such as `1.80× faster`."""
    brief: str = ""
    tone: Tone = Tone.PLAIN

    def words(self, level: int) -> str:
        """The more, the lower the level: score and comparison, the latter, its shape and number."""
        shape = SHAPES.get(self.tone, "")
        if not self.told:
            return self.score
        return (f"{self.score} {shape} {self.told}", f"{shape} {self.told}", f"{shape}{self.brief}")[level]


@dataclass
class CaseState:
    """One row of the table."""

    case: str
    metric: str = ""
    """Title of the metric that decides it."""
    blocks: int = 0
    """With a run of every target."""
    told: str = ""
    """What the last look left open, or how the case ended."""
    closed: bool = False
    cells: dict[str, CellState] = field(default_factory=dict)


@dataclass
class CurrentRun:
    """The run that is under way."""

    case: str
    target: str
    block: int
    phase: str = ""
    done: float = 0.0
    rates: list[float] = field(default_factory=list)
    """Operations per second, of each interval."""
    p99s_ns: list[float] = field(default_factory=list)
    bytes_per_s: float = 0.0


@dataclass
class State:
    """Where a session stands; times are ns since 1970."""

    session: str
    title: str
    owner: Owner
    started_ns: int
    targets: list[str]
    cases: list[CaseState]
    runs: int = 0
    invalid: int = 0
    current: CurrentRun | None = None
    least_left_ns: float = 0.0
    most_left_ns: float = 0.0
    left_at_ns: int = 0
    """When so much was left."""
    notes: list[str] = field(default_factory=list)

    def left(self, now_ns: int) -> TimeLeft:
        """The time left now."""
        return TimeLeft(self.least_left_ns, self.most_left_ns).passed(now_ns - self.left_at_ns)


def headline(state: State, now_ns: int, width: int = 10_000) -> str:
    """The session in one line; where there is little room, its title gives way."""
    closed = sum(case.closed for case in state.cases)
    blocks = sum(case.blocks for case in state.cases)
    parts = [
        f"{format_number(blocks)} block{'' if blocks == 1 else 's'}",
        f"{closed} of {len(state.cases)} tests done",
        *([f"{state.invalid} of {state.runs} runs not valid"] if state.invalid else []),
        state.left(now_ns).text() if state.left_at_ns else "starting",
    ]
    while True:
        told = " · ".join(parts)
        room = width - len(told) - 3
        if room >= _LEAST_TITLE or len(parts) == 1:
            return f"{_cut(state.title, room)} · {told}" if room >= _LEAST_TITLE else told
        parts.pop(0)


def lines(state: State, width: int, height: int, now_ns: int) -> list[Text]:
    """The whole board in so many columns, at least 20, and rows, at least 8."""
    from rich.text import Text

    below = [Text(), *_current(state, width), *_open(state, width)]
    top = Text(headline(state, now_ns, width), style="bold")
    found = [top, Text(), *_table(state, width, max(3, height - len(below) - 3)), *below]
    for each in found:
        each.no_wrap = True
        each.truncate(width, overflow="ellipsis")
    return found[: max(1, height - 1)]


def spark(values: Sequence[float], width: int) -> str:
    """The latest values as bars, from zero to the largest one."""
    shown = values[-width:]
    top = max(shown, default=0.0)
    last = len(_BARS) - 1
    return "".join(_BARS[round(last * value / top)] if top > 0 else _BARS[0] for value in shown)


def _progress(run: CurrentRun) -> str:
    return f"{_PHASES.get(run.phase, run.phase) or 'starting'} {format_percent(run.done)}"


def _current(state: State, width: int) -> Iterator[Text]:
    from rich.text import Text

    run = state.current
    if run is None:
        return
    told = f", block {run.block + 1}: {_progress(run)}"
    yield Text(f"{_cut(f'{run.case} on {run.target}', max(8, width - len(told)))}{clean(told)}")
    if run.rates:
        transferred = f"{format_number(run.rates[-1])}/s, {format_size(run.bytes_per_s)}/s"
        slowest = format_duration(run.p99s_ns[-1])
        room = max(4, min(MOST_POINTS, width - 8 - max(len(transferred), len(slowest))))
        for name, values, words in (("rate", run.rates, transferred), ("p99 ", run.p99s_ns, slowest)):
            yield Text.assemble(f"  {name} ", (spark(values, room), "cyan"), f" {words}")


def _open(state: State, width: int) -> Iterator[Text]:
    """What is undecided, and why."""
    from rich.text import Text

    waiting = [case for case in state.cases if case.told and not case.closed]
    if waiting:
        yield Text()
    for case in waiting[-MOST_OPEN:]:
        told = f"{_cut(case.case, LONGEST_NAME)}: {clean(case.told)}"
        for line in wrap(told, width, subsequent_indent="  ", break_on_hyphens=False):
            yield Text(line, style="yellow")
    if len(waiting) > MOST_OPEN:
        yield Text(f"and {len(waiting) - MOST_OPEN} more undecided tests", style="yellow")


def _table(state: State, width: int, height: int) -> Iterator[Text]:
    """Rows around the current case, columns from the first target on, as many as there is room for."""
    from rich.text import Text

    shown, before, after = _window(state, height - 1)
    for longest in (LONGEST_NAME, _SHORTER_NAME):
        names = [_named(case, longest) for case in shown]
        first = max([len("Test"), *map(len, names)]) + _BETWEEN
        level, targets, widths = _fit(state, width - first)
        hidden = len(state.targets) - len(targets)
        if not hidden:
            break
    heads = [f"{_cut(name, room):{room + _BETWEEN}}" for name, room in zip(targets, widths, strict=True)]
    more = f"and {hidden} more" if hidden else ""
    yield Text(f"{'Test':{first}}{''.join(heads)}{more}", style="dim")
    if before:
        yield Text(f"{before} more above", style="dim")
    for name, case in zip(names, shown, strict=True):
        running = state.current is not None and state.current.case == case.case
        row = Text(f"{name:{first}}", style="bold" if running else "")
        for target, room in zip(targets, widths, strict=True):
            cell = case.cells.get(target, CellState())
            row.append(f"{_cut(clean(cell.words(level)), room):{room + _BETWEEN}}", style=_STYLES.get(cell.tone, ""))
        yield row
    if after:
        yield Text(f"{after} more below", style="dim")


def _named(case: CaseState, longest: int) -> str:
    """A test with the metric that decides it, or as much of its name as there is room for."""
    whole = f"{clean(case.case)} {case.metric}".rstrip()
    return whole if len(whole) <= longest else _cut(case.case, longest)


def _window(state: State, room: int) -> tuple[Sequence[CaseState], int, int]:
    """The rows that are shown, and how many are above and below."""
    count = len(state.cases)
    if count <= room:
        return state.cases, 0, 0
    room = max(1, room - 2)
    now = state.current.case if state.current else ""
    place = next((i for i, case in enumerate(state.cases) if case.case == now), 0)
    start = max(0, min(place - room // 2, count - room))
    return state.cases[start : start + room], start, count - start - room


def _fit(state: State, room: int) -> tuple[int, list[str], list[int]]:
    """How much is said, of which targets, in which widths."""
    for level in range(3):
        widths = [
            max(
                [
                    min(len(clean(name)), 12),
                    *(len(case.cells[name].words(level)) for case in state.cases if name in case.cells),
                ]
            )
            for name in state.targets
        ]
        if sum(widths) + _BETWEEN * len(widths) <= room:
            return level, [clean(name) for name in state.targets], widths
    count, used = 0, 0
    for each in widths:
        used += each + _BETWEEN
        count += used <= room - len("and 99 more")
    count = max(1, count)
    return 2, state.targets[:count], [min(each, max(4, room - _BETWEEN)) for each in widths[:count]]


def _cut(words: str, room: int) -> str:
    """In so many characters, with … where something is missing."""
    words = clean(words)
    return words if len(words) <= room else f"{words[: max(0, room - 1)]}…"
