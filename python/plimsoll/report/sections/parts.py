"""A session that was extended: its parts, what had changed on the machine, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from plimsoll import metrics
from plimsoll.model import Run, Session
from plimsoll.report.document import Block, Cell, Table, Tone, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.sections.environment import time_text
from plimsoll.stats.carryover import order_effect
from plimsoll.stats.parts import Extension, extensions_of, part_of
from plimsoll.units import format_duration, format_percent

ORDER = 28
TITLE = "Parts of the session"
SHORT = True


def build(evidence: Evidence) -> list[Block]:
    """A table per extended session, and a sentence for each comparison or score in which two parts differ."""
    blocks: list[Block] = []
    for session in evidence.sessions:
        found = extensions_of(session.study)
        if found:
            blocks.append(_table(evidence, session, found))
            told = list(_differences(evidence, session, found))
            blocks.append(text(*told, tone=Tone.NOTE) if told else text(_agree(evidence), tone=Tone.NOTE))
    return blocks


def _agree(evidence: Evidence) -> str:
    of = "ratios" if evidence.others else "scores"
    return f"No part differs from those before it in its {of}, as far as its blocks can tell."


def _table(evidence: Evidence, session: Session, found: Sequence[Extension]) -> Table:
    runs = [run for run in evidence.runs if run.session_id == session.id]
    stored = _stored(evidence, session)
    by_part: dict[int, list[Run]] = {}
    for run in runs:
        by_part.setdefault(part_of(tuple(found), stored.get(run.plan.case, run.plan.case), run.block), []).append(run)
    rows: list[tuple[Cell, ...]] = [_row(0, session.started_ns, by_part.get(0, []), "what the study says", "")]
    for place, each in enumerate(found, 1):
        rows.append(_row(place, each.started_ns, by_part.get(place, []), _asked(each), "; ".join(each.changed)))
    heads = columns(">Part", "Began", ">Blocks", ">Runs", "Asked for", "No longer the same on the machine")
    notes = ("Looks go on over all parts by one plan, which pays for them: each verdict is of all blocks together.",)
    return Table(f"Parts of {session.title}", heads, tuple(rows), notes)


def _row(place: int, started_ns: int, runs: Sequence[Run], asked: str, changed: str) -> tuple[Cell, ...]:
    blocks = len({(run.plan.case, run.block) for run in runs})
    began = phrase(time_text(started_ns))
    words = phrase(changed or "nothing known") if place else None
    return (number(place + 1, "1"), began, number(blocks, "1"), number(len(runs), "1"), phrase(asked), words)


def _asked(each: Extension) -> str:
    parts = ["a verdict"] if each.until_verdict else []
    if each.blocks is not None:
        parts.append(f"{'at most ' if each.until_verdict else ''}{each.blocks} more blocks")
    if each.time_ns is not None:
        parts.append(f"within {format_duration(each.time_ns)}")
    return ", ".join(parts)


def _differences(evidence: Evidence, session: Session, found: Sequence[Extension]) -> Iterator[str]:
    """Where the blocks of a part are not like those before it."""
    stored = _stored(evidence, session)
    for case, named, blocks, logs in _series(evidence, session):
        parts = [part_of(tuple(found), stored.get(case, case), block) for block in blocks]
        for place, each in enumerate(found, 1):
            own = [(log, part) for log, part in zip(logs, parts, strict=True) if part <= place]
            change = order_effect([log for log, _ in own], [part == place for _, part in own])
            if change is not None:
                size = format_percent(math.expm1(abs(change)))
                began = f"part {place + 1}, from block {each.after.get(stored.get(case, case), 0) + 1} on,"
                yield (
                    f"{named} differs by {size} between {began} and the blocks before: something changed meanwhile, "
                    "and what is said of all blocks is about a mixture."
                )


def _series(evidence: Evidence, session: Session) -> Iterator[tuple[str, str, list[int], list[float]]]:
    """Case, what it is, blocks and logs: of the ratios where targets are compared, else of the scores."""
    for cell in evidence.cells:
        pairs = [pair for pair in cell.pairs if pair.session == session.id]
        name = f"The ratio of {cell.target} to {cell.baseline} in {cell.case}, {metrics.short_title(cell.metric)},"
        yield cell.case, name, [pair.block for pair in pairs], [pair.difference for pair in pairs]
    if evidence.others:
        return
    for case, judged in evidence.judged.items():
        rows = [
            (row.block, row.value)
            for row in evidence.rows
            if (row.session, row.case, row.metric) == (session.id, case, judged[0])
            if row.value is not None and row.status == "ok" and row.value > 0
        ]
        name = f"The score of {case}, {metrics.title(judged[0])},"
        yield case, name, [block for block, _ in rows], [math.log(value) for _, value in rows]


def _stored(evidence: Evidence, session: Session) -> dict[str, str]:
    """The label that the session itself uses for each case."""
    works = evidence.named.names.works.items()
    return {work.case: stored.case for stored, work in works if stored.session == session.id}
