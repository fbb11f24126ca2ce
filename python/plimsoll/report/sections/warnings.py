"""What the guards found, in plain words, and the runs that do not count with their reasons.

A run that failed, one that never ran and one that measured zero are three different things and are told apart here.
"""

from __future__ import annotations

import re

from plimsoll import metrics
from plimsoll.model import Finding, Level, Run, RunStatus
from plimsoll.report import material
from plimsoll.report.disturbed import is_noise
from plimsoll.report.document import Block, Phrase, Table, Tone, Warning, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text
from plimsoll.report.sections.series import changes

ORDER = 30
TITLE = "Cautions"
SHORT = True
LEAD = True

MANY_PLACES, MANY_CASES = 6, 2
"""Targets, and tests of each, that a warning names."""
_KEEP = "Keep the file: scores can be made from it again, and from nothing that is stored here."
_AMOUNT = r"[-−]?\d+(?:[.,\u202f\u00a0]\d+)*(?:e[+-]?\d+)?(?: ?(?:[KMGTP]iB|B|ns|µs|ms|s|min|h|%)(?!\w)(?:/s)?)?"
_AMOUNTS = re.compile(rf"{_AMOUNT}(?: {_AMOUNT})*")
"""Numbers with their units, `1 min 20 s` as one: 900 KiB and 1.2 MiB are the same words."""
_WORD = re.compile(r"[a-z][a-z’'-]*,?(?: |$)")
NOT_CHECKABLE = "not checkable: "
"""How a guard begins that applies, but cannot see what it needs."""
_UNCHECKED = {
    True: "Nothing watched the machine while these runs were made, because they were imported: what disturbed them is "
    "not known.",
    False: "No guard has checked any run: what disturbed them is not known.",
}
"""Said where nobody looked, by whether the runs are of other tools."""
UNKNOWN_CLIENT = (
    "The files do not say how busy the client was, so the knee may be that of the client, not of the storage"
)
_SEVERITY = {Level.INVALID: 0, Level.WARN: 1, Level.OK: 2}
_NOISE = (_SEVERITY[Level.WARN], False)
"""Weight of warnings of noise; what weighs less follows the scores that are unstable, perhaps because of it."""


def build(evidence: Evidence) -> list[Block]:
    """Grouped findings, then a table of the runs that do not count."""
    blocks: list[Block] = [*_failed(evidence), *_findings(evidence), *_of_the_client(evidence)]
    lost = _lost(evidence)
    checked = sum(bool(run.findings) for run in evidence.runs)
    if evidence.runs and not checked:
        blocks.append(text(_UNCHECKED[_imported(evidence)], tone=Tone.UNKNOWN))
    elif not blocks:
        words = f"No guard found anything to warn about in {count_text(checked, 'checked run')}."
        blocks.append(text(words, tone=Tone.NOTE))
    if silent := _blind(evidence):
        blocks.append(text(silent, tone=Tone.NOTE))
    if files := material.files_not_kept(evidence.runs):
        blocks.append(text(f"Too large to be kept with its run: {material.told(files)}. {_KEEP}", tone=Tone.NOTE))
    if lost:
        blocks.append(lost)
    return blocks


def _imported(evidence: Evidence) -> bool:
    return bool(evidence.runs) and all("imported" in run.facts for run in evidence.runs)


def _of_the_client(evidence: Evidence) -> list[Warning]:
    """Knees of imported runs, whose client nobody watched."""
    found = [each.label for each in evidence.searched if each.imported and each.shows_knee]
    return [Warning(Level.WARN, UNKNOWN_CLIENT, "", 0, _listed(found, MANY_PLACES))] if found else []


def _findings(evidence: Evidence) -> list[Warning]:
    """One warning per guard and level, whatever the numbers are; what shakes the verdict most comes first."""
    groups: dict[tuple[str, Level], list[tuple[Run, Finding]]] = {}
    told = [(run, finding) for run in evidence.runs for finding in run.findings]
    for run, finding in (*told, *changes(evidence), *evidence.unlasting):
        if finding.level is not Level.OK:
            groups.setdefault((finding.guard, finding.level), []).append((run, finding))
    ordered = sorted(groups.items(), key=lambda item: (*_weight(item[0][1], item[1]), -len(item[1]), item[0][0]))
    told_of = [(_weight(level, found), _warning(level, found, len(evidence.runs))) for (_, level), found in ordered]
    first = [warning for weight, warning in told_of if weight <= _NOISE]
    return [*first, *_unstable(evidence), *(warning for weight, warning in told_of if weight > _NOISE)]


def _weight(level: Level, found: list[tuple[Run, Finding]]) -> tuple[int, bool]:
    """What makes runs invalid, then what others disturbed, then what a reader has to know of the test itself."""
    return _SEVERITY[level], not all(is_noise(finding) for _, finding in found)


def _failed(evidence: Evidence) -> list[Warning]:
    """Runs that failed, by reason: an I/O error is more than a run that is missing."""
    reasons: dict[str, list[Run]] = {}
    for run in evidence.runs:
        if run.status is RunStatus.FAILED and run.reason:
            reasons.setdefault(_AMOUNTS.sub("#", run.reason), []).append(run)
    return [
        Warning(
            Level.INVALID,
            _capital(_messages([run.reason for run in found])),
            "",
            len(found),
            _places(found),
            len(evidence.runs),
        )
        for found in reasons.values()
    ]


