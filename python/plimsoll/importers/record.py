"""From drafts to records: ids made from the content, blocks, cleaned facts.

Imported ids are version 8 UUIDs made from SHA-256, so reading the same file twice gives the same records. The id of a
run covers everything in it; that of the session covers file, format, target and the edition of the importers.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import ModuleType
from typing import Any

from plimsoll import __version__
from plimsoll.errors import ResultFileError, UsageError
from plimsoll.importers import plausible, tracing
from plimsoll.importers.checks import check
from plimsoll.importers.draft import Draft
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import Plan, Run, Session, SessionState, Target

EDITION = 4
"""Raised when an importer reads the same bytes differently, so that old and new records are not taken for the same."""

UNKNOWN_TIME_NS = 0
"""Start of runs whose file does not tell it; `facts["imported"]["time_known"]` is false."""

MAX_RUNS = 10_000
MAX_NAME = 40

_MAX_DEPTH = 20
_MAX_TEXT = 20_000
_MAX_INTEGER = 2**63
_LATEST_NS = 7_300_000_000 * 10**9
_NAME = re.compile(rf"[A-Za-z0-9._-]{{1,{MAX_NAME}}}")
_ENDINGS = re.compile(r"(\.(json|xml|csv|tsv|txt|log|dat|raw|out|stdout|stderr|hdr))+$", re.IGNORECASE)


def build(
    module: ModuleType,
    source: Source,
    options: Options,
    drafts: Iterable[Draft],
    *,
    title: str = "",
    host: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
) -> Imported:
    """Session and runs of one source. Raises ResultFileError if there is no run in it, or more than MAX_RUNS."""
    drafts = list(islice(drafts, MAX_RUNS + 1))
    if tracer := tracing.current():
        tracer.origins = [draft.origins for draft in drafts]
    if not drafts:
        raise ResultFileError(f"{source.name}: no result of {module.TITLE} is in it; is the file complete?")
    if len(drafts) > MAX_RUNS:
        raise ResultFileError(f"{source.name}: more than {MAX_RUNS:,} runs are in it; split the file")
    named = _chosen_name(options)
    hashes = [each.sha256 for each in source.files]
    session_id = _uuid("session", EDITION, module.NAME, sorted(zip(hashes, _names(source), strict=True)), named or "")
    blocks: dict[str, int] = defaultdict(int)
    runs = []
    for index, draft in enumerate(drafts):
        check(draft)
        plausible.check(draft, named or "")
        first = _without_id(module, source, draft, named, hashes)
        # The file is kept once, with its first run; every run names its SHA-256.
        artefacts = [each.artefact() for each in source.files if each.stream is None] if index == 0 else []
        # Runs of a file were not interleaved: each has a block of its own, so that no two of them form a pair.
        block = blocks[first["plan"].case]
        blocks[first["plan"].case] += 1
        # The order is that of the file, which is the order in which its author thinks.
        run = Run(id="", session_id=session_id, block=block, order=index, artefacts=tuple(artefacts), **first)
        runs.append(with_id(run))
    return Imported(
        session=_session(session_id, module, source, runs, title, host or {}),
        runs=tuple(runs),
        warnings=tuple(clean([*warnings, *_not_kept(source)])),
    )


def _not_kept(source: Source) -> Iterator[str]:
    names = [each.name for each in source.files if each.stream is not None]
    if names:
        what = f"{names[0]} is" if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more files are"
        yield f"{what} too large to be kept with the run: keep what you may want to read again"


def target_name(text: str) -> str:
    """A target's name made from text: letters, digits, `.`, `_` and `-`."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:MAX_NAME].strip("-.")


def clean(value: Any, depth: int = _MAX_DEPTH) -> Any:
    """`value` as both databases can hold it: no NUL, no half surrogates, bounded text, numbers and depth."""
    # The most frequent kinds first: a long series goes through here value by value.
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return _clean_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < _MAX_INTEGER else str(value)[:40]
    return _clean_parts(value, depth - 1) if depth else "…"


