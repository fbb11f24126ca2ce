"""From stored scores to compared cells: which runs form pairs, what each pair says, and what to know beside it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from plimsoll.errors import UnknownName
from plimsoll.model import POLICY_VERSION, Direction, RunStatus, Session, Unit
from plimsoll.stats.after_own import NOT_AFTER_OWN, still_certain
from plimsoll.stats.carryover import DISTURBED, Neighbours, disturbed, drift, order_effect
from plimsoll.stats.multiplicity import surviving
from plimsoll.stats.policy import DEFAULT_BAND, FACTS_FROM, LEVELS_FROM, STANDARD, UNPAIRED_FROM, Mode
from plimsoll.stats.repeats import PatternKind, patterns, suspects
from plimsoll.stats.standing import LEVEL, Sides
from plimsoll.stats.stated import ASSUMPTION, Stated, judge_stated
from plimsoll.stats.student_t import FloatArray
from plimsoll.stats.summary import Split, by_length, split
from plimsoll.stats.unpaired import GUARANTEE, Apart, judge_apart
from plimsoll.stats.verdict import Answer, Verdict, judge_many, log_ratio, without_answer
from plimsoll.units import format_change, format_percent, format_spread


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
    stated: Stated | None = None
    """The score with its spread, where a table of another tool gave one for a mean of several runs."""
    neighbours: Neighbours | None = None
    """Of a run in slices."""


class Pair(NamedTuple):
    """The two scores of one block. Positive `difference`: the other target is better."""

    session: str
    block: int
    baseline: float
    other: float
    difference: float
    baseline_first: bool
    neighbours: tuple[Neighbours | None, Neighbours | None] = (None, None)
    """Of the baseline and of the other, as in `ScoreRow`."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know beside a verdict.

    Kinds: plans, parameters, lost, zero, unpaired, outliers, drift, order, slices, step, groups, dependence,
    correction, level;
    apart, stated, withheld and repeats where the runs were not interleaved.
    """

    kind: str
    text: str

    @property
    def in_sentence(self) -> bool:
        """Whether the sentence on its cell says it already."""
        return self.kind in ("unpaired", "correction", "stated", LEVEL)


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
    apart: Apart | None = None
    """How it was judged if the runs were not interleaved; `pairs` is empty then."""
    corrected: int = 0
    """Of so many comparisons it was one, and the correction for them leaves nothing of its verdict; 0 otherwise."""
    split: Split | None = None
    """Why the ratios of the blocks, target / baseline as measured, have no common one; by rules that know of it."""
    standings: Sides = (None, None)
    """What the scores of baseline and target stand on, where that is known to end."""
    allocations: int = 0
    """So many of each product stand in the place of blocks; 0 where the comparison is one of places."""


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
    baseline: str
    target: str
    plans: tuple[str, str]
    pairs: list[Pair]
    lost: int
    zero: int
    sets: tuple[Sequence[float], Sequence[float]] | None = None
    """The scores of both targets if they were not interleaved."""
    ordered: tuple[bool, bool] = (True, True)
    """Whether it is known in which order the runs of each set ran."""
    stated: tuple[Stated, Stated] | None = None
    """The one score of each with its spread, where both have no more than that."""


_OK = RunStatus.OK.value
_OF_VERDICT = "; the verdict is about "
"""What a note says of a verdict, which it must not where there is none."""
_OF_RATIOS = frozenset({PatternKind.STEP, PatternKind.GROUPS, PatternKind.SERIAL})
"""What is looked for in the ratios of blocks."""
_MIXED = f"{_OF_VERDICT}both together"

Place = tuple[str, int]  # session, block
Attempts = dict[int, ScoreRow]


@dataclass(frozen=True, slots=True)
class _Loose:
    """Which sets are judged without pairs."""

    known: Mapping[str, bool]
    """Sessions that were not interleaved, and whether their times are known."""
    own: bool
    """Whether sessions that were interleaved are judged against each other as well."""

    def judges(self, ours: Mapping[Place, Attempts], theirs: Mapping[Place, Attempts]) -> bool:
        """Whether no block can hold both: a block that lost its pair is lost, and no reason for the weaker method."""
        if ours.keys() & theirs.keys():
            return False
        sessions = [{session for session, _ in places} for places in (ours, theirs)]
        return any(session in self.known for session in sessions[0] | sessions[1]) or (
            self.own and not sessions[0] & sessions[1]
        )


def cells(
    rows: Iterable[ScoreRow],
    baseline: str,
    *,
    band: float = DEFAULT_BAND,
    mode: Mode = STANDARD,
    plans: Mapping[str, Mapping[str, str]] | None = None,
    apart: Mapping[str, bool] | None = None,
    opponents: Mapping[str, str] | None = None,
    policy: int = POLICY_VERSION,
) -> list[Cell]:
    """Every comparison with `baseline` that `rows` allow, in the order in which cases, metrics and targets appear.

    `opponents` names targets that are compared with another one than the baseline.

    Two runs form a pair if they belong to the same session and block, ran the same attempt and are both ok. The first
    attempt with a valid pair counts, so the repetition of a block replaces exactly the pairs that were invalid.
    `plans` gives the parameters of each plan hash as people write them, for the note on what differs. `apart` holds
    the sessions whose runs were not interleaved (imported ones) and whether their times are known: where one of them
    is involved and no block holds both targets, or where the two never ran in one session, the sets are judged
    unpaired, if the rules of version `policy` know that.
    """
    groups, targets = _grouped(rows)
    loose = _Loose((apart or {}) if policy >= UNPAIRED_FROM else {}, own=policy >= FACTS_FROM)
    if baseline not in targets:
        raise UnknownName("target", baseline, targets)
    against = {target: (opponents or {}).get(target, baseline) for target in targets}
    drafts = [
        draft
        for key, by_target in groups.items()
        for target in targets
        if against[target] != target and target in by_target and against[target] in by_target
        for draft in _drafts(key, (against[target], target), by_target, loose)
    ]
    verdicts = _judged(drafts, band, mode, policy)
    crowded = _crowded(drafts)
    suspected = _suspects(drafts)
    found = []
    for index, (draft, verdict) in enumerate(zip(drafts, verdicts, strict=True)):
        notes = [*_notes_on_plans(draft, plans or {}, (draft.key, draft.target) in crowded)]
        judged = parts = None
        if draft.sets is not None:
            names = (draft.baseline, draft.target)
            verdict, judged = _loosely(draft, names, band, policy)
            notes += _notes_apart(judged, *names)
        else:
            levels = policy >= LEVELS_FROM
            notes += _notes(draft, verdict, suspected[index], policy)
            before, verdict = verdict, still_certain(verdict, after_own(draft.pairs), mode)
            notes += [Note("slices", NOT_AFTER_OWN)] if before.decided and not verdict.decided else []
            parts = _parts(draft, notes) if levels else None
            if parts is not None and not _holds_throughout(verdict, parts):
                verdict = without_answer(verdict)
            if parts is not None and not verdict.decided:
                notes = [replace(note, text=note.text.partition(_OF_VERDICT)[0]) for note in notes]
        pairs = tuple(draft.pairs)
        head = (*draft.key, draft.baseline, draft.target, draft.plans, pairs, verdict, tuple(notes), judged)
        found.append(Cell(*head, split=parts))
    return _corrected(found) if policy >= FACTS_FROM else found


def _parts(draft: _Draft, notes: Sequence[Note]) -> Split | None:
    """Why the ratios of its blocks have no common one, where a note says that they are not repetitions of one."""
    if not any(note.kind in ("drift", "step", "groups") for note in notes):
        return None
    return split(
        [pair.other / pair.baseline for pair in draft.pairs],
        kinds=(PatternKind.STEP, PatternKind.TREND, PatternKind.GROUPS),
    )


def _holds_throughout(verdict: Verdict, parts: Split) -> bool:
    """Whether each level gives the answer that the blocks give together, and a range none that contradicts it.

    Where it does not, the answer is that of a mixture, or of the blocks before a step alone. Blocks that scatter
    without a step may get an answer from more of them.
    """
    edge = 1 + verdict.band
    better = -1 if verdict.direction == "lower" else 1

    def answer(ratio: float) -> Answer:
        if 1 / edge <= ratio <= edge:
            return Answer.SAME
        return Answer.BETTER if (ratio > 1) == (better > 0) else Answer.WORSE

    if parts.levels:
        return all(answer(level.value) is verdict.answer for level in parts.levels)
    opposite = {Answer.BETTER: Answer.WORSE, Answer.WORSE: Answer.BETTER}.get(verdict.answer)
    ends = {answer(parts.minimum), answer(parts.maximum)}
    return ends == {Answer.SAME} if verdict.answer is Answer.SAME else opposite not in ends


def after_own(pairs: Sequence[Pair]) -> list[float]:
    """The differences of blocks, of those in slices as they are where a slice follows an own one; none without slices.

    Where slices were given up, nothing reaches the blocks after that: these count as they are, else two blocks in
    slices would withhold the answer of all others for ever.
    """
    if all(None in pair.neighbours for pair in pairs):
        return []
    found = [pair.difference + _beyond_own(pair) for pair in pairs]
    return [difference for difference in found if math.isfinite(difference)]


def _beyond_own(pair: Pair) -> float:
    """What the difference after own slices is more than that of all; 0 of a block without slices."""
    baseline, other = pair.neighbours
    return 0.0 if baseline is None or other is None else other.after_own - baseline.after_own


def _corrected(found: Sequence[Cell]) -> list[Cell]:
    """The cells; those say so whose verdict does not outlive the correction for all of them."""
    kept = surviving([cell.verdict for cell in found])
    count = len(found)
    note = Note("correction", f"not significant after correction for {count:,} comparisons")
    return [
        cell if holds or not cell.verdict.decided else replace(cell, corrected=count, notes=(*cell.notes, note))
        for cell, holds in zip(found, kept, strict=True)
    ]


def measured_apart(sessions: Iterable[Session]) -> dict[str, bool]:
    """The sessions whose runs were not interleaved, and whether their times are known: `apart` of `cells`."""
    return {session.id: session.started_ns > 0 for session in sessions if not session.interleaved}


def valid_scores(rows: Iterable[ScoreRow]) -> dict[tuple[str, str, str], list[float]]:
    """The scores of each (case, metric, target): first valid attempt of each block, by session as these came."""
    sessions: dict[str, int] = {}
    found: dict[tuple[Any, ...], dict[tuple[int, int], tuple[int, float]]] = {}
    for row in rows:
        session, case, metric, unit, direction, target, block, attempt, _, status, value, *_ = row
        place = (sessions.setdefault(session, len(sessions)), block)
        values = found.setdefault((case, metric, target, unit, direction), {})
        if value is None or status != _OK or value != value:
            continue
        before = values.get(place)
        if before is None or attempt <= before[0]:
            values[place] = (attempt, value)
    return {name[:3]: [values[place][1] for place in sorted(values)] for name, values in found.items()}


def _grouped(
    rows: Iterable[ScoreRow],
) -> tuple[dict[_Key, dict[str, dict[Place, Attempts]]], dict[str, None]]:
    """The rows by what is compared, target, place and attempt, without the values of invalid runs; all targets."""
    groups: dict[_Key, dict[str, dict[Place, Attempts]]] = {}
    targets: dict[str, None] = {}
    found: dict[tuple[Any, ...], dict[Place, Attempts]] = {}
    for row in rows:
        session, case, metric, unit, direction, target, block, attempt, _, status, value, *_ = row
        if value is not None and (status != _OK or value != value):
            row = row._replace(value=None)
        name = (case, metric, unit, direction, target)
        places = found.get(name)
        if places is None:
            places = found[name] = groups.setdefault(_Key(*name[:4]), {}).setdefault(target, {})
            targets[target] = None
        attempts = places.get((session, block))
        if attempts is None:
            places[session, block] = {attempt: row}
        else:
            attempts[attempt] = row
    return groups, targets


def _first_valid(ours: Attempts, theirs: Attempts) -> tuple[ScoreRow, float, ScoreRow, float] | None:
    """The runs of the first attempt in which both are valid, and their scores."""
    for attempt in sorted(ours) if len(ours) > 1 else ours:
        mine, other = ours[attempt], theirs.get(attempt)
        if other is not None and mine.value is not None and other.value is not None:
            return mine, mine.value, other, other.value
    return None


def _drafts(
    key: _Key, names: tuple[str, str], by_target: Mapping[str, dict[Place, Attempts]], loose: _Loose
) -> Iterable[_Draft]:
    """One draft per pair of plans: runs of different plans are not comparable, so they are never pooled."""
    ours, theirs = (by_target[name] for name in names)
    if loose.judges(ours, theirs):
        return _loose_drafts(key, names, ours, theirs, loose.known)
    found: dict[tuple[str, str], _Draft] = {}
    lost = 0
    nothing: Attempts = {}
    for place in sorted(ours.keys() | theirs.keys()):
        valid = _first_valid(ours.get(place, nothing), theirs.get(place, nothing))
        if valid is None:
            lost += 1
            continue
        a, score, b, other = valid
        both = (a.plan_hash, b.plan_hash)
        draft = found.get(both)
        if draft is None:
            draft = found[both] = _Draft(key, *names, both, [], 0, 0)
        if not (0 < score < math.inf and 0 < other < math.inf):
            draft.zero += 1
            continue
        session, block = place
        difference = log_ratio(score, other, key.direction)
        draft.pairs.append(
            Pair(session, block, score, other, difference, a.order < b.order, (a.neighbours, b.neighbours))
        )
    if not found:
        first_a = next(row for attempts in ours.values() for row in attempts.values())
        first_b = next(row for attempts in theirs.values() for row in attempts.values())
        both = (first_a.plan_hash, first_b.plan_hash)
        found[both] = _Draft(key, *names, both, [], 0, 0)
    for draft in found.values():
        draft.lost = lost
    return found.values()


def _loose_drafts(
    key: _Key,
    names: tuple[str, str],
    ours: dict[Place, Attempts],
    theirs: dict[Place, Attempts],
    loose: Mapping[str, bool],
) -> list[_Draft]:
    """One draft per pair of plans of two sets that were not interleaved."""
    sets = [_series(places, loose) for places in (ours, theirs)]
    return [
        _Draft(
            key, *names, (plan, other), [], 0, 0, (values, others), (ordered, known), _stated(ours, plan, theirs, other)
        )
        for plan, (values, ordered) in sets[0].items()
        for other, (others, known) in sets[1].items()
    ]


def _stated(
    ours: dict[Place, Attempts], plan: str, theirs: dict[Place, Attempts], other: str
) -> tuple[Stated, Stated] | None:
    """The published means of the two, if each has one and nothing else."""
    found = [
        [
            row.stated
            for attempts in places.values()
            for row in attempts.values()
            if row.plan_hash == wanted and row.value
        ]
        for places, wanted in ((ours, plan), (theirs, other))
    ]
    a, b = (each[0] if len(each) == 1 else None for each in found)
    return None if a is None or b is None else (a, b)


def _series(places: dict[Place, Attempts], loose: Mapping[str, bool]) -> dict[str, tuple[list[float], bool]]:
    """The usable scores of one target by plan in the order of the runs, and whether that order is known.

    Sessions appear in the order in which they started; without times that order means nothing, but runs of one session
    are numbered as they stood in their file.
    """
    sessions = list(dict.fromkeys(session for session, _ in places))
    ordered = len(sessions) == 1 or all(loose.get(session, True) for session in sessions)
    found: dict[str, tuple[list[float], bool]] = {}
    for place in sorted(places, key=lambda place: (sessions.index(place[0]), place[1])):
        rows = [row for _, row in sorted(places[place].items())]
        values, _ = found.setdefault(rows[0].plan_hash, ([], ordered))
        usable = [row.value for row in rows if row.value is not None and 0 < row.value < math.inf]
        values.extend(usable[:1])
    return found


def _judged(drafts: Sequence[_Draft], band: float, mode: Mode, policy: int) -> list[Verdict]:
    """All verdicts; cells with equally many pairs are judged together, which is what makes large stores fast."""
    verdicts: dict[int, Verdict] = {}
    for indices, matrix in _by_length(drafts):
        directions = [drafts[i].key.direction for i in indices]
        batch = judge_many(matrix, band=band, mode=mode, directions=directions, policy=policy)
        verdicts.update(zip(indices, batch, strict=True))
    return [verdicts[index] for index in range(len(drafts))]


def _by_length(drafts: Sequence[_Draft]) -> Iterable[tuple[list[int], FloatArray]]:
    """Indices of drafts with equally many pairs, and their differences as rows of one array."""
    return by_length([[pair.difference for pair in draft.pairs] for draft in drafts])


def _suspects(drafts: Sequence[_Draft]) -> dict[int, frozenset[PatternKind]]:
    """By the place of each draft what its differences may show that is worth a note."""
    return {
        index: told
        for indices, matrix in _by_length(drafts)
        for index, told in zip(indices, suspects(matrix), strict=True)
    }


def _crowded(drafts: Sequence[_Draft]) -> set[tuple[_Key, str]]:
    """Comparisons that appear with more than one pair of plans."""
    counts: dict[tuple[_Key, str], int] = defaultdict(int)
    for draft in drafts:
        counts[draft.key, draft.target] += 1
    return {name for name, count in counts.items() if count > 1}


def _notes_on_plans(draft: _Draft, plans: Mapping[str, Mapping[str, str]], crowded: bool) -> Iterable[Note]:
    if crowded:
        yield Note("plans", "the parameters of this case changed between sessions; each set is compared on its own")
    if draft.plans[0] != draft.plans[1]:
        yield Note("parameters", _difference(*(plans.get(plan, {}) for plan in draft.plans)))


def _as_stated(unit: Unit, stated: tuple[Stated, Stated]) -> str:
    """The other mean against that of the baseline, with their spreads: `14 ± 2 s against 12 ± 1 s`."""
    told = [
        format_spread(each.mean, each.spread, unit) + (f" of {each.runs} runs" if each.runs is not None else "")
        for each in reversed(stated)
    ]
    return " against ".join(told)


def _loosely(draft: _Draft, names: tuple[str, str], band: float, policy: int) -> tuple[Verdict, Apart]:
    """The verdict on sets that were not interleaved: by their runs, or by their published means and spreads."""
    direction = draft.key.direction
    if draft.stated is not None and policy >= FACTS_FROM:
        verdict, judged = judge_stated(*draft.stated, band=band, direction=direction)
        return verdict, replace(judged, told=_as_stated(draft.key.unit, draft.stated))
    levels = policy >= LEVELS_FROM
    return judge_apart(
        *(draft.sets or ((), ())), band=band, direction=direction, ordered=draft.ordered, names=names, levels=levels
    )


def _notes_apart(judged: Apart, baseline: str, target: str) -> Iterable[Note]:
    yield Note("apart", GUARANTEE)
    if judged.stated:
        yield Note("stated", judged.told)
    if judged.stated not in ("", "known"):
        yield Note("apart", ASSUMPTION)
    if judged.withheld:
        yield Note("withheld", f"no verdict: {judged.withheld}")
    for name, found in ((baseline, judged.baseline_patterns), (target, judged.target_patterns)):
        for pattern in found:
            if pattern.text not in judged.withheld:
                yield Note("repeats", f"{name}: {pattern.text}")


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def _notes(draft: _Draft, verdict: Verdict, suspected: frozenset[PatternKind], policy: int) -> Iterable[Note]:
    used = len(draft.pairs) + draft.zero
    if not used:
        yield Note("unpaired", "the two never ran validly in one block of one session, so nothing can be compared")
    elif draft.lost:
        yield Note("lost", f"{draft.lost} of {used + draft.lost} blocks {_have(draft.lost)} no valid pair")
    if draft.zero:
        yield Note("zero", f"{draft.zero} of {used} blocks {_have(draft.zero)} a score of zero and no ratio")
    if verdict.contaminated:
        yield Note("outliers", f"a few blocks are far from the others{_OF_VERDICT}the typical block")
    differences = [pair.difference for pair in draft.pairs]
    drifted = drift(differences) if PatternKind.TREND in suspected else None
    patterned = policy >= UNPAIRED_FROM and suspected & _OF_RATIOS
    seen = list(_notes_on_ratios(draft, differences)) if patterned else []
    # A step has a rank correlation with time as well; its slope is no size of anything.
    stepped = policy >= LEVELS_FROM and any(note.kind == "step" for note in seen)
    if drifted is not None and not stepped:
        change = math.expm1(-drifted if draft.key.direction == "lower" else drifted)
        told = format_change(change)
        cause = "one target changed more than the other (credits, wear, caches, or what earlier runs left)"
        yield Note("drift", f"the ratio drifted by {told} over the blocks: {cause}")
    ordered = order_effect(differences, [pair.baseline_first for pair in draft.pairs])
    if ordered is not None:
        yield Note(
            "order", f"the ratio differs by {_percent(ordered)} with who runs first: a run affects the one after it"
        )
    yield from _notes_on_slices(draft, verdict.band)
    if drifted is None or stepped:
        yield from seen


def _notes_on_slices(draft: _Draft, band: float) -> Iterable[Note]:
    """Where targets alternated: that one works otherwise right after the other than after itself."""
    for side, name in enumerate((draft.baseline, draft.target)):
        all_told = [each.after_other for pair in draft.pairs if (each := pair.neighbours[side]) is not None]
        found = [each for each in all_told if math.isfinite(each)]
        changed = disturbed(found, DISTURBED * math.log1p(band))
        if changed is not None:
            told = format_percent(abs(math.expm1(changed)))
            way = "faster" if changed > 0 else "slower"
            yield Note(
                "slices",
                f"right after another target's slices {name} was {told} {way} than right after its own: they disturb "
                "each other, and `--interleave blocks` lets one run after the other",
            )


def _notes_on_ratios(draft: _Draft, differences: Sequence[float]) -> Iterable[Note]:
    """Blocks that are no repetitions of one thing: the verdict is then about a mixture of two states."""
    for pattern in patterns([float(np.exp(each)) for each in differences]):
        if pattern.kind is PatternKind.STEP and pattern.at is not None:
            before, after = (
                median([pair.other / pair.baseline for pair in part])
                for part in (draft.pairs[: pattern.at], draft.pairs[pattern.at :])
            )
            change = f"{'fell' if after < before else 'rose'} by {format_percent(abs(after / before - 1))}"
            yield Note("step", f"the ratio {change} at pair {pattern.at + 1}{_MIXED}")
        elif pattern.kind is PatternKind.GROUPS:
            text = f"the ratios fall into two groups {_percent(pattern.effect)} apart{_MIXED}"
            yield Note("groups", text)
        elif pattern.kind is PatternKind.SERIAL:
            yield Note("dependence", "ratios of neighbouring blocks resemble each other, so the interval is too narrow")


def _difference(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """Names the parameters that two plans do not share."""
    names = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    if not names:
        return "the plans of the two differ"
    told = (f"{name} {ours.get(name, 'not set')} against {theirs.get(name, 'not set')}" for name in names)
    return f"parameters differ: {', '.join(told)}"


def _percent(log_change: float) -> str:
    return format_percent(np.expm1(abs(log_change)))
