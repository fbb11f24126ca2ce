"""From stored scores to compared cells: which runs form pairs, what each pair says, and what to know beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from plimsoll.errors import UnknownName
from plimsoll.model import Direction, RunStatus, Unit
from plimsoll.stats.carryover import drift, order_effect
from plimsoll.stats.policy import DEFAULT_BAND, STANDARD, Mode
from plimsoll.stats.verdict import Verdict, judge_many, log_ratio


class ScoreRow(NamedTuple):
    """One score of one run, light enough for tens of thousands."""

    session: str
    case: str
    metric: str
    unit: Unit
    direction: Direction
    target: str
    block: int
    attempt: int
    order: int
    status: str
    value: float | None
    plan_hash: str


class Pair(NamedTuple):
    """The two scores of one block. Positive `difference`: the other target is better."""

    session: str
    block: int
    baseline: float
    other: float
    difference: float
    baseline_first: bool


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know beside a verdict. Kinds: plans, parameters, lost, zero, unpaired, outliers, drift, order."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One comparison: one case, one metric, the baseline and one other target, with the plans they ran."""

    case: str
    metric: str
    unit: Unit
    direction: Direction
    baseline: str
    target: str
    plans: tuple[str, str]
    pairs: tuple[Pair, ...]
    verdict: Verdict
    notes: tuple[Note, ...]


class _Key(NamedTuple):
    """What must be equal for scores to be comparable at all."""

    case: str
    metric: str
    unit: Unit
    direction: Direction


@dataclass(slots=True)
class _Draft:
    """A cell before judgement."""

    key: _Key
    target: str
    plans: tuple[str, str]
    pairs: list[Pair]
    lost: int
    zero: int


Place = tuple[str, int]  # session, block
Attempts = dict[int, ScoreRow]


def cells(
    rows: Iterable[ScoreRow],
    baseline: str,
    *,
    band: float = DEFAULT_BAND,
    mode: Mode = STANDARD,
    cap: int | None = None,
    plans: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Cell]:
    """Every comparison with `baseline` that `rows` allow, in the order in which cases, metrics and targets appear.

    Two runs form a pair if they belong to the same session and block, ran the same attempt and are both ok. The first
    attempt with a valid pair counts, so the repetition of a block replaces exactly the pairs that were invalid.
    `plans` gives the parameters of each plan hash, for the note on what differs.
    """
    groups, targets = _grouped(rows)
    if baseline not in targets:
        raise UnknownName("target", baseline, targets)
    drafts = [
        draft
        for key, by_target in groups.items()
        if baseline in by_target
        for target in targets
        if target != baseline and target in by_target
        for draft in _drafts(key, target, by_target[baseline], by_target[target])
    ]
    verdicts = _judged(drafts, band, mode, cap)
    crowded = _crowded(drafts)
    return [
        Cell(
            *draft.key,
            baseline=baseline,
            target=draft.target,
            plans=draft.plans,
            pairs=tuple(draft.pairs),
            verdict=verdict,
            notes=tuple(_notes(draft, verdict, plans or {}, (draft.key, draft.target) in crowded)),
        )
        for draft, verdict in zip(drafts, verdicts, strict=True)
    ]


def valid_scores(rows: Iterable[ScoreRow]) -> dict[tuple[str, str, str], list[float]]:
    """The scores of each (case, metric, target) for a summary: first valid attempt of each block, in block order."""
    groups, _ = _grouped(rows)
    return {
        (key.case, key.metric, target): [
            row.value
            for place in sorted(places)
            for row in [next((row for _, row in sorted(places[place].items()) if _valid(row)), None)]
            if row is not None and row.value is not None
        ]
        for key, by_target in groups.items()
        for target, places in by_target.items()
    }


def _grouped(
    rows: Iterable[ScoreRow],
) -> tuple[dict[_Key, dict[str, dict[Place, Attempts]]], dict[str, None]]:
    groups: dict[_Key, dict[str, dict[Place, Attempts]]] = {}
    targets: dict[str, None] = {}
    for row in rows:
        key = _Key(row.case, row.metric, row.unit, row.direction)
        places = groups.setdefault(key, {}).setdefault(row.target, {})
        places.setdefault((row.session, row.block), {})[row.attempt] = row
        targets[row.target] = None
    return groups, targets


def _valid(row: ScoreRow) -> bool:
    return row.status == RunStatus.OK and row.value is not None and row.value == row.value


