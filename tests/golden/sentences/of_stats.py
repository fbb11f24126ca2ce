"""Statistics that were made for one sentence each."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from tests.golden.sentences.speech import Situation
from tests.unit.stats.test_sentences import cell
from tests.unit.stats.test_stated import compared
from tests.unit.stats.test_stated import row as stated_row

from plimsoll.stats.carryover import Neighbours
from plimsoll.stats.multiplicity import footer
from plimsoll.stats.paired import Cell, ScoreRow, cells
from plimsoll.stats.repeats import patterns
from plimsoll.stats.sentences import sentence
from plimsoll.stats.stated import Stated
from plimsoll.stats.steady import classify, of_slices
from plimsoll.stats.stopping import Stop, closing
from plimsoll.stats.summary import Summary, summarise
from plimsoll.stats.verdict import StopReason


def _of_cell(found: Cell) -> list[str]:
    return [sentence(found), *(note.text for note in found.notes)]


def _row(target: str, block: int, value: float | None, order: int = 0, **changes: object) -> ScoreRow:
    fields: dict[str, object] = {
        "session": "s",
        "case": "c",
        "metric": "iops",
        "unit": "1/s",
        "direction": "higher",
        "target": target,
        "block": block,
        "attempt": 0,
        "order": order,
        "status": "ok",
        "value": value,
        "plan_hash": "p",
    }
    return ScoreRow(**(fields | changes))  # type: ignore[arg-type]


def _cells(ratios: list[float], *, first: bool = False, **changes: object) -> list[str]:
    """Two targets in blocks of these ratios; `first`: the other runs first in every second block."""
    rows = [
        _row(target, block, value, int((target == "gp3") != (first and block % 2 == 1)), **changes)
        for block, ratio in enumerate(ratios)
        for target, value in (("nvme", 1000.0), ("gp3", 1000.0 * ratio))
    ]
    return [line for found in cells(rows, "nvme") for line in _of_cell(found)]


def _in_slices(ratios: list[float], own: list[float]) -> list[str]:
    """Two targets in slices: the ratios of blocks, and of those parts of them that follow an own slice."""
    rows = [
        _row(target, block, value, neighbours=Neighbours(-after, after))
        for block, (ratio, of_own) in enumerate(zip(ratios, own, strict=True))
        for target, value, after in (("nvme", 1000.0, 0.0), ("gp3", 1000.0 * ratio, math.log(of_own / ratio)))
    ]
    return [line for found in cells(rows, "nvme") for line in _of_cell(found)]


def _plans() -> list[str]:
    rows = [_row(name, block, 1000.0, plan_hash=name) for block in range(3) for name in ("nvme", "gp3")]
    same = {"nvme": {"depth": "1"}, "gp3": {"depth": "1"}}
    return [line for found in cells(rows, "nvme", plans=same) for line in _of_cell(found)]


def _changed_plan() -> list[str]:
    rows = [
        _row(name, block, 1000.0 + block, plan_hash=plan, session=plan)
        for plan in ("p1", "p2")
        for block in range(3)
        for name in ("nvme", "gp3")
    ]
    return [line for found in cells(rows, "nvme") for line in _of_cell(found)]


def _apart(ours: list[float], theirs: list[float]) -> list[str]:
    rows = [_row("nvme", i, value, session="s1") for i, value in enumerate(ours)]
    rows += [_row("gp3", i, value, session="s2") for i, value in enumerate(theirs)]
    found = cells(rows, "nvme", apart={"s1": True, "s2": True})
    return [line for each in found for line in _of_cell(each)]


def near(centre: float, count: int, seed: int = 1, noise: float = 0.01) -> list[float]:
    return (centre * np.exp(np.random.default_rng(seed).normal(0, noise, count))).tolist()


def _verdicts() -> list[Situation]:
    def of(name: str, lines: list[str], says: str, never: str = "") -> Situation:
        return Situation("verdict", name, lambda: lines, (says,), (never,) if never else ())

    level = [1.0, 1.01, 0.99]
    return [
        of("three times as fast", _cells([3.1, 3.2, 3.0, 3.1]), "gp3 is 3.1× faster than nvme", "× slower than"),
        of("a third as fast", _cells([0.31, 0.32, 0.30, 0.31]), "gp3 is 3.2× slower than nvme", "× faster than"),
        of("as fast", _cells(level), "are the same within ±10 %", "× faster than"),
        of(
            "two blocks",
            _cells([1.2, 1.3]),
            "preview, no verdict: gp3 is 1.2× as fast as nvme after 2 blocks",
            "are the same",
        ),
        of("no block in common", [*_lost()], "no verdict: gp3 and nvme have no valid block in common", "faster"),
        of("noise of 30 %", _cells(near(1.0, 5, noise=0.3)), "not enough data: gp3 is", "are the same"),
        of("noise of 600 %", _of_cell(cell([6.0, 0.16] * 3)), "reduce the noise or widen the band", "are the same"),
        of(
            "a factor of a thousand between blocks",
            _of_cell(cell([0.66, 30.0, 0.02])),
            "more than 1,000 more blocks",
            "is faster",
        ),
        of("zeros", _zeros(), "1 of 4 blocks has a score of zero and no ratio", "outlier"),
        of("outliers", _cells([*near(1.0, 7, noise=0.02), 9.0]), "a few blocks are far from the others", "drifted by"),
        of(
            "a drift",
            _cells(np.exp(np.linspace(0, 0.6, 12)).tolist()),
            "the ratio drifted by +82 %",
            "with who runs first",
        ),
        of(
            "a fall",
            _cells(np.exp(np.linspace(0, -0.6, 12)).tolist()),
            "the ratio drifted by −45 %",
            "earlier runs act",
        ),
        of("order", _cells([1.0, 1.3] * 6, first=True), "with who runs first", "drifted by"),
        of(
            "slices that disturb each other",
            _cells(near(1.0, 6), neighbours=Neighbours(-0.05, 0.02)),
            "right after another target's slices nvme was 5 % slower than right after its own",
            "with who runs first",
        ),
        of(
            "slices that hardly do",
            _cells(near(1.0, 6), neighbours=Neighbours(-0.01, 0.005)),
            "are the same",
            "right after another",
        ),
        of(
            "slices in which one loses by the other",
            _in_slices(near(1.15, 6), own=near(1.0, 6, 2, 0.03)),
            "in slices that follow an own one",
            "× faster than",
        ),
        of(
            "slices in which none does",
            _in_slices(near(1.15, 6), own=near(1.15, 6, 2, 0.03)),
            "× faster than",
            "in slices that follow an own one",
        ),
        of(
            "a step from one answer to another",
            _cells([*near(1.0, 4), *near(1.5, 8, 2)]),
            "the ratio is not the same in all blocks, so there is no one answer",
            "the verdict is about",
        ),
        of(
            "a step with one answer before and after",
            _cells([*near(1.5, 6), *near(2.0, 6, 2)]),
            "at pair 7; the verdict is about both together",
            "no verdict",
        ),
        of("two kinds of blocks", _cells(_mixed()), "the ratios fall into two groups", "drifted by"),
        of("dependent blocks", _cells(_wave()), "ratios of neighbouring blocks resemble each other"),
        of("equal plans of two names", _plans(), "the plans of the two differ", "parameters differ"),
        of("a plan that changed", _changed_plan(), "the parameters of this case changed between sessions"),
        of("sets of one", _apart([1000.0, 1001.0], [1500.0]), "ratio, no verdict:", "× faster than"),
        of("an empty set", _apart([1000.0] * 4, [0.0]), "have no usable runs of both", "× faster than"),
        of(
            "a set with a step",
            _apart([*near(1e3, 8), *near(2e3, 8, 2)], near(1e3, 12, 3)),
            "so its runs have no common score",
            "× faster than",
        ),
        of(
            "a cold first run",
            _apart([850.0, *near(1e3, 8, 1, 0.003)], near(1080, 8, 5, 0.003)),
            "the answer hangs on a first run",
            "× faster than",
        ),
    ]


def _footers() -> list[Situation]:
    """What stands below verdicts: of nothing that was claimed a probability would be one of nothing."""

    def of(name: str, ratios: list[float], says: str, never: str, *, noisy: int = 0) -> Situation:
        beside = [cell([0.5, 2.0, 1.0]).verdict] * noisy
        return Situation("footer", name, lambda: [footer([cell(ratios).verdict, *beside])], (says,), (never,))

    return [
        of("one verdict", [0.5, 0.51, 0.49], "The verdict is false with probability", "No comparison"),
        of("one verdict of many", [1.22, 1.24, 1.27], "it does not stay significant", "it stays", noisy=13),
        of("one clear verdict of two", [0.5, 0.501, 0.499], "it stays significant", "does not stay", noisy=1),
        of("no verdict", [0.5, 2.0, 1.0], "No comparison is decided", "is false with probability"),
    ]


def _published() -> list[Situation]:
    """Means with a spread from somebody's table: a judgement only where the spread allows one."""
    inside = [stated_row("a", 1.98e9, Stated(1.98e9, 1e5)), stated_row("b", 2e9, Stated(2e9, 1e5))]

    def of(name: str, found: Cell, says: str, never: str) -> Situation:
        return Situation("verdict", name, lambda: _of_cell(found), (says,), (never,))

    return [
        of(
            "published, far apart",
            compared(Stated(1e9, 1e7), Stated(2e9, 1e7)),
            "b is 2.00× slower than a",
            "no verdict",
        ),
        of(
            "published, within the spread",
            compared(Stated(1e9, 3e8), Stated(2e9, 3e8)),
            "no significant difference",
            "2.00× slower",
        ),
        of(
            "published, inside the band",
            cells(inside, "a", apart={"s": False})[0],
            "cannot be claimed without the number of runs",
            "are the same",
        ),
    ]


