"""A result that others can check: a folder with page, pictures, raw results, answers and how to recompute them.

The folder is what any static host serves. `answers` is what has to come out again, bit for bit, when somebody
recomputes it from the result file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plimsoll import __version__
from plimsoll.errors import ResultFileError
from plimsoll.report import write_charts
from plimsoll.report.build import build_document
from plimsoll.report.comparisons import Comparison
from plimsoll.report.comparisons.markdown import render as verdicts_text
from plimsoll.report.evidence import Evidence
from plimsoll.report.marks import mark
from plimsoll.report.renderers.html import render as page_text
from plimsoll.report.renderers.markdown import inline
from plimsoll.stats.paired import Cell
from plimsoll.stats.parts import without_extensions
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.sentences import sentence
from plimsoll.stats.standing import LEVEL
from plimsoll.stats.summary import Split

FORMAT, VERSION = "plimsoll-answers", 1
PAGE, RESULTS, ANSWERS, README, PICTURES = "index.html", "results.plimsoll.gz", "answers.json", "README.md", "pictures"
LARGEST_BYTES = 64 * 2**20
"""Of a file of answers that is read."""

_LINKS = (
    '<footer><p><a href="results.plimsoll.gz">All raw results</a> · <a href="answers.json">the answers for programs</a>'
    ' · <a href="README.md">how to recompute them</a></p></footer>\n</body>'
)


def page(evidence: Evidence) -> str:
    """The page of the folder: the report, with links to the files beside it."""
    # Scripts may hold such an end, too; it is the last that counts.
    before, _, after = page_text(build_document(evidence)).rpartition("</body>")
    return f"{before}{_LINKS}{after}"


def answers(evidence: Evidence) -> dict[str, Any]:
    """Every score and verdict with what they rest on, as plain values; equal evidence gives equal answers."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "plimsoll_version": __version__,
        "policy_version": evidence.policy,
        "baseline": evidence.reference,
        "band": evidence.band,
        "sessions": [session.id for session in evidence.sessions],
        "runs": len(evidence.runs),
        "page_sha256": hashlib.sha256(page(evidence).encode()).hexdigest(),
        "scores": [
            {
                "case": line.case,
                "target": line.target,
                "metric": line.metric,
                "unit": line.unit,
                "runs": len(line.values),
                "value": None if line.summary is None else line.summary.value,
                "low": None if line.summary is None else line.summary.low,
                "high": None if line.summary is None else line.summary.high,
                **({"level": line.basis.value} if line.basis else {}),
                **({} if line.split is None else _split(line.split)),
            }
            for line in evidence.lines
        ],
        "verdicts": [
            {
                "case": cell.case,
                "metric": cell.metric,
                "baseline": cell.baseline,
                "target": cell.target,
                "plans": list(cell.plans),
                "answer": cell.verdict.answer.value,
                **_ratio(cell),
                "blocks": cell.verdict.blocks_used,
                "interleaved": cell.apart is None,
                "sentence": sentence(cell),
                **({"level": mark(cell)} if mark(cell) else {}),
                "notes": [note.text for note in cell.notes if note.kind not in ("correction", LEVEL)],
            }
            for cell in evidence.cells
        ],
    }


def _split(found: Split) -> dict[str, Any]:
    """What stands in place of a score where runs have none in common."""
    levels = [{"first_run": each.first + 1, "runs": each.runs, "value": each.value} for each in found.levels]
    return {"pattern": found.kind.value, "lowest": found.minimum, "highest": found.maximum, "levels": levels}


def _ratio(cell: Cell) -> dict[str, Any]:
    """The ratio with its interval; where there is no common one, what stands in its place."""
    if told := levels_told(cell):
        return {"ratio": None, "ratio_low": None, "ratio_high": None, "ratio_levels": told}
    return {name: getattr(cell.verdict, name) for name in ("ratio", "ratio_low", "ratio_high")}


