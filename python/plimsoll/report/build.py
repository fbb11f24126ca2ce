"""From evidence to a document: every section of the folder in order, each a pure function of the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from plimsoll import plugins
from plimsoll.plugins import Plugin
from plimsoll.report.document import Block, Document, Section
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text
from plimsoll.report.sections.data import flat
from plimsoll.report.sections.environment import time_text
from plimsoll.report.subject import subject

LONG_NAMES = 40
"""Characters of names that a title has room for; the line below it has all targets."""


def build_document(evidence: Evidence, *, short: bool = False, lead: bool = False) -> Document:
    """The whole report, with `short` what a terminal shows, with `lead` only what comes first: answer, table, cautions.

    Sections without anything to say are left out. Those that say what was found are about products, where the targets
    are allocations of some (`OF_PRODUCTS`); the others are evidence, and show every allocation.
    """
    about = subject(evidence)
    found = sorted(plugins.found("sections"), key=lambda each: each.module.ORDER)
    wanted = [name for name, only in (("SHORT", short), ("LEAD", lead)) if only]
    sections = [
        _section(each, about if _has(each, "OF_PRODUCTS") else evidence)
        for each in found
        if all(_has(each, name) for name in wanted)
    ]
    # What is read first comes first; the sort is stable.
    sections.sort(key=lambda section: not section.lead)
    return Document(
        title=_title(about),
        subtitle=_subtitle(about),
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
    """What the session is called, and what was compared where that leaves it out: `nightly: randread, b against a`."""
    titles = list(dict.fromkeys(session.title for session in evidence.sessions))
    title = titles[0] if len(titles) == 1 else f"{titles[0]} and {count_text(len(titles) - 1, 'more session')}"
    about = ", ".join(_unsaid(evidence, title))
    return ": ".join(filter(None, (title, about)))


def _unsaid(evidence: Evidence, title: str) -> Iterator[str]:
    """The tests and the targets, unless the title has them, or they are too long for one."""
    tests = {run.plan.test for run in evidence.runs} | _asked(evidence)
    listed = ", ".join(evidence.cases)
    has_tests = _has_one(title, [*evidence.cases, *tests])
    if not has_tests and 0 < len(listed) <= LONG_NAMES:
        yield listed
    if len(evidence.targets) > 1 and not _has_one(title, evidence.targets):
        others, reference = ", ".join(evidence.others), evidence.reference
        told = f"{others} against {reference}" if evidence.cells and reference else ", ".join(evidence.targets)
        if len(told) <= LONG_NAMES:
            yield told


def _asked(evidence: Evidence) -> set[str]:
    """The tests and suites as they were asked for: a suite stands in a title for its tests."""
    tables = [table for session in evidence.sessions if isinstance(table := session.study.get("tests"), list)]
    return {str(each.get("test")) for table in tables for each in table if isinstance(each, dict)}


def _has_one(title: str, names: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", title) for name in names)


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