def _lost() -> list[str]:
    rows = [_row("nvme", 0, 1000.0), _row("gp3", 0, None, status="failed"), _row("gp3", 1, 1000.0)]
    return [line for found in cells(rows, "nvme") for line in _of_cell(found)]


def _zeros() -> list[str]:
    rows = [
        _row(name, block, 0.0 if (name, block) == ("gp3", 2) else 1000.0 + block)
        for block in range(4)
        for name in ("nvme", "gp3")
    ]
    return [line for found in cells(rows, "nvme") for line in _of_cell(found)]


def _mixed() -> list[float]:
    return [near(1.4 if i in (2, 3, 5, 8, 11, 12) else 1.0, 1, i)[0] for i in range(14)]


def _wave() -> list[float]:
    return np.exp(0.1 * np.sin(np.arange(20) / 20 * 4 * np.pi) + np.random.default_rng(4).normal(0, 0.005, 20)).tolist()


def _regimes() -> list[Situation]:
    def of(name: str, rates: list[float], says: str, *never: str) -> Situation:
        return Situation("regime", name, lambda: [classify(rates).sentence], (says,), never)

    dip = [1000.0] * 200 + [500.0] * 40 + [1000.0] * 160
    rise, late = [1500.0 - rate for rate in dip], [1000.0] * 330 + [500.0] * 40 + [1000.0] * 30
    return [
        of("flat", near(1000, 120), "the rate was steady throughout", "fell", "rose"),
        Situation(
            "regime",
            "slices",
            lambda: [of_slices([4000.0] * 40 + [100.0], 0.2).sentence],
            ("whether its rate holds was not looked at",),
            ("burst", "too short to tell"),
        ),
        of("5 s", [1000.0] * 5, "the run of 5 s is too short to tell", "steady throughout"),
        of("a cliff", [3000.0] * 200 + [900.0] * 400, "a burst of 3,000/s, then 900/s", "ended too soon"),
        of("a cliff at the end", [3000.0] * 500 + [900.0] * 100, "the run ended too soon after", "steady throughout"),
        of("six cycles", ([500.0] * 20 + [1000.0] * 80) * 6, "scored over 4 whole cycles of 100 s", "too few"),
        of(
            "three cycles", ([1000.0] * 80 + [500.0] * 40) * 3, "two whole cycles are too few for a mean", "scored over"
        ),
        of("a dip and a half", ([500.0] * 40 + [1000.0] * 80) * 2, "no whole cycle was seen, so run longer", "too few"),
        of("two dips", ([1000.0] * 80 + [500.0] * 40) * 2 + [1000.0] * 80, "one whole cycle is too few for", "scored"),
        of(
            "one dip", dip, "fell from 1,000/s to 500/s for 40 s, after 3 min 20 s, and came back", "rose", "run longer"
        ),
        of("one rise", rise, "rose from 500/s to 1,000/s for 40 s", "fell", "run longer"),
        of(
            "a late dip", late, "and came back; too little of the run is left after it for a score", "scored", "settled"
        ),
        of(
            "a warm-up",
            [300.0] * 30 + [1000.0] * 270,
            "the rate rose from 300/s to 1,000/s after 30 s; scored from then on",
            "fell",
        ),
        of("a trend", np.linspace(3000, 500, 600).tolist(), "the rate never settled", "steady throughout"),
    ]


