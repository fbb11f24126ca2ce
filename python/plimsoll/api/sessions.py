"""`plimsoll.Session`: one session with its runs, and what can be made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.api import faults, frames
from plimsoll.api.arguments import checked
from plimsoll.api.charts import Charts
from plimsoll.api.finding import evidence_of
from plimsoll.api.histograms import Histogram, histogram_of
from plimsoll.api.load_lines import LoadLine, load_line_of
from plimsoll.api.verdicts import Verdict, verdict_of
from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import Run, RunStatus, SessionState
from plimsoll.model import Session as SessionRecord
from plimsoll.report import Evidence, build_document, format_of, write
from plimsoll.report.document import Text
from plimsoll.report.renderers import terminal
from plimsoll.report.renderers._fragment import fragment
from plimsoll.stats.histogram import decode
from plimsoll.store.names import short_id
from plimsoll.units import SECOND

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


@dataclass(frozen=True, eq=False)
class Session:
    """One session with its runs, as it was when it was loaded."""

    record: SessionRecord
    """Everything that is kept of it, in base units."""
    runs: tuple[Run, ...]
    """In the order in which they started, failed and invalid ones among them."""

    @property
    def id(self) -> str:
        """Its whole id."""
        return self.record.id

    @property
    def short_id(self) -> str:
        """What tables show and users type."""
        return short_id(self.record.id)

    @property
    def title(self) -> str:
        """Its title."""
        return self.record.title

    @property
    def state(self) -> SessionState:
        """running, done or interrupted."""
        return self.record.state

    @property
    def started(self) -> datetime | None:
        """When it began, UTC; None where an imported file does not tell it."""
        return datetime.fromtimestamp(self.record.started_ns / SECOND, UTC) if self.record.started_ns else None

    @property
    def targets(self) -> tuple[str, ...]:
        """The names of its targets, the baseline first."""
        return self.evidence.targets

    @property
    def cases(self) -> tuple[str, ...]:
        """Its cases, in the order in which they ran."""
        return self.evidence.cases

    @cached_property
    def evidence(self) -> Evidence:
        """What its reports are made from."""
        return evidence_of([self.record], list(self.runs), None)

    @property
    def answer(self) -> tuple[str, ...]:
        """The sentences that its report begins with."""
        first = next((each for each in build_document(self.evidence, lead=True).sections if each.id == "answer"), None)
        blocks = first.blocks if first else ()
        return tuple(each.text for block in blocks if isinstance(block, Text) for each in block.sentences)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every target against the baseline, in the metrics that its tests judge; none for a session of one target."""
        return tuple(map(verdict_of, self.evidence.cells))

    @property
    def load_lines(self) -> tuple[LoadLine, ...]:
        """What it says of load and latency: of a search, or of imported runs at several loads."""
        return tuple(map(load_line_of, self.evidence.searched))

    @property
    def charts(self) -> Charts:
        """The charts of its report, by name, as Altair objects."""
        return Charts(build_document(self.evidence))

    @checked()
    def to_arrow(self, table: str = "scores") -> pyarrow.Table:
        """A pyarrow.Table: runs, scores, intervals, histograms or series; docs/reference/tables.md has the columns."""
        with faults.told():
            return frames.to_arrow(table, frames.columns(table, self.record, self.runs))

    @checked()
    def to_pandas(self, table: str = "scores") -> pandas.DataFrame:
        """The same as a pandas.DataFrame."""
        with faults.told():
            return frames.to_pandas(table, frames.columns(table, self.record, self.runs))

    @checked()
    def to_polars(self, table: str = "scores") -> polars.DataFrame:
        """The same as a polars.DataFrame."""
        with faults.told():
            return frames.to_polars(table, frames.columns(table, self.record, self.runs))

    @checked()
    def histogram(self, case: str | None = None, target: str | None = None, kind: str | None = None) -> Histogram:
        """The latencies of the valid runs of a case on a target, added up; what there is only one of may be left out.

        `kind` is read, write, trim, sync or commit. Raises UnknownName, and UsageError where it does not say which.
        """
        chosen = _one("case", case, self.cases), _one("target", target, self.targets)
        runs = self.evidence.runs_of(*chosen)
        kinds = list(dict.fromkeys(name for run in runs for name in run.histograms if not name.endswith("_service")))
        of = _one("kind of operation", kind, kinds or ["none"])
        return histogram_of([decode(run.histograms[of]) for run in runs if of in run.histograms])

    @checked()
    def report(self, path: str | Path, *, replace: bool = False) -> Path:
        """Write its report; the end of the name says the format, such as .html, .md, .json, .csv or .pdf."""
        place = Path(path)
        with faults.told():
            chosen = format_of(place)
            if place.exists() and not replace:
                raise UsageError(f"{place} already exists; choose another name, or give replace=True")
            write(build_document(self.evidence), chosen, place)
        return place

    def __str__(self) -> str:
        return terminal.render(build_document(self.evidence, short=True))

    def __repr__(self) -> str:
        valid = sum(run.status is RunStatus.OK for run in self.runs)
        return f"<Session {self.short_id} {self.title!r}: {valid} of {len(self.runs)} runs valid>"

    def _repr_html_(self) -> str:
        return fragment(build_document(self.evidence, lead=True))

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Session) and (self.record, self.runs) == (other.record, other.runs)

    def __hash__(self) -> int:
        return hash(self.record.id)


def _one(what: str, name: str | None, known: Sequence[str]) -> str:
    """The one that is meant. Raises UnknownName, and UsageError where there are several."""
    if name is None and len(known) == 1:
        return known[0]
    if name is None:
        raise UsageError(f"say which {what}: {', '.join(known)}")
    if name not in known:
        raise UnknownName(what, name, known, "this session")
    return name
