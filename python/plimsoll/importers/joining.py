"""Several files of one command as one session: what was collected together is one comparison."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePath

from plimsoll.importers.record import MAX_RUNS, session_of, with_id
from plimsoll.importers.source import Imported
from plimsoll.model import Run

SEVERAL = "several"
"""In the place of the format of a session whose files may have several."""


def join(parts: Sequence[Imported], title: str) -> Imported:
    """One session of the runs of all parts, in their order. Each run keeps the id that it has alone, to be found again.

    With more than MAX_RUNS runs together, or with one part, they stay apart: the first is given back.
    """
    session_id = session_of([part.session.id for part in parts])
    runs: list[Run] = []
    blocks: dict[str, int] = defaultdict(int)
    for part in parts:
        for run in part.runs:
            case = run.plan.case
            facts = run.facts | {"imported": run.facts["imported"] | {"alone": run.id}}
            place = {"session_id": session_id, "block": blocks[case], "order": len(runs), "facts": facts}
            runs.append(with_id(run.model_copy(update=place)))
            blocks[case] += 1
    first = parts[0].session
    targets = {run.target.name: run.target.where for run in runs}
    known = [part.session.started_ns for part in parts if part.session.started_ns]
    return Imported(
        session=first.model_copy(
            update={
                "id": session_id,
                "title": title,
                "started_ns": min(known) if len(known) == len(parts) else 0,
                "ended_ns": max(run.ended_ns for run in runs),
                "host": first.host if all(part.session.host == first.host for part in parts) else {},
                "study": {
                    "title": title,
                    "imported": SEVERAL,
                    "interleaved": False,
                    "targets": [{"name": name, "where": where} for name, where in targets.items()],
                },
            }
        ),
        runs=tuple(runs),
    )


def may_join(parts: Sequence[Imported]) -> bool:
    """Whether there is more than one part, and not more than a session may hold."""
    return len(parts) > 1 and sum(len(part.runs) for part in parts) <= MAX_RUNS


def joined_title(names: Sequence[str]) -> str:
    """`gp3/a.json and b.json`, `gp3/a.json and 4 more files`: with the last folder of the first file's path."""
    first, *others = names
    first = "/".join(part for part in PurePath(first).parts[-2:] if part not in ("/", ".."))
    others = [PurePath(name).name for name in others]
    return f"{first} and {others[0]}" if len(others) == 1 else f"{first} and {len(others):,} more files"


def parts_of(runs: Sequence[Run]) -> dict[tuple[str, tuple[str, ...]], list[Run]]:
    """The runs of a session by the format and the files that they came from."""
    found: dict[tuple[str, tuple[str, ...]], list[Run]] = defaultdict(list)
    for run in runs:
        about = run.facts.get("imported", {})
        found[str(about.get("format")), tuple(map(str, about.get("sha256", ())))].append(run)
    return found
