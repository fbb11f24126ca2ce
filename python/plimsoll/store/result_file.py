"""Result files: sessions and runs as compressed JSON lines. The format is described in docs/result-file.md.

A file may come from a stranger: it is read in bounded memory, and nothing in it is taken on trust.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from plimsoll import __version__
from plimsoll.drafts import whole_file
from plimsoll.errors import ResultFileError, StoreError, UsageError
from plimsoll.meanings import nearest
from plimsoll.model import Interval, Plan, Run, Score, Session, Target
from plimsoll.parameters import LONGEST_NAME, check_stored
from plimsoll.store.codec import NotStorable, as_stored, canonical_json, check_storable

FORMAT = "plimsoll-results"
VERSION = 2
"""The newest; a file of sessions without tags, notes and changed titles is one of version 1, for older readers."""
SUFFIX = ".plimsoll.gz"

Record = Session | Run

_DAMAGED = "the file is damaged or was changed by hand; copy it again, or export it again where it came from"


@dataclass(frozen=True)
class Limits:
    """How much of a result file is read before it is refused; all sizes after decompression."""

    total_bytes: int = 8 * 2**30
    line_bytes: int = 64 * 2**20
    line_values: int = 2_000_000
    """Values in one line: short ones take far more memory than text."""
    records: int = 1_000_000


DEFAULT_LIMITS = Limits()


class _Header(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: str
    version: int
    plimsoll_version: str


class _End(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sessions: int
    runs: int
    sha256: str


class _Line(BaseModel):
    """Any line but the first: exactly one of the three."""

    model_config = ConfigDict(extra="forbid")

    session: Session | None = None
    run: Run | None = None
    end: _End | None = None


@dataclass
class Counts:
    """How many records a file holds."""

    sessions: int = 0
    runs: int = 0


def write_results(
    path: Path, records: Iterable[Record], limits: Limits = DEFAULT_LIMITS, *, version: int = VERSION
) -> Counts:
    """Write `records`, each session before its runs, as a result file that appears whole or not at all.

    `version` 1 is for records without anything that it does not know.
    Raises StoreError if the file cannot be written or would be refused when read.
    """
    counts = Counts()
    try:
        # No name and no time inside: equal results make equal files.
        with (
            whole_file(path) as raw,
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        ):
            digest = hashlib.sha256()
            for line in _lines(records, counts, limits, version):
                digest.update(line)
                packed.write(line)
            end = {"sessions": counts.sessions, "runs": counts.runs, "sha256": digest.hexdigest()}
            packed.write(_line("end", end))
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}; choose another place, or free some space there"
        ) from None
    return counts


def _lines(records: Iterable[Record], counts: Counts, limits: Limits, version: int) -> Iterator[bytes]:
    header = {"format": FORMAT, "version": version, "plimsoll_version": __version__}
    yield (canonical_json(header) + "\n").encode()
    for record in records:
        if isinstance(record, Session):
            counts.sessions += 1
            line = _line("session", as_stored(record))
        else:
            counts.runs += 1
            line = _line("run", as_stored(record))
        if len(line) > limits.line_bytes:
            raise StoreError(
                f"run {record.id} is too large for a result file ({len(line)} bytes); its artefacts are over "
                f"{limits.line_bytes} bytes: copy the store itself instead"
            )
        yield line


def _line(kind: str, values: Any) -> bytes:
    return (canonical_json({kind: values}) + "\n").encode()


def is_result_file(path: Path) -> bool:
    """Whether a file begins like one of ours; it may still be damaged. False for what cannot be read."""
    try:
        with gzip.open(path) as file:
            return f'"{FORMAT}"'.encode() in file.read(len(FORMAT) + 64)
    except (OSError, EOFError, zlib.error):
        return False


def read_results(path: Path | str, limits: Limits = DEFAULT_LIMITS, *, checked: bool = False) -> Iterator[Record]:
    """The records of a result file, each session before its runs.

    Raises ResultFileError, with the line and what to do, as soon as something is wrong; whoever writes records to a
    store must have reached the end first. `checked` leaves out what takes long, for a second reading.
    """
    with _opened(Path(path)) as reader:
        yield from _Reader(Path(path), reader, limits, checked).records()


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with gzip.open(path, "rb") as reader:
            yield cast(BinaryIO, reader)
    except gzip.BadGzipFile as error:
        raise ResultFileError(f"{path} is not a result file ({error}); nothing was imported; {_DAMAGED}") from None
    except (EOFError, zlib.error) as error:
        raise ResultFileError(f"{path} cannot be unpacked ({error}); nothing was imported; {_DAMAGED}") from None
    except OSError as error:
        raise ResultFileError(f"cannot read {path}: {error.strerror}; check its name and rights") from None


_Model = TypeVar("_Model", bound=BaseModel)


class _Reader:
    """Reads one file from its first to its last line."""

    def __init__(self, path: Path, reader: BinaryIO, limits: Limits, checked: bool) -> None:
        self._path = path
        self._reader = reader
        self._limits = limits
        self._checked = checked
        self._number = 0
        self._bytes = 0
        self._digest = hashlib.sha256()
        self._sessions: set[str] = set()
        self._runs: set[str] = set()

    def records(self) -> Iterator[Record]:
        self._read_header()
        while True:
            before = self._digest.hexdigest()
            line = self._next_line()
            parsed = self._parsed(line, _Line)
            if len(parsed.model_fields_set) != 1:
                raise self._error("holds no session, run or end, or more than one")
            if parsed.end is not None:
                self._check_end(parsed.end, before)
                return
            if parsed.session is not None:
                yield self._session(parsed.session)
            elif parsed.run is not None:
                yield self._run(parsed.run)
            else:
                raise self._error("holds nothing")
            if len(self._sessions) + len(self._runs) > self._limits.records:
                raise self._error(f"is past the limit of {self._limits.records} records", "split the file")

    def _read_header(self) -> None:
        header = self._parsed(self._next_line(), _Header)
        if header.format != FORMAT:
            raise self._error(
                f"has the format {_shown(header.format)}, not {FORMAT!r}", "give a file of plimsoll export"
            )
        if not 1 <= header.version <= VERSION:
            raise self._error(
                f"has version {header.version} (written by Plimsoll {_shown(header.plimsoll_version)}); "
                f"Plimsoll {__version__} reads versions up to {VERSION}",
                "install the newest Plimsoll",
            )

    def _session(self, record: Session) -> Session:
        self._check(record)
        if record.id in self._sessions:
            raise self._error(f"repeats session {record.id}")
        self._sessions.add(record.id)
        return record

    def _run(self, record: Run) -> Run:
        """The run with its bytes decoded; in JSON they are base64."""
        try:
            kinds = {kind: base64.b64decode(text, validate=True) for kind, text in record.histograms.items()}
            artefacts = tuple(
                artefact.model_copy(update={"content": base64.b64decode(artefact.content, validate=True)})
                for artefact in record.artefacts
            )
        except binascii.Error as error:
            raise self._error(f"has bytes that are not base64 ({error})") from None
        record = record.model_copy(update={"histograms": kinds, "artefacts": artefacts})
        self._check(record)
        if record.session_id not in self._sessions:
            raise self._error(f"has run {record.id} without its session {record.session_id} before it")
        if record.id in self._runs:
            raise self._error(f"repeats run {record.id}")
        self._runs.add(record.id)
        return record

    def _check_histograms(self, record: Run) -> None:
        # Where nothing is read, as in a list of sessions, nobody waits for the statistics to load.
        from plimsoll.stats import histogram

        for kind, encoded in record.histograms.items():
            try:
                histogram.decode(encoded)
            except ResultFileError as error:
                raise self._error(f"has run {record.id} with a bad histogram {_shown(kind)}: {error}") from None

    def _check(self, record: Record) -> None:
        if self._checked:
            return
        try:
            if isinstance(record, Run):
                self._check_histograms(record)
                check_stored(record.plan.workload, record.plan.parameters, f"the plan of run {record.id}")
            check_storable(record.model_dump())
        except (NotStorable, UsageError) as error:
            raise self._error(f"cannot be kept: {error}") from None

    def _check_end(self, end: _End, digest: str) -> None:
        if (end.sessions, end.runs) != (len(self._sessions), len(self._runs)):
            raise self._error(
                f"counts {end.sessions} sessions and {end.runs} runs, but there are {len(self._sessions)} and "
                f"{len(self._runs)}"
            )
        if end.sha256 != digest:
            raise self._error("has a SHA-256 that does not fit the lines before it")
        if self._reader.read(1):
            raise self._error("is the end, but the file goes on")

    def _next_line(self) -> bytes:
        self._number += 1
        line = self._reader.readline(self._limits.line_bytes + 1)
        self._bytes += len(line)
        if len(line) > self._limits.line_bytes:
            raise self._error(f"is longer than {self._limits.line_bytes} bytes", "do not trust this file")
        if self._bytes > self._limits.total_bytes:
            raise self._error(f"is past the limit of {self._limits.total_bytes} bytes", "split the file")
        if sum(map(line.count, (b",", b"[", b"{"))) > self._limits.line_values:
            raise self._error(f"holds more than {self._limits.line_values} values", "do not trust this file")
        if not line.endswith(b"\n"):
            raise self._error("is cut off: the last line, with the counts, is missing")
        self._digest.update(line)
        return line

    def _parsed(self, line: bytes, model: type[_Model]) -> _Model:
        try:
            # Twice: what pydantic reads leniently (NaN, repeated names) is refused here.
            json.loads(line, parse_constant=_refuse_constant, object_pairs_hook=_unique)
            return model.model_validate_json(line, strict=True)
        except RecursionError:
            raise self._error("is nested too deeply", "do not trust this file") from None
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False)
            # A misspelt field is missing as well, under its right name.
            first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
            place = ".".join(_shown(part) for part in first["loc"]) or "it"
            hint = _hint(first["loc"][-1]) if first["type"] == "extra_forbidden" else ""
            raise self._error(f"is not a record of a result file: {place}: {_shown(first['msg'])}{hint}") from None
        except ValueError as error:
            raise self._error(f"is not JSON ({_shown(error)})") from None

    def _error(self, what: str, advice: str = _DAMAGED) -> ResultFileError:
        return ResultFileError(f"{self._path}: line {self._number} {what}; nothing was imported; {advice}")


def _shown(text: object) -> str:
    """Text of a stranger for a message: short, and without characters that a terminal would obey."""
    written = ascii(str(text))[1:-1]
    return written if len(written) <= 80 else written[:77] + "..."


def _hint(name: object) -> str:
    """Which field is meant by a name that no record has."""
    fields = {field for model in (Session, Run, Plan, Target, Score, Interval) for field in model.model_fields}
    near = nearest(name, fields) if isinstance(name, str) and len(name) <= LONGEST_NAME else []
    return f", did you mean {near[0]!r}?" if near else ""


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a name appears twice in one object")
    return values