def _unstable(evidence: Evidence) -> list[Warning]:
    """Scores that decide a case, and whose runs differ so much that their mean says little."""
    deciding = [line for line in evidence.lines if line.metric in evidence.judged[line.case][:1]]
    found = [line for line in deciding if line.summary is not None and line.summary.unstable]
    if not found or evidence.only_searched:
        return []
    named = [f"{metrics.short_title(line.metric)} of {line.case} on {line.target}" for line in found]
    told = f"{count_text(len(found), 'score is', 'scores are')} unstable: runs differ a lot"
    return [Warning(Level.WARN, told, "", 0, _listed(named, MANY_PLACES))]


def _warning(level: Level, found: list[tuple[Run, Finding]], total: int) -> Warning:
    where = _places([run for run, _ in found])
    runs = {run.id for run, _ in found}
    advice = " ".join(dict.fromkeys(_capital(finding.advice) for _, finding in found if finding.advice))
    told = _capital(_messages([finding.message for _, finding in found]))
    return Warning(level, told, advice, len(runs), where, total)


def _places(runs: list[Run]) -> str:
    """The targets with the tests on each: `gp3 (ping, commit), nvme (randread, seqwrite and 4 more)`."""
    cases: dict[str, dict[str, None]] = {}
    for run in runs:
        cases.setdefault(run.target.name, {})[run.plan.case] = None
    told = [f"{target} ({_listed(list(names), MANY_CASES)})" for target, names in cases.items()]
    return _listed(told, MANY_PLACES)


def _listed(names: list[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _messages(messages: list[str]) -> str:
    """Each wording once, with the numbers of its first run."""
    wordings: dict[str, list[str]] = {}
    for message in messages:
        wordings.setdefault(_AMOUNTS.sub("#", message), []).append(message)
    return "; also: ".join(
        found[0] if len(set(found)) == 1 else f"{found[0]} (first occurrence)" for found in wordings.values()
    )


def _blind(evidence: Evidence) -> str:
    """How many guards could not check, then which ones for which reason: silence of these means nothing."""
    reasons: dict[str, dict[str, None]] = {}
    runs: dict[str, set[str]] = {}
    for run in evidence.runs:
        for finding in run.findings:
            if finding.message.startswith(NOT_CHECKABLE):
                reason = finding.message.removeprefix(NOT_CHECKABLE)
                reasons.setdefault(reason, {})[finding.guard.replace("_", " ")] = None
                runs.setdefault(reason, set()).add(run.id)
    if not reasons:
        return ""
    guards = len({guard for names in reasons.values() for guard in names})
    blind = len(set().union(*runs.values()))
    told = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
    of = count_text(len(evidence.runs), "run")
    return f"{count_text(guards, 'guard')} could not check everything in {blind} of {of}: {told}."


def _capital(words: str) -> str:
    """Begins a sentence; names of metrics and files stay as they are written."""
    return words[:1].upper() + words[1:] if _WORD.match(words) else words


def _lost(evidence: Evidence) -> Table | None:
    rows = [
        (
            phrase(run.plan.case),
            phrase(run.target.name),
            number(run.block + 1, "1"),
            Phrase(_status(run), Tone.UNKNOWN),
            phrase(run.reason),
        )
        for run in evidence.runs
        if run.status is not RunStatus.OK
    ]
    rows += [
        (phrase(case), phrase(target), number(block + 1, "1"), Phrase("missing", Tone.UNKNOWN), phrase("never ran"))
        for case, target, block in _missing(evidence)
    ]
    if not rows:
        return None
    caption = f"Runs that do not count: {len(rows)} of {len(evidence.runs) + len(_missing(evidence))}"
    notes = (
        "Failed, missing and zero are different: only runs that ended well and passed every guard are in a score.",
    )
    return Table(caption, columns("Case", "Target", ">Block", "Status", "Reason"), tuple(rows), notes)


def _status(run: Run) -> str:
    return f"{run.status.value}, repetition" if run.attempt else run.status.value


def _missing(evidence: Evidence) -> list[tuple[str, str, int]]:
    """Places of begun blocks in which a target has no run at all, such as after an interruption.

    Only where runs were interleaved: the runs of an imported set are numbered, and another set has other numbers.
    """
    in_turns = {session.id for session in evidence.sessions if session.interleaved}
    ran: dict[tuple[str, str], dict[int, set[str]]] = {}
    names: dict[tuple[str, str], dict[str, None]] = {}
    for run in evidence.runs:
        if run.session_id not in in_turns:
            continue
        place = (run.session_id, run.plan.case)
        ran.setdefault(place, {}).setdefault(run.block, set()).add(run.target.name)
        names.setdefault(place, {})[run.target.name] = None
    return [
        (place[1], target, block)
        for place, blocks in ran.items()
        for block, present in sorted(blocks.items())
        for target in names[place]
        if target not in present
    ]