def answers_text(found: Mapping[str, Any]) -> str:
    """The answers as the file that is published."""
    return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_answers(path: Path) -> dict[str, Any]:
    """The answers of a published folder. Raises ResultFileError for a file that is something else."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
        found = json.loads(content)
    except OSError as error:
        raise ResultFileError(f"cannot read {path}: {error.strerror}; check its rights") from None
    except (ValueError, RecursionError):
        found = None
    if len(content) > LARGEST_BYTES or not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ResultFileError(f"{path} holds no answers of Plimsoll; fetch the published folder again")
    if found.get("version") != VERSION:
        raise ResultFileError(f"{path} has version {found.get('version')!r}; install the newest Plimsoll")
    return found


def differences(recorded: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What is not the same, one sentence each; nothing if everything is, to the last bit."""
    told = []
    for name, keys in (("scores", ("case", "target", "metric")), ("verdicts", ("case", "metric", "target", "plans"))):
        before, after = (_by_key(each.get(name), keys) for each in (recorded, found))
        for key in dict.fromkeys([*before, *after]):
            one, other = before.get(key), after.get(key)
            label = f"{name[:-1]} of {', '.join(str(part) for part in key[:3])}"
            if one is None or other is None:
                told.append(f"{label} is {'only in the recomputation' if one is None else 'no longer there'}")
            else:
                # A newer version may word a sentence better; what it says stands in the other fields.
                fields = sorted(
                    field for field in (one.keys() | other.keys()) - {"sentence"} if one.get(field) != other.get(field)
                )
                told += [f"{label}: {field} was {one.get(field)!r}, is {other.get(field)!r}" for field in fields]
    for name in ("baseline", "band", "sessions", "runs"):
        if recorded.get(name) != found.get(name):
            told.append(f"{name} was {recorded.get(name)!r}, is {found.get(name)!r}")
    return told


def _by_key(rows: Any, keys: Sequence[str]) -> dict[tuple[str, ...], Mapping[str, Any]]:
    known = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {tuple(str(row.get(key)) for key in keys): row for row in known}


def readme(evidence: Evidence, files: Mapping[str, str], studies: Sequence[str]) -> str:
    """What lies in the folder and how to check it; `files` are names with their SHA-256."""
    title = build_document(evidence, short=True)
    parts = [f"# {inline(title.title)}", inline(title.subtitle)]
    if evidence.cells:
        found = Comparison("Verdicts", evidence.cells, evidence.rows, frozenset(), evidence.suites)
        parts.append(verdicts_text(found).rstrip())
    parts += [
        "## Check it",
        f"Every score and verdict can be made again from the raw results, with Plimsoll {__version__} or newer:",
        f"```sh\nplimsoll recompute {RESULTS}\n```",
        f"It reads `{ANSWERS}` beside the file, applies the rules of policy version {evidence.policy}, and says that "
        "all is equal to the last bit, or what differs.",
    ]
    if studies:
        parts.append("To measure the same on another machine:")
        parts.append("```sh\n" + "\n".join(f"plimsoll run {name}" for name in studies) + "\n```")
    parts.append(f"`plimsoll import {RESULTS}` adds the runs to your own.")
    rows = "\n".join(f"| `{name}` | `{digest}` |" for name, digest in files.items())
    parts += ["## Files", f"| file | SHA-256 |\n|---|---|\n{rows}"]
    return "\n\n".join(parts) + "\n"


def write(evidence: Evidence, folder: Path) -> None:
    """Write everything beside the result file, which must be in `folder` already; the page comes last."""
    write_charts(build_document(evidence), folder / PICTURES)
    (folder / ANSWERS).write_text(answers_text(answers(evidence)), encoding="utf-8")
    studies = _write_studies(evidence, folder)
    (folder / PAGE).write_text(page(evidence), encoding="utf-8")
    names = (PAGE, RESULTS, ANSWERS, *studies)
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    (folder / README).write_text(readme(evidence, digests, studies), encoding="utf-8")


def _write_studies(evidence: Evidence, folder: Path) -> list[str]:
    """A file for each session that can be measured again: not for imported ones."""
    import tomli_w

    own = [session for session in evidence.sessions if session.study and session.interleaved]
    written = []
    for session in own:
        name = "study.toml" if len(own) == 1 else f"study-{session.id[-8:]}.toml"
        try:
            text = tomli_w.dumps(without_extensions(session.study))
        except (TypeError, ValueError):
            # A study from another program may hold what TOML cannot.
            continue
        (folder / name).write_text(text, encoding="utf-8")
        written.append(name)
    return written
