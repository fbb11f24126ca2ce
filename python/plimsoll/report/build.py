"""From evidence to a document: every section of the folder in order, each a pure function of the evidence."""

from __future__ import annotations

from functools import partial

from plimsoll import plugins
from plimsoll.plugins import Plugin
from plimsoll.report.document import Block, Document, Section
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text
from plimsoll.report.sections.data import flat
from plimsoll.report.sections.environment import time_text


def build_document(evidence: Evidence, *, short: bool = False, lead: bool = False) -> Document:
    """The whole report, with `short` what a terminal shows, with `lead` only what comes first: answer, table, cautions.

    Sections without anything to say are left out.
    """
    found = sorted(plugins.found("sections"), key=lambda each: each.module.ORDER)
    wanted = [name for name, only in (("SHORT", short), ("LEAD", lead)) if only]
    sections = [_section(each, evidence) for each in found if all(_has(each, name) for name in wanted)]
    # What is read first comes first; the sort is stable.
    sections.sort(key=lambda section: not section.lead)
    return Document(
        title=_title(evidence),
        subtitle=_subtitle(evidence),
        sections=tuple(section for section in sections if section.blocks),
        make_scores=partial(flat, evidence),
    )


def _section(found: Plugin, evidence: Evidence) -> Section:
    blocks = found.call("build", evidence, answers=list, otherwise=[])
    if strange := [each for each in blocks if not isinstance(each, Block)]:
        plugins.tell_once(
            f"{found.label} makes a {type(strange[0]).__name__}, which is not a block; it is left out here"
        )
        blocks = []
    lead = _has(found, "LEAD") or (evidence.alone and _has(found, "LEAD_ALONE"))
    return Section(found.name, found.module.TITLE, tuple(blocks), _has(found, "SHORT"), lead)


def _has(found: Plugin, name: str) -> bool:
    return bool(getattr(found.module, name, False))


def _title(evidence: Evidence) -> str:
    titles = list(dict.fromkeys(session.title for session in evidence.sessions))
    return titles[0] if len(titles) == 1 else f"{titles[0]} and {count_text(len(titles) - 1, 'more session')}"


def _subtitle(evidence: Evidence) -> str:
    started = time_text(min(session.started_ns for session in evidence.sessions))
    targets = ", ".join(evidence.targets) or "no target"
    counts = (
        count_text(len(evidence.cases), "case"),
        count_text(len(evidence.targets), "target") + f" ({targets})",
        f"{len(evidence.valid):,} of {count_text(len(evidence.runs), 'run')} valid",
        count_text(len(evidence.sessions), "session"),
        started if started != "unknown" else "time unknown",
    )
    return " · ".join(counts)
