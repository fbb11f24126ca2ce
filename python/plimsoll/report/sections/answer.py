"""What was found, in a sentence or two for each target, before anything else."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from plimsoll import metrics
from plimsoll.prices.cost import usd
from plimsoll.report import settings
from plimsoll.report.comparisons import tally
from plimsoll.report.disturbed import disturbance
from plimsoll.report.document import Block, Sentence, Text, Tone
from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.report.labels import count_text, score_text
from plimsoll.report.levels import MANY_CHANGES, changes_told, got_worse, step_word, uneven_text, when
from plimsoll.report.marks import lasting_words
from plimsoll.report.sections import context, load_line, scaling
from plimsoll.report.sections.cost import priced
from plimsoll.report.sections.verdicts import TONES
from plimsoll.report.subject import Products
from plimsoll.stats.direction import decided as told_ratio
from plimsoll.stats.direction import difference, factor, level, manner
from plimsoll.stats.paired import Cell
from plimsoll.stats.policy import ALPHA, LOOKS
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.unpaired import FEWEST_RUNS
from plimsoll.stats.verdict import Answer
from plimsoll.units import SECOND, format_estimate, format_percent

ORDER = 4
TITLE = "Answer"
SHORT = True
LEAD = True
OF_PRODUCTS = True

MANY_TARGETS = 4
"""With more, the targets are counted by their answers; the table has each."""
MANY_NAMES = 3
"""Tests that a sentence names; of more it gives the number."""
MANY_SCORES = 8
"""Scores of one target in a sentence."""
LONG_NAMES = 40
"""Characters of all names together; longer ones are left to the table."""
_ORDER = (Answer.BETTER, Answer.WORSE, Answer.SAME, Answer.UNKNOWN)


def build(evidence: Evidence) -> list[Block]:
    """What searches found, then what was compared, or what one target is like; nothing where nothing was measured."""
    told = load_line.told(evidence)
    if evidence.only_searched:
        told += disturbance(evidence)
    elif evidence.valid:
        if evidence.alone:
            told += [*_changed(evidence), *_alone(evidence), *disturbance(evidence), *context.told(evidence)]
            told += [*_costs(evidence), _second(evidence)]
        elif evidence.cells:
            told += [*_compared(evidence), *_costs(evidence)]
    return [Text(tuple(told))] if told else []


def _compared(evidence: Evidence) -> Iterator[Sentence]:
    first = {case: names[0] for case, names in evidence.judged.items() if names}
    deciding = [cell for cell in evidence.cells if first.get(cell.case) == cell.metric]
    further = [cell for cell in evidence.cells if first.get(cell.case) != cell.metric]
    targets = [name for name in evidence.targets if any(cell.target == name for cell in deciding)]
    # Who fell on the way, and who did not, is what a mean of it is to be read with.
    changed = list(_changed(evidence))
    yield from _steady(evidence)
    yield from changed
    differ = any(cell.verdict.answer in (Answer.BETTER, Answer.WORSE) for cell in deciding)
    none_differs = len(deciding) > 1 and not (differ or changed)
    if none_differs:
        yield _none_differs(deciding, evidence.unit)
    if none_differs and len(targets) == 1:
        yield from _so_far(deciding)
    elif len(targets) > MANY_TARGETS:
        yield from _many(evidence, deciding, targets, () if none_differs else _corrected(deciding))
    else:
        for target in targets:
            own = [cell for cell in deciding if cell.target == target]
            # Who changed and who did not stands above.
            if not (changed and len(own) == 1 and levels_told(own[0])):
                yield _one(own, corrected=not none_differs)
    yield from settings.told(evidence)
    yield from disturbance(evidence)
    yield from _best(evidence, deciding)
    if further:
        yield _further(further)
    if not isinstance(evidence, Products):
        # Its intervals are of the noise of blocks.
        yield from scaling.told(evidence)
    yield from _lasting(evidence.cells)
    yield from _sure(evidence.cells, evidence.unit)


def _further(cells: Sequence[Cell]) -> Sentence:
    """How the other metrics came out, and those that differ if they are few: they may say the opposite."""
    differ = [cell for cell in cells if cell.verdict.answer in (Answer.BETTER, Answer.WORSE) and not cell.corrected]
    named = [f"{difference(cell)} in {cell.case} ({metrics.title(cell.metric)})" for cell in differ]
    told = f"Further metrics, {count_text(len(cells), 'comparison')}: {tally(cells)}"
    return Sentence(". ".join([told, *named] if len(named) <= MANY_NAMES else [told]) + ".")


def _none_differs(cells: Sequence[Cell], unit: str) -> Sentence:
    """Before the counts of each target: that nobody is better or worse for certain, and whether that is an answer."""
    same = sum(cell.verdict.answer is Answer.SAME for cell in cells)
    baselines = ", ".join(dict.fromkeys(cell.baseline for cell in cells))
    weak = "".join(f", {words}" for words in _corrected(cells))
    if same == len(cells):
        told = f"No difference from {baselines}: {_all(same)} comparisons are the same{weak}."
        return Sentence(told, Tone.UNKNOWN if weak else Tone.SAME)
    used = max(cell.verdict.blocks_used for cell in cells)
    after = f" after {count_text(used, unit)}" if used and all(cell.apart is None for cell in cells) else ""
    open_ = len(cells) - same
    told = f"{_all(open_)} comparisons are undecided{after}"
    if same:
        told = f"{same} of {len(cells)} comparisons are the same{weak}, {open_} undecided{after}"
    return Sentence(f"No certain difference from {baselines}: {told}.", Tone.UNKNOWN)


def _all(count: int) -> str:
    return "both" if count == 2 else f"all {count}"


def _so_far(cells: Sequence[Cell]) -> Iterator[Sentence]:
    """What the undecided comparisons of the one target look like so far, with their intervals."""
    open_ = [cell for cell in cells if not cell.verdict.decided and (cell.verdict.ratio or levels_told(cell))]
    if told := [f"{cell.case} {level(cell)}" for cell in open_[:MANY_NAMES]]:
        more = f" and {len(open_) - MANY_NAMES} more" if len(open_) > MANY_NAMES else ""
        yield Sentence(f"So far, {cells[0].target} against {cells[0].baseline}: {', '.join(told)}{more}.", Tone.NOTE)
    # An interval that leaves out 1 looks like an answer.
    why = {note.text: None for cell in open_ for note in cell.notes if note.kind == "slices"}
    yield from (Sentence(f"Why this is no verdict yet: {words}.", Tone.NOTE) for words in why)


def _steady(evidence: Evidence) -> Iterator[Sentence]:
    """Which targets kept their level where others fell, and for how long that was seen: nobody knows what comes."""
    lines = [line for line in evidence.lines if line.metric in evidence.judged[line.case][:1]]
    for case, worse in {line.case: line for line in lines if got_worse(line)}.items():
        kept = [line for line in lines if line.case == case and line.summary is not None]
        if not kept:
            continue
        names = [line.target for line in kept]
        ends = [_score(line) for line in (min(kept, key=_typical), max(kept, key=_typical))]
        runs = ", ".join(f"{count:,}" for count in sorted({line.summary.runs for line in kept if line.summary}))
        did = "fall" if step_word(worse) == "fell" else "rise"
        told = f"{_listed(names, MANY_CHANGES)} did not {did} in these {runs} runs of {case}"
        lasted_ns = min((_lasted_ns(evidence, line) for line in kept), default=0)
        seen = f", for {format_estimate(lasted_ns)}" if lasted_ns else ""
        yield Sentence(f"{told} ({_span(ends)} throughout{seen}); what comes later was not measured.")


def _lasted_ns(evidence: Evidence, line: ScoreLine) -> int:
    """From the start of the first to the end of the last of its runs; 0 where an imported file does not tell it, and of
    several sessions, between which nothing was measured.
    """
    runs = evidence.runs_of(line.case, line.target)
    if len({run.session_id for run in runs}) > 1:
        return 0
    began_ns, ended_ns = min(run.started_ns for run in runs), max(run.ended_ns for run in runs)
    return ended_ns - began_ns if when(began_ns, ended_ns) else 0


def _span(ends: Sequence[str]) -> str:
    return " to ".join(dict.fromkeys(ends))


def _one(cells: Sequence[Cell], *, corrected: bool) -> Sentence:
    """One target against the baseline: `gp3 is faster than gp2 on 14 of 20 tests (1.20× to 5.10×), …`.

    `corrected`: with what the correction leaves of it, unless that was said of all targets.
    """
    if len(cells) == 1:
        return _single(cells[0], corrected=corrected)
    better, worse = manner(cells)
    verbs = {
        Answer.BETTER: (f"{_is(cells, Answer.BETTER)} {better} than {{}}", better),
        Answer.WORSE: (f"{_is(cells, Answer.WORSE)} {worse} than {{}}", worse),
        Answer.SAME: (f"{_is(cells, Answer.SAME, 'performs', 'seems to perform')} the same as {{}}", "the same"),
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
            parts.append(f"{short} on {len(these)}{_which(these, answer, corrected=corrected)}")
        else:
            verb = full.replace("{}", baseline)
            parts.append(
                f"{target} {verb} on {len(these)} of {len(cells)} tests{_which(these, answer, corrected=corrected)}"
            )
    found = {cell.verdict.answer for cell in cells}
    apart = found - {Answer.SAME} or found
    differ = [cell.corrected for cell in cells if cell.verdict.answer in (Answer.BETTER, Answer.WORSE)]
    claimed = differ or [cell.corrected for cell in cells if cell.verdict.answer is Answer.SAME]
    if claimed and all(claimed):
        return Sentence(f"{', '.join(parts)}.", Tone.UNKNOWN)
    tone = TONES[apart.pop()] if len(apart) == 1 and (len(found) == 1 or Answer.UNKNOWN not in found) else Tone.PLAIN
    return Sentence(f"{', '.join(parts)}.", tone)


def _is(cells: Sequence[Cell], answer: Answer, certain: str = "is", uncertain: str = "seems") -> str:
    """What a correction leaves nothing of is not said for certain."""
    return uncertain if all(cell.corrected for cell in cells if cell.verdict.answer is answer) else certain


def _which(cells: Sequence[Cell], answer: Answer, *, corrected: bool) -> str:
    """The tests if they are few, by how much if that is known, and what a correction leaves of it."""
    names = ", ".join(cell.case for cell in cells)
    told = [names] if len(cells) <= MANY_NAMES and len(names) <= LONG_NAMES else []
    if answer in (Answer.BETTER, Answer.WORSE):
        ends = sorted((factor(ratio), told_ratio(cell)[0]) for cell in cells if (ratio := _ratio(cell)) is not None)
        told += [] if not ends else [_span([ends[0][1], ends[-1][1]])]
    told += _corrected(cells) if corrected else []
    return f" ({', '.join(told)})" if told else ""


def _corrected(cells: Sequence[Cell]) -> list[str]:
    """What a correction leaves of verdicts, where that is not all: nothing of any is another answer than of some."""
    decided = [cell for cell in cells if cell.verdict.decided]
    weak = [cell.corrected for cell in decided if cell.corrected]
    if not weak:
        return []
    words = f"significant after the correction for {weak[0]:,} comparisons"
    if len(weak) < len(decided):
        return [f"but {len(weak)} {'is' if len(weak) == 1 else 'are'} not {words}"]
    nothing = {1: "not", 2: "neither is"}.get(len(weak), "none is")
    return [f"but {nothing} {words}"]


def _ratio(cell: Cell) -> float | None:
    return None if levels_told(cell) else cell.verdict.ratio


def _single(cell: Cell, *, corrected: bool) -> Sentence:
    """One test: how much, with the interval in the same direction."""
    tone, label = TONES[cell.verdict.answer], f"{cell.case}, {metrics.title(cell.metric)}"
    ratio = _ratio(cell)
    weak = "".join(f", {words}" for words in _corrected([cell]) if corrected)
    tone = Tone.UNKNOWN if cell.corrected else tone
    if cell.verdict.answer is Answer.SAME:
        does = _is([cell], Answer.SAME, "performs", "seems to perform")
        return Sentence(f"{cell.target} {does} the same as {cell.baseline} ({label}){weak}.", tone)
    if cell.verdict.answer is Answer.UNKNOWN or ratio is None:
        words = f"{cell.target} against {cell.baseline} has {'no common ratio' if levels_told(cell) else 'no verdict'}"
        return Sentence(f"{words} ({label}).", tone)
    return Sentence(f"{difference(cell)} in {cell.case} ({metrics.title(cell.metric)}){weak}.", tone)


def _many(evidence: Evidence, cells: Sequence[Cell], targets: Sequence[str], weak: Sequence[str]) -> Iterator[Sentence]:
    """How many targets are better or worse: in the one test, or in most of several; `weak` is what is taken back."""
    groups: dict[Answer | str | None, list[str]] = {}
    changed = {(line.case, line.metric, line.target): step_word(line) for line in evidence.lines}
    worse_in = {line.case for line in evidence.lines if got_worse(line)}
    for target in targets:
        own = [cell for cell in cells if cell.target == target]
        steps = [
            changed.get((cell.case, cell.metric, target))
            or ("steady" if cell.case in worse_in and levels_told(cell) else "")
            for cell in own
        ]
        if len(set(steps)) == 1 and steps[0]:
            groups.setdefault(steps[0], []).append(target)
            continue
        answers = [cell.verdict.answer for cell in own]
        most = max(_ORDER, key=answers.count)
        groups.setdefault(most if 2 * answers.count(most) > len(answers) else None, []).append(target)
    better, worse = manner(cells)
    words: dict[Answer | str, str] = {
        Answer.BETTER: better,
        Answer.WORSE: worse,
        Answer.SAME: "the same",
        Answer.UNKNOWN: "undecided",
    }
    where = f"in {evidence.cases[0]}" if len(evidence.cases) == 1 else "on most tests"
    words |= {"fell": "that fell", "rose": "that rose", "steady": "steady"}
    told = [
        f"{len(names)} {words[answer] if answer else 'mixed'} ({_listed(names)})"
        for answer in (*_ORDER, "fell", "rose", "steady", None)
        if (names := groups.get(answer))
    ]
    baselines = ", ".join(dict.fromkeys(cell.baseline for cell in cells))
    if set(groups) <= {"fell", "rose", "steady"}:
        # The sentences before said who fell and who did not.
        return
    whole = ", ".join([*told, *weak])
    yield Sentence(f"Of {len(targets)} targets compared with {baselines}, {where}: {whole}.")


def _best(evidence: Evidence, cells: Sequence[Cell]) -> Iterator[Sentence]:
    """Whose score is the best, where several targets are held against one baseline and some differ from it."""
    if len({cell.target for cell in cells}) < 2:
        return
    differ = {cell.case: cell for cell in cells if cell.verdict.answer in (Answer.BETTER, Answer.WORSE)}
    scores: dict[str, list[tuple[float, str]]] = {}
    for line in evidence.lines:
        if line.case in differ and line.metric == differ[line.case].metric and line.summary is not None:
            scores.setdefault(line.case, []).append((line.summary.value, line.target))
    best = [
        (max if differ[case].direction == "higher" else min)(found)[1]
        for case, found in scores.items()
        if len(found) == len(evidence.targets)
    ]
    counts = sorted({name: best.count(name) for name in best}.items(), key=lambda each: -each[1])
    if not counts:
        return
    baselines = ", ".join(dict.fromkeys(cell.baseline for cell in cells))
    judged = f"verdicts are against {baselines} only"
    if len(best) == 1:
        yield Sentence(f"The best score is that of {counts[0][0]}; {judged}.", Tone.NOTE)
    else:
        told = ", ".join(f"{name} on {count}" for name, count in counts[:MANY_NAMES])
        yield Sentence(f"Best scores on the {len(best)} tests that differ: {told}; {judged}.", Tone.NOTE)


def _listed(names: Sequence[str], most: int = MANY_NAMES) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _changed(evidence: Evidence) -> Iterator[Sentence]:
    """Targets that were not one thing throughout, by the metric that decides: fast and then slow, say."""
    lines = [line for line in evidence.lines if line.metric in evidence.judged[line.case][:1]]
    for line in lines:
        if line.uneven:
            which = f"{line.target} has {uneven_text(line)} in {line.case} ({metrics.title(line.metric)})"
            yield Sentence(f"{which}; “Scores” has each.", Tone.UNKNOWN)
    told = changes_told(lines)
    for each, worse in told[:MANY_NAMES]:
        yield Sentence(f"{each}.", Tone.WORSE if worse else Tone.UNKNOWN)
    if len(told) > MANY_NAMES:
        yield Sentence(f"{len(told) - MANY_NAMES} more such in the table.", Tone.NOTE)


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


def _sure(cells: Sequence[Cell], unit: str) -> Iterator[Sentence]:
    """How sure the verdicts are; nothing where there is none."""
    decided = [cell for cell in cells if cell.verdict.decided]
    if not decided:
        return
    which = "The verdict" if len(decided) == 1 else "Each verdict"
    which += " by itself" if any(cell.corrected for cell in decided) else ""
    error = f"{which} is wrong with probability at most {format_percent(ALPHA)}"
    used = sorted(cell.verdict.blocks_used for cell in decided if cell.apart is None)
    if used:
        span = str(used[0]) if used[0] == used[-1] else f"{used[0]} to {used[-1]}"
        blocks = f", from {span} {unit}{'' if span == '1' else 's'}"
    else:
        blocks = ", if nothing but the target changed between these sets, which were measured apart"
    if used and any(cell.apart is not None for cell in decided):
        blocks += "; for sets measured apart, only if nothing but the target changed between them"
    yield Sentence(f"{error}{blocks}.", Tone.NOTE)


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
        parts: dict[str, list[str]] = {"takes": [], "reaches": []}
        for line in known[:MANY_SCORES]:
            parts["takes" if line.unit == "ns" else "reaches"].append(f"{_reached(line)} in {line.case}")
        told = " and ".join(f"{verb} {', '.join(scores)}" for verb, scores in parts.items() if scores)
        more = f" and {count_text(len(known) - MANY_SCORES, 'more test')}" if len(known) > MANY_SCORES else ""
        yield Sentence(f"{name} {told}{more}.")
    for line in evidence.lines:
        if line.metric == "commit_p50" and line.summary is not None:
            yield Sentence(
                f"A database connection that waits for each commit gets about {_commits(evidence, line)}; half of the "
                f"commits take {score_text(line.summary.value, 'ns')} or more ({line.case})."
            )


def _commits(evidence: Evidence, half: ScoreLine) -> str:
    """Commits per second of one connection: as measured where one thread did nothing else, else from their median."""
    rates = [each for each in evidence.lines if (each.case, each.metric) == (half.case, "commit_rate")]
    plans = [run.plan.parameters for run in evidence.runs_of(half.case, half.target)]
    alone = all((each.get("threads"), each.get("depth")) == (1, 1) for each in plans)
    assert half.summary is not None
    if alone and rates and rates[0].summary is not None:
        found = rates[0].summary
        return score_text(found.value, "1/s", found.low, found.high)
    return score_text(SECOND / half.summary.value, "1/s")


def _typical(line: ScoreLine) -> float:
    assert line.summary is not None
    return line.summary.value


def _score(line: ScoreLine) -> str:
    assert line.summary is not None
    return score_text(line.summary.value, line.unit, line.summary.low, line.summary.high)


def _reached(line: ScoreLine) -> str:
    """`68,000 IOPS`, `1.2 GiB/s`, `73.4 µs (read p50)`: the unit says what the first two are."""
    assert line.summary is not None
    title, score = metrics.short_title(line.metric), _score(line)
    unstable = ["unstable"] if line.summary.unstable else []
    if title == "IOPS":
        score, beside = f"{score.removesuffix('/s')} IOPS", unstable
    else:
        beside = unstable if line.unit == "B/s" else [title, *unstable]
    return f"{score} ({', '.join(beside)})" if beside else score


def _second(evidence: Evidence) -> Sentence:
    """What to type for a verdict."""
    name = evidence.targets[0]
    if not any(session.interleaved for session in evidence.sessions):
        return Sentence(
            f"A verdict needs the results of a second target, with the same case and {FEWEST_RUNS} runs of each: "
            f"`plimsoll import FILE`, then `plimsoll compare {_typed(evidence.sessions[0].title, 'THIS')} OTHER`.",
            Tone.NOTE,
        )
    where = next((run.target.where for run in evidence.valid if run.target.name == name), "")
    return Sentence(
        f"A verdict needs a second target in the same session and at least {LOOKS[0]} blocks of both: "
        f"`plimsoll run --on {_typed(f'{name}={where}', f'{name}=…')} --on other=…`.",
        Tone.NOTE,
    )


def _typed(words: str, otherwise: str) -> str:
    """Words as a shell takes them, unless they are long or hold what nobody types."""
    return shlex.quote(words) if words.isprintable() and len(words) <= LONG_NAMES else otherwise
