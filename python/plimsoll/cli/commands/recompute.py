"""`plimsoll recompute`: every score and verdict of a result file once more, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Baseline, ForceOutput, Json

if TYPE_CHECKING:
    from plimsoll.model import Run, Session
    from plimsoll.report import Evidence

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll recompute results.plimsoll.gz`, `plimsoll recompute published/`, `plimsoll recompute run.plimsoll.gz -o "
    "again.html`. Nothing is added to the store. Exit code 1 if anything differs."
)


@dataclass
class _Findings:
    """What came out."""

    equal: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Result file, its address, or a published folder.")],
    baseline: Baseline = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the regenerated report.")
    ] = None,
    force: ForceOutput = False,
    json: Json = False,
) -> None:
    """Check a result: recompute it from its raw data, and compare. The rules are those that were recorded."""
    from plimsoll.cli.output import print_json, refuse_to_replace, say
    from plimsoll.metrics import short_title
    from plimsoll.outgoing import open_output
    from plimsoll.remote import fetched, is_remote
    from plimsoll.report import build_document, format_of, publication, write

    chosen = None if output is None else format_of(output)
    refuse_to_replace(output, force)
    found = _Findings()
    if Path(file).is_dir() or (is_remote(file) and file.endswith("/")):
        file = f"{file.rstrip('/')}/{publication.RESULTS}"
    with fetched([file]) as [(name, path)]:
        sessions, runs = _read(path)
        answers, page = (_beside(name, path, other) for other in (publication.ANSWERS, publication.PAGE))
        recorded = publication.read_answers(answers) if answers.exists() else None
        evidence = _evidence(sessions, runs, recorded, baseline)
        _compare_scores(sessions, runs, found)
        again = publication.answers(evidence)
        _compare_answers(recorded, again, found, evidence.policy)
        if recorded is not None:
            _compare_page(recorded, again, page, found)
        if output is not None and chosen is not None:
            text = publication.page(evidence) if chosen == "html" and recorded else None
            if text is not None:
                with open_output(output) as written:
                    written.write(text)
            else:
                write(build_document(evidence), chosen, output)
            found.notes.append(f"report: {output}")
    # The exit code answers, also when the reader has gone.
    with suppress(BrokenPipeError):
        if json:
            print_json({"file": name, "equal": found.equal, "differs": found.differs, "notes": found.notes, **again})
        else:
            for verdict in again["verdicts"]:
                typer.echo(f"{verdict['case']}, {short_title(verdict['metric'])}: {verdict['sentence']}")
    for sentence in (*found.equal, *found.notes):
        say(sentence)
    for sentence in found.differs:
        say(f"differs: {sentence}")
    if found.differs:
        raise typer.Exit(1)


def _beside(name: str, path: Path, other: str) -> Path:
    """Another file of the folder in which `path` lies; fetched first if that is an address."""
    from plimsoll.remote import download, exists, is_remote

    beside = path.with_name(other)
    address = f"{name.rpartition('/')[0]}/{other}"
    if is_remote(name) and exists(address):
        download(address, beside)
    return beside


def _read(path: Path) -> tuple[list[Session], list[Run]]:
    from plimsoll.errors import NothingMeasured
    from plimsoll.model import Run, Session
    from plimsoll.store.records import told
    from plimsoll.store.result_file import read_results

    records = [told(each) if isinstance(each, Run) else each for each in read_results(path)]
    sessions = [each for each in records if isinstance(each, Session)]
    if not sessions:
        raise NothingMeasured(f"{path} holds no session; export one with `plimsoll export`")
    runs = sorted(
        (each for each in records if isinstance(each, Run)), key=lambda run: (run.started_ns, run.order, run.id)
    )
    return sessions, runs


def _evidence(
    sessions: list[Session], runs: list[Run], recorded: dict[str, Any] | None, baseline: str | None
) -> Evidence:
    """The evidence with the recorded rules; what was not recorded is as the sessions say."""
    from plimsoll.errors import ResultFileError
    from plimsoll.model import POLICY_VERSION
    from plimsoll.report import Evidence
    from plimsoll.stats.policy import OLDEST
    from plimsoll.stats.rules import rules

    order = recorded.get("sessions") if recorded else None
    if isinstance(order, list):
        sessions.sort(key=lambda session: order.index(session.id) if session.id in order else len(order))
    else:
        sessions.sort(key=lambda session: (session.started_ns, session.id))
    asked = rules(sessions[0], baseline)
    policy = recorded.get("policy_version") if recorded else max(session.policy_version for session in sessions)
    if not isinstance(policy, int) or not OLDEST <= policy <= POLICY_VERSION:
        raise ResultFileError(
            f"judged by rules of version {policy}, but this Plimsoll knows {OLDEST} to {POLICY_VERSION}; "
            "install a newer one"
        )
    named = recorded.get("baseline") if recorded else None
    band = recorded.get("band") if recorded else None
    return Evidence(
        sessions=sessions,
        runs=runs,
        baseline=baseline or (named if isinstance(named, str) else asked.baseline),
        band=float(band) if isinstance(band, int | float) and 0 < band < 10 else asked.band,
        policy=policy,
    )


def _compare_scores(sessions: Sequence[Session], runs: Sequence[Run], found: _Findings) -> None:
    """Scores of each run against those that its own raw material gives."""
    from plimsoll.importers.rereading import reread
    from plimsoll.run.regenerate import regenerated

    equal = 0
    without: list[Run] = []
    for session in sessions:
        own = [run for run in runs if run.session_id == session.id]
        imported = "imported" in session.study
        again = reread(session, own) if imported else {}
        for run in own:
            if not run.scores:
                continue
            scores = again.get(run.id) if imported else regenerated(run)
            if scores is None:
                without.append(run)
                continue
            new, old = ({score.metric: score for score in each} for each in (scores, run.scores))
            changed = sorted(name for name in new.keys() | old.keys() if new.get(name) != old.get(name))
            equal += len(old.keys() - set(changed))
            for name in changed:
                before, after = (each[name].value if name in each else None for each in (old, new))
                found.differs.append(f"run {run.id}, {name} was {before!r}, its raw material gives {after!r}")
    if equal or not without:
        found.equal.append(f"{equal:,} scores of runs: regenerated from raw material, equal to the last bit")
    _tell_unchecked(without, found)


def _tell_unchecked(runs: Sequence[Run], found: _Findings) -> None:
    """Runs whose scores were not made again, and why."""
    from plimsoll.report import material

    large = [run for run in runs if material.files_not_kept([run])]
    taken = "their scores are not checked, but taken as they are"
    if files := material.files_not_kept(large):
        found.notes.append(
            f"{_runs(len(large))} made of logs too large to be kept: {taken}; whoever has {material.told(files)} can "
            "import it again, which adds nothing to the store if it gives the same"
        )
    if other := len(runs) - len(large):
        found.notes.append(f"{_runs(other)} without what scores are made of: {taken}")


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"


def _compare_answers(recorded: dict[str, Any] | None, again: dict[str, Any], found: _Findings, policy: int) -> None:
    from plimsoll.report import publication

    verdicts, scores = len(again["verdicts"]), len(again["scores"])
    told = f"{verdicts} verdict{'s' if verdicts != 1 else ''} and {scores} scores of targets, policy version {policy}"
    if recorded is None:
        found.notes.append(f"{told}: regenerated; no {publication.ANSWERS} lies beside the file to compare them with")
        return
    differs = publication.differences(recorded, again)
    found.differs += differs
    if not differs:
        found.equal.append(f"{told}: regenerated, equal to the last bit")


def _compare_page(recorded: dict[str, Any], again: dict[str, Any], page: Path, found: _Findings) -> None:
    """The page in the folder against the one that comes out now; without it, against its recorded digest."""
    import hashlib

    here = hashlib.sha256(page.read_bytes()).hexdigest() if page.is_file() else recorded.get("page_sha256")
    if here == again["page_sha256"]:
        found.equal.append(f"{page.name}: regenerated, equal byte for byte")
    elif recorded.get("plimsoll_version") != again["plimsoll_version"] and here == recorded.get("page_sha256"):
        found.notes.append(
            f"{page.name} was written by Plimsoll {recorded.get('plimsoll_version')}, this is "
            f"{again['plimsoll_version']}: the words on the page differ, the answers were compared above"
        )
    else:
        found.differs.append(f"{page.name}: another page comes out; it was changed, or made from other results")