def _first_valid(ours: Attempts, theirs: Attempts) -> int | None:
    """The first attempt in which both runs are valid."""
    for attempt in sorted(ours) if len(ours) > 1 else ours:
        if attempt in theirs and _valid(ours[attempt]) and _valid(theirs[attempt]):
            return attempt
    return None


def _drafts(key: _Key, target: str, ours: dict[Place, Attempts], theirs: dict[Place, Attempts]) -> Iterable[_Draft]:
    """One draft per pair of plans: runs of different plans are not comparable, so they are never pooled."""
    found: dict[tuple[str, str], _Draft] = {}
    lost = 0
    for place in sorted(ours.keys() | theirs.keys()):
        mine, other = ours.get(place, {}), theirs.get(place, {})
        attempt = _first_valid(mine, other)
        if attempt is None:
            lost += 1
            continue
        a, b = mine[attempt], other[attempt]
        both = (a.plan_hash, b.plan_hash)
        draft = found.setdefault(both, _Draft(key, target, both, [], 0, 0))
        if a.value is None or b.value is None or min(a.value, b.value) <= 0 or max(a.value, b.value) == float("inf"):
            draft.zero += 1
            continue
        difference = log_ratio(a.value, b.value, key.direction)
        draft.pairs.append(Pair(*place, a.value, b.value, difference, a.order < b.order))
    if not found:
        first_a = next(row for attempts in ours.values() for row in attempts.values())
        first_b = next(row for attempts in theirs.values() for row in attempts.values())
        both = (first_a.plan_hash, first_b.plan_hash)
        found[both] = _Draft(key, target, both, [], 0, 0)
    for draft in found.values():
        draft.lost = lost
    return found.values()


def _judged(drafts: Sequence[_Draft], band: float, mode: Mode, cap: int | None) -> list[Verdict]:
    """All verdicts; cells with equally many pairs are judged together, which is what makes large stores fast."""
    by_length: dict[int, list[int]] = defaultdict(list)
    for index, draft in enumerate(drafts):
        by_length[len(draft.pairs)].append(index)
    verdicts: dict[int, Verdict] = {}
    for length, indices in by_length.items():
        matrix = np.array([[pair.difference for pair in drafts[i].pairs] for i in indices], dtype=np.float64)
        directions = [drafts[i].key.direction for i in indices]
        batch = judge_many(matrix.reshape(len(indices), length), band=band, mode=mode, cap=cap, directions=directions)
        verdicts.update(zip(indices, batch, strict=True))
    return [verdicts[index] for index in range(len(drafts))]


def _crowded(drafts: Sequence[_Draft]) -> set[tuple[_Key, str]]:
    """Comparisons that appear with more than one pair of plans."""
    counts: dict[tuple[_Key, str], int] = defaultdict(int)
    for draft in drafts:
        counts[draft.key, draft.target] += 1
    return {name for name, count in counts.items() if count > 1}


def _notes(draft: _Draft, verdict: Verdict, plans: Mapping[str, Mapping[str, Any]], crowded: bool) -> Iterable[Note]:
    if crowded:
        yield Note("plans", "the parameters of this case changed between sessions; each set is compared on its own")
    if draft.plans[0] != draft.plans[1]:
        yield Note("parameters", _difference(*(plans.get(plan, {}) for plan in draft.plans)))
    used = len(draft.pairs) + draft.zero
    if not used:
        yield Note("unpaired", "the two never ran validly in one block of one session, so nothing can be compared")
    elif draft.lost:
        yield Note("lost", f"{draft.lost} of {used + draft.lost} blocks have no valid pair")
    if draft.zero:
        yield Note("zero", f"{draft.zero} of {used} blocks have a score of zero and no ratio")
    if verdict.contaminated:
        yield Note("outliers", "a few blocks are far from the others; the verdict is about the typical block")
    differences = [pair.difference for pair in draft.pairs]
    drifted = drift(differences)
    if drifted is not None:
        yield Note("drift", f"the ratio drifted by {_percent(drifted)} over the blocks: earlier runs act on later ones")
    ordered = order_effect(differences, [pair.baseline_first for pair in draft.pairs])
    if ordered is not None:
        yield Note("order", f"the ratio differs by {_percent(ordered)} with who runs first: runs act on the next one")


def _difference(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """Names the parameters that two plans do not share."""
    names = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    if not names:
        return "the plans of the two differ"
    return "parameters differ: " + ", ".join(f"{name} {ours.get(name)} against {theirs.get(name)}" for name in names)


def _percent(log_change: float) -> str:
    return f"{np.expm1(abs(log_change)):.0%}".replace("%", " %")