def _clean_parts(value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        return {_clean_text(str(key))[:200]: clean(each, depth) for key, each in value.items()}
    return [clean(each, depth) for each in value]


def _clean_text(text: str) -> str:
    if text.isascii() and len(text) <= _MAX_TEXT and "\0" not in text:
        return text
    return text[:_MAX_TEXT].replace("\0", "").encode("utf-8", "replace").decode("utf-8", "replace")


def _chosen_name(options: Options) -> str | None:
    if options.target is not None and not _NAME.fullmatch(options.target):
        raise UsageError(
            f"{options.target!r} is not a name for a target; use up to {MAX_NAME} letters, digits, '.', '_' and '-'"
        )
    return options.target


def _names(source: Source) -> list[str]:
    return [each.name for each in source.files]


def _without_id(
    module: ModuleType, source: Source, draft: Draft, named: str | None, hashes: Sequence[str]
) -> dict[str, Any]:
    """The fields of a run that come from its draft."""
    if not draft.scores:
        draft.fail(draft.reason or "the file holds no number for it")
    started = draft.started_ns if draft.started_ns and 0 < draft.started_ns < _LATEST_NS else UNKNOWN_TIME_NS
    length = round(draft.duration_ns) if draft.duration_ns and 0 < draft.duration_ns < 10**18 else 0
    name = named or target_name(draft.target) or target_name(_ENDINGS.sub("", source.name)) or "imported"
    imported = {
        "format": module.NAME,
        "tools": list(module.TOOLS),
        "files": _names(source),
        "sha256": list(hashes),
        "time_known": started != UNKNOWN_TIME_NS,
        "summary": draft.summary,
        "interleaved": False,
    }
    if not_kept := [each.name for each in source.files if each.stream is not None]:
        imported["not_kept"] = not_kept
    return {
        "target": Target(
            name=name,
            kind="imported",
            where=clean(draft.where) or "unknown",
            options=clean(draft.target_options),
            facts=clean(draft.target_facts),
        ),
        "plan": Plan(
            test=clean(draft.test),
            case=clean(draft.case)[:300] or clean(draft.test),
            workload=f"imported:{module.NAME}",
            parameters=clean(draft.parameters),
            metrics=tuple(draft.scores),
        ),
        "started_ns": started,
        "ended_ns": started + length,
        "status": draft.status,
        "reason": clean(draft.reason),
        "scores": tuple(draft.scores.values()),
        "histograms": draft.histograms,
        "findings": tuple(each.model_copy(update={"message": clean(each.message)}) for each in draft.findings),
        "facts": clean(draft.facts) | {"imported": clean(imported)},
    }


def _session(
    session_id: str, module: ModuleType, source: Source, runs: Sequence[Run], title: str, host: Mapping[str, Any]
) -> Session:
    started = min((run.started_ns for run in runs if run.started_ns != UNKNOWN_TIME_NS), default=UNKNOWN_TIME_NS)
    targets = {run.target.name: run.target.where for run in runs}
    title = clean(title)[:200] or clean(f"{source.name} ({module.TITLE})")
    return Session(
        id=session_id,
        title=title,
        started_ns=started,
        ended_ns=max(run.ended_ns for run in runs),
        state=SessionState.DONE,
        host=clean(dict(host)),
        study={
            "title": title,
            "imported": module.NAME,
            "interleaved": False,
            "targets": [{"name": name, "where": where} for name, where in targets.items()],
        },
        plimsoll_version=__version__,
    )


def session_of(parts: Sequence[str]) -> str:
    """The id of one session of several, in their order."""
    return _uuid("session", EDITION, list(parts))


def with_id(run: Run) -> Run:
    """The run with the id that its content makes."""
    return run.model_copy(update={"id": _run_id(run)})


def _run_id(run: Run) -> str:
    """An id over everything in the run; of its artefacts the SHA-256 is enough."""
    body = run.model_dump(exclude={"id", "artefacts", "histograms"})
    encoded = {kind: hashlib.sha256(part).hexdigest() for kind, part in run.histograms.items()}
    return _uuid("run", body, encoded, [(each.name, each.sha256) for each in run.artefacts])


def _uuid(*parts: Any) -> str:
    """A UUID of version 8 (RFC 9562: made as one likes) from SHA-256."""
    digest = bytearray(hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(digest)))