def _patterns() -> list[Situation]:
    def of(name: str, values: list[float], says: str, *never: str) -> Situation:
        return Situation("repeats", name, lambda: [each.text for each in patterns(values, unit="1/s")], (says,), never)

    groups = [near(700 if i in (2, 5, 7) else 1000, 1, i)[0] for i in range(12)]
    return [
        Situation("repeats", "honest", lambda: [each.text for each in patterns(near(1e3, 12))], (), ("the scores",)),
        of("rising", np.linspace(1000, 2000, 12).tolist(), "over 12 runs", "two groups"),
        of("a step", [*near(1000, 8), *near(1500, 8, 2)], "from run 9 of 16 on, the scores are", "two groups"),
        of("two groups", groups, "the runs fall into two groups: 3 near 6", "from run"),
        of("a cold first run", [500.0, *near(1000, 6)], "the first of 7 runs is 50 % lower than the others", "rose"),
        of("waves", [1e3 * each for each in _wave()], "neighbouring runs resemble each other (correlation 0."),
    ]


def _stops() -> list[Situation]:
    narrow = [summarise(near(1000, 4), "higher")]
    single = [summarise([1000.0], "higher")]

    def of(
        name: str,
        reason: StopReason,
        valid: tuple[int, int],
        says: str,
        never: str,
        *,
        one: bool = False,
        summaries: object = (),
    ) -> Situation:
        found = single if one else summaries
        return Situation("stop", name, lambda: [closing(Stop(reason), "iops", 4, valid, found)], (says,), (never,))  # type: ignore[arg-type]

    def asked(name: str, blocks: int, most: int, says: str, found: Sequence[Summary] = ()) -> Situation:
        def said() -> list[str]:
            return [closing(Stop(StopReason.CAP), "iops", blocks, (blocks, blocks), found, asked=most)]

        return Situation("stop", name, said, (says,), ("IOPS decided",))

    return [
        of("compared", StopReason.DECIDED, (8, 8), "IOPS decided after 4 blocks", "undecided"),
        of("precise", StopReason.PRECISE, (4, 4), "IOPS precise enough after 4 blocks", "decided", summaries=narrow),
        of("noise", StopReason.HOPELESS, (8, 8), "not decidable with this noise", "IOPS decided"),
        of("the limit", StopReason.CAP, (8, 8), "limit of 4 blocks reached, IOPS undecided", "IOPS decided"),
        of(
            "one valid run",
            StopReason.CAP,
            (1, 6),
            "without an interval, for a single valid run has none",
            "decided after",
            one=True,
        ),
        asked(
            "asked, no look",
            6,
            7,
            "stopped after 6 of at most 7 blocks, IOPS undecided: the next look would be after 8",
        ),
        asked("asked, alone", 3, 4, "one target alone gets no more; --repeats 4 makes exactly so many", narrow),
        asked("asked, lost blocks", 5, 8, "too few of them are valid for another look"),
        asked("asked and reached", 6, 6, "limit of 6 blocks reached, IOPS undecided"),
        of("a score, no block", StopReason.NOTHING_VALID, (1, 8), "no valid block to judge IOPS by", "decided"),
        of("nothing valid", StopReason.NOTHING_VALID, (0, 8), "no valid runs in 4 blocks", "decided"),
    ]


SITUATIONS = [*_verdicts(), *_footers(), *_published(), *_regimes(), *_patterns(), *_stops()]
