"""What was found, in a sentence or two for each target, before anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll import metrics
from plimsoll.prices.cost import usd
from plimsoll.report.comparisons import tally
from plimsoll.report.directed import directed, factor, manner
from plimsoll.report.document import Block, Sentence, Text, Tone
from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.report.labels import count_text, ratio_text, score_text
from plimsoll.report.levels import split_text
from plimsoll.report.marks import lasting_words
from plimsoll.report.sections.cost import priced
from plimsoll.report.sections.verdicts import TONES
from plimsoll.stats.paired import Cell
from plimsoll.stats.policy import ALPHA, LOOKS
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.repeats import Kind
from plimsoll.stats.unpaired import FEWEST_RUNS
from plimsoll.stats.verdict import Answer
from plimsoll.units import SECOND

ORDER = 4
TITLE = "Answer"
SHORT = True
LEAD = True

MANY_TARGETS = 4
"""With more, the targets are counted by their answers; the table has each."""
MANY_NAMES = 3
"""Tests that a sentence names; of more it gives the number."""
LONG_NAMES = 40
"""Characters of all names together; longer ones are left to the table."""
_CHANGES = (Kind.STEP, Kind.TREND, Kind.GROUPS)
_ORDER = (Answer.BETTER, Answer.WORSE, Answer.SAME, Answer.UNKNOWN)


def build(evidence: Evidence) -> list[Block]:
    """Nothing where nothing valid was measured, or where a search has its own answer."""
    if not evidence.valid or evidence.only_searched:
        return []
    if evidence.alone:
        told = [*_alone(evidence), *_changed(evidence), *_costs(evidence), _second(evidence)]
    elif evidence.cells:
        told = [*_compared(evidence), *_costs(evidence)]
    else:
        return []
    return [Text(tuple(told))]


def _compared(evidence: Evidence) -> Iterator[Sentence]:
    first = {case: names[0] for case, names in evidence.judged.items() if names}
    deciding = [cell for cell in evidence.cells if first.get(cell.case) == cell.metric]
    further = [cell for cell in evidence.cells if first.get(cell.case) != cell.metric]
    targets = [name for name in evidence.targets if any(cell.target == name for cell in deciding)]
    if len(targets) > MANY_TARGETS:
        yield from _many(evidence, deciding, targets)
    else:
        for target in targets:
            yield _one([cell for cell in deciding if cell.target == target])
    if further:
        yield Sentence(f"Further metrics, {count_text(len(further), 'comparison')}: {tally(further)}.")
    yield from _changed(evidence)
    yield from _lasting(evidence.cells)
    yield from _sure(evidence.cells)


def _one(cells: Sequence[Cell]) -> Sentence:
    """One target against the baseline: `gp3 is faster than gp2 on 14 of 20 tests (1.20× to 5.10×), …`."""
    if len(cells) == 1:
        return _single(cells[0])
    better, worse = manner(cells)
    verbs = {
        Answer.BETTER: (f"is {better} than {{}}", better),
        Answer.WORSE: (f"is {worse} than {{}}", worse),
        Answer.SAME: ("performs the same as {}", "the same"),
        Answer.UNKNOWN: ("has no verdict against {}", "undecided"),
    }
    target, baseline = cells[0].target, cells[0].baseline
    parts: list[str] = []
    for answer in _ORDER:
        these = [cell for cell in cells if cell.verdict.answer is answer]
        if not these:
            continue
        full, short = verbs[answer]
        if parts:
            parts.append(f"{short} on {len(these)}{_which(these, answer)}")
        else:
            verb = full.replace("{}", baseline)
            parts.append(f"{target} {verb} on {len(these)} of {len(cells)} tests{_which(these, answer)}")
    found = {cell.verdict.answer for cell in cells}
    tone = TONES[found.pop()] if len(found) == 1 else Tone.PLAIN
    return Sentence(f"{', '.join(parts)}.", tone)


def _which(cells: Sequence[Cell], answer: Answer) -> str:
    """The tests if they are few, by how much if that is known, and what a correction leaves of it."""
    names = ", ".join(cell.case for cell in cells)
    told = [names] if len(cells) <= MANY_NAMES and len(names) <= LONG_NAMES else []
    if answer in (Answer.BETTER, Answer.WORSE):
        ends = sorted(factor(ratio) for cell in cells if (ratio := _ratio(cell)) is not None)
        told += [] if not ends else [" to ".join(dict.fromkeys(ratio_text(end) for end in (ends[0], ends[-1])))]
        weak = sum(cell.corrected > 0 for cell in cells)
        told += [f"{weak} not significant after correction"] if weak else []
    return f" ({', '.join(told)})" if told else ""


def _ratio(cell: Cell) -> float | None:
    return None if levels_told(cell) else cell.verdict.ratio


def _single(cell: Cell) -> Sentence:
    """One test: how much, with the interval in the same direction."""
    tone, label = TONES[cell.verdict.answer], f"{cell.case}, {metrics.title(cell.metric)}"
    ratio = _ratio(cell)
    if cell.verdict.answer is Answer.SAME:
        return Sentence(f"{cell.target} performs the same as {cell.baseline} ({label}).", tone)
    if cell.verdict.answer is Answer.UNKNOWN or ratio is None:
        words = f"{cell.target} against {cell.baseline} has {'no common ratio' if levels_told(cell) else 'no verdict'}"
        return Sentence(f"{words} ({label}).", tone)
    low, high = cell.verdict.ratio_low, cell.verdict.ratio_high
    ends = sorted(((1 / end if ratio < 1 and _turns(cell) else end) for end in (low, high) if end), key=float)
    interval = f"; interval {ratio_text(ends[0])} to {ratio_text(ends[1])}" if len(ends) == 2 else ""
    verb = "is" if _turns(cell) else "takes" if cell.unit == "ns" else "is"
    joint = "than" if _turns(cell) else "as"
    return Sentence(f"{cell.target} {verb} {directed(cell, ratio)} {joint} {cell.baseline} ({label}{interval}).", tone)


def _turns(cell: Cell) -> bool:
    """Whether a ratio below 1 is told as its inverse."""
    return not directed(cell, 0.5).startswith(ratio_text(0.5))


def _many(evidence: Evidence, cells: Sequence[Cell], targets: Sequence[str]) -> Iterator[Sentence]:
    """How many targets are better or worse: in the one test, or in most of several."""
    groups: dict[Answer | None, list[str]] = {}
    for target in targets:
        answers = [cell.verdict.answer for cell in cells if cell.target == target]
        most = max(_ORDER, key=answers.count)
        groups.setdefault(most if 2 * answers.count(most) > len(answers) else None, []).append(target)
    better, worse = manner(cells)
    words = {Answer.BETTER: better, Answer.WORSE: worse, Answer.SAME: "the same", Answer.UNKNOWN: "undecided"}
    where = f"in {evidence.cases[0]}" if len(evidence.cases) == 1 else "on most tests"
    told = [
        f"{len(names)} {words[answer] if answer else 'mixed'} ({_listed(names)})"
        for answer in (*_ORDER, None)
        if (names := groups.get(answer))
    ]
    baselines = ", ".join(dict.fromkeys(cell.baseline for cell in cells))
    yield Sentence(f"Of {len(targets)} targets compared with {baselines}, {where}: {', '.join(told)}.")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MANY_NAMES} more" if len(names) > MANY_NAMES else ""
    return ", ".join(names[:MANY_NAMES]) + more


def _changed(evidence: Evidence) -> Iterator[Sentence]:
    """Targets that were not one thing throughout, by the metric that decides: fast and then slow, say."""
    found = [
        f"{line.target} has no single score in {line.case} ({metrics.short_title(line.metric)}): "
        + split_text(line.split, line.unit)
        for line in evidence.lines
        if line.split is not None and line.split.kind in _CHANGES and line.metric in evidence.judged[line.case][:1]
    ]
    for told in found[:MANY_NAMES]:
        yield Sentence(f"{told}.", Tone.UNKNOWN)
    if len(found) > MANY_NAMES:
        yield Sentence(f"{len(found) - MANY_NAMES} more such in the table.", Tone.NOTE)


def _lasting(cells: Sequence[Cell]) -> Iterator[Sentence]:
    """What ends, each once with the tests and targets it is about."""
    about: dict[str, dict[str, None]] = {}
    for cell in cells:
        if words := lasting_words(cell):
            about.setdefault(words, {})[cell.case] = None
    for words, cases in list(about.items())[:MANY_NAMES]:
        yield Sentence(f"{_listed(list(cases))}: {words}.", Tone.UNKNOWN)
    if len(about) > MANY_NAMES:
        yield Sentence(f"{len(about) - MANY_NAMES} more under “Verdicts”.", Tone.NOTE)


def _sure(cells: Sequence[Cell]) -> Iterator[Sentence]:
    """How sure the verdicts are; nothing where there is none."""
    decided = [cell for cell in cells if cell.verdict.decided]
    if not decided:
        return
    error = f"{'The verdict' if len(decided) == 1 else 'Each verdict'} is wrong with probability at most {ALPHA:.0%}"
    used = sorted(cell.verdict.blocks_used for cell in decided if cell.apart is None)
    if used:
        span = str(used[0]) if used[0] == used[-1] else f"{used[0]} to {used[-1]}"
        blocks = f", from {span} block{'' if span == '1' else 's'}"
    else:
        blocks = ""
    if any(cell.apart is not None for cell in decided):
        blocks += "; for sets measured apart, only if nothing but the target changed between them"
    yield Sentence(f"{error.replace('%', ' %')}{blocks}.", Tone.NOTE)


def _costs(evidence: Evidence) -> Iterator[Sentence]:
    """What the volumes cost, with the day of the prices; nothing where one has none."""
    known = priced(evidence)
    amounts = {name: each.cost.volume_per_month for name, each in known.items()}
    told = [f"{name} {usd(amount)}" for name, amount in amounts.items() if amount is not None]
    if told:
        dates = ", ".join(dict.fromkeys(each.cost.as_of for each in known.values() if each.cost.as_of))
        seen = f", list prices of {dates}" if dates else ""
        yield Sentence(f"Volume cost per month: {', '.join(told)}{seen}.")


def _alone(evidence: Evidence) -> Iterator[Sentence]:
    """What one target reaches in each test, and what its commits mean for a database."""
    name = evidence.targets[0]
    lines = {(line.case, line.metric): line for line in evidence.lines if line.judged}
    deciding = [lines[case, names[0]] for case, names in evidence.judged.items() if names and (case, names[0]) in lines]
    known = [line for line in deciding if line.summary is not None]
    if known:
        reached = ", ".join(f"{_reached(line)} in {line.case}" for line in known[: 2 * MANY_NAMES])
        more = f" and {count_text(len(known) - 2 * MANY_NAMES, 'more test')}" if len(known) > 2 * MANY_NAMES else ""
        yield Sentence(f"{name} reaches {reached}{more}.")
    for line in evidence.lines:
        if line.metric == "commit_p50" and line.summary is not None:
            rate = score_text(SECOND / line.summary.value, "1/s")
            yield Sentence(
                f"A database connection that waits for each commit gets about {rate}: half of the commits take "
                f"{score_text(line.summary.value, 'ns')} or more ({line.case})."
            )


def _reached(line: ScoreLine) -> str:
    assert line.summary is not None
    score = score_text(line.summary.value, line.unit, line.summary.low, line.summary.high)
    return f"{score} ({metrics.short_title(line.metric)})"


def _second(evidence: Evidence) -> Sentence:
    """What to do for a verdict."""
    name = evidence.targets[0]
    if not any(session.interleaved for session in evidence.sessions):
        return Sentence(
            f"A verdict needs the results of a second target, with the same case and {FEWEST_RUNS} runs of each: name "
            "both sessions.",
            Tone.NOTE,
        )
    return Sentence(
        f"A verdict needs a second target in the same session, such as --on {name}=… --on other=…, and at least "
        f"{LOOKS[0]} blocks of both.",
        Tone.NOTE,
    )
