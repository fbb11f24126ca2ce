"""Checksums of stored runs, so that one that is changed afterwards is told.

There is one over everything that belongs to a run, and one for each score with what it is compared by, so that a
comparison, which reads nothing else, can check what it reads. They are made when a run is stored for the first time and
stay with it: in the columns of a store, and as the fact `checksum` in result files and wherever records are copied.
They tell accidents and edits by hand, not a forger who computes them anew.

They are made of the columns as they are stored, in canonical JSON. A field that a record gets later must therefore be
left out where it has its default, or VERSION must rise: `tests/unit/store/test_seal.py` holds a checksum of today.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table

from plimsoll import altered
from plimsoll.model import Run
from plimsoll.store import schema

VERSION = "1"

OF_RUN = ("id", "session_id", "case_label", "target_name", "block", "attempt", "position", "status", "plan_hash")
"""Columns of `run` that say what a score is compared with; part of the checksum of each score."""
_ALL_OF_RUN = (*OF_RUN, "started_ns", "ended_ns", "reason", "target", "plan", "facts", "test", "target_kind")
_PARTS: tuple[tuple[Table, tuple[str, ...]], ...] = (
    (schema.score, ("metric", "value", "unit", "direction")),
    (schema.histogram, ("kind", "encoded")),
    (schema.finding, ("guard", "level", "message", "advice", "measured")),
    (schema.artefact, ("name", "sha256", "content")),
)
"""Everything but the intervals, which are packed differently by different libraries."""
_WHOLE = re.compile(r"[0-9]{1,4}:[0-9a-f]{64}")
_SHORT = re.compile(r"[0-9a-f]{16}")

Row = Mapping[str, Any]
Parts = Mapping[Table, Sequence[Row]]


@dataclass(frozen=True)
class Seal:
    """The checksums of a run: of everything, and of each score in its order; the latter may be unknown."""

    whole: str
    scores: tuple[str | None, ...]

    def as_fact(self) -> dict[str, Any]:
        """As it travels with the record."""
        return {"whole": self.whole, "scores": list(self.scores)}


def seal(row: Row, parts: Parts, intervals: bytes) -> Seal:
    """The checksums of a run as it is stored; `intervals` is the JSON of its time series, empty where it has none."""
    of_run = joined(row[name] for name in OF_RUN)
    scores = parts.get(schema.score, ())
    return Seal(
        f"{VERSION}:{_whole(row, parts, intervals)}",
        tuple(of_score(of_run, each["metric"], each["unit"], each["direction"], each["value"]) for each in scores),
    )


def of_score(of_run: str, metric: str, unit: str, direction: str, value: Any) -> str:
    """The checksum of a score: 16 hex digits over OF_RUN, `joined`, and the score."""
    text = f"{of_run}\0{metric}\0{unit}\0{direction}\0{value!r}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def joined(values: Iterable[Any]) -> str:
    """The columns OF_RUN of a run as one text. In a damaged store anything may stand anywhere."""
    return "\0".join(map(str, values))


def _whole(row: Row, parts: Parts, intervals: bytes) -> str:
    digest = hashlib.sha256()
    _feed(digest, (row[name] for name in _ALL_OF_RUN))
    for table, columns in _PARTS:
        _feed(digest, (table.name, len(parts.get(table, ()))))
        for part in parts.get(table, ()):
            _feed(digest, (part[name] for name in columns))
    _feed(digest, (intervals,))
    return digest.hexdigest()


def _feed(digest: Any, values: Iterable[Any]) -> None:
    """Values one after the other; what is text holds no NUL, and bytes count by their digest."""
    words = (
        hashlib.sha256(value).hexdigest() if isinstance(value, bytes | memoryview) else str(value) for value in values
    )
    digest.update(("\0".join(words) + "\0\0").encode("utf-8", "surrogatepass"))


def carried(facts: Mapping[str, Any]) -> Seal | None:
    """The checksums that came with a record, if it has any that can be read."""
    found = facts.get(altered.FACT)
    if not isinstance(found, dict) or found.keys() != {"whole", "scores"}:
        return None
    whole, scores = found["whole"], found["scores"]
    if not isinstance(whole, str) or not _WHOLE.fullmatch(whole) or not isinstance(scores, list):
        return None
    if not all(each is None or (isinstance(each, str) and _SHORT.fullmatch(each)) for each in scores):
        return None
    return Seal(whole, tuple(scores))


def without(run: Run) -> Run:
    """The record without the checksums that came with it."""
    if carried(run.facts) is None:
        return run
    return run.model_copy(update={"facts": {name: fact for name, fact in run.facts.items() if name != altered.FACT}})


def sealed(run: Run, found: Seal | None) -> Run:
    """The record with checksums, as it travels; without any where there are none."""
    return run if found is None else run.model_copy(update={"facts": {**run.facts, altered.FACT: found.as_fact()}})


def told(run: Run, now: Seal, then: Seal | None) -> Run:
    """The run as it is to be shown: changed since `then`, or not; `now` is what its checksums would be today."""
    if then is None:
        return altered.without_checksum(run)
    same = len(then.scores) == len(now.scores)
    changed = [
        score.metric
        for score, before, after in zip(run.scores, then.scores, now.scores, strict=False)
        if before != after
    ]
    if changed:
        return altered.with_altered_scores(run, changed)
    if then.whole.partition(":")[0] != VERSION:
        return run if same else altered.with_altered_parts(run)
    return run if then.whole == now.whole else altered.with_altered_parts(run)
