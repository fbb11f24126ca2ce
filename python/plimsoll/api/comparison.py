"""`plimsoll.compare`: verdicts as objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.api import comparing, faults
from plimsoll.api.arguments import checked, shown
from plimsoll.api.charts import Charts
from plimsoll.api.finding import place_of
from plimsoll.api.sessions import Session
from plimsoll.api.verdicts import Verdict, suite_verdict, verdict_of
from plimsoll.errors import UsageError
from plimsoll.report import Evidence, build_document
from plimsoll.report.renderers import terminal
from plimsoll.report.renderers._fragment import fragment

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class Comparison(Sequence[Verdict]):
    """The verdicts of a comparison, in the order in which their cases ran."""

    title: str
    verdicts: tuple[Verdict, ...]
    together: tuple[Verdict, ...]
    """Several cases of one target put together, as a geometric mean."""
    nothing: str
    """Why not a single ratio could be formed; empty where one could. A gate must not pass then."""
    alone: str
    """Which cases only one target ran."""
    _evidence: Evidence

    def __getitem__(self, place: Any) -> Any:
        return self.verdicts[place]

    def __len__(self) -> int:
        return len(self.verdicts)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    @property
    def worse(self) -> list[Verdict]:
        """Those that close a gate."""
        return [each for each in self.verdicts if each.answer == "worse"]

    @property
    def better(self) -> list[Verdict]:
        """Those that got better."""
        return [each for each in self.verdicts if each.answer == "better"]

    @property
    def undecided(self) -> list[Verdict]:
        """Those without an answer; their sentences say what would give one."""
        return [each for each in self.verdicts if each.answer == "unknown"]

    @property
    def charts(self) -> Charts:
        """The charts of its report."""
        return Charts(build_document(self._evidence))

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas.DataFrame with a row per verdict, the geometric means last; the columns of `Verdict`."""
        with faults.told():
            import pandas

        table = pandas.DataFrame([each.row() for each in (*self.verdicts, *self.together)])
        return table.rename(columns={"test": "case"})

    def __str__(self) -> str:
        return terminal.render(build_document(self._evidence, lead=True))

    def __repr__(self) -> str:
        return f"<Comparison {self.title!r}: {len(self.verdicts)} verdicts>"

    def _repr_html_(self) -> str:
        return fragment(build_document(self._evidence, lead=True))


@checked("sessions")
def compare(
    *sessions: Session | str,
    baseline: str | None = None,
    band: str | float | None = None,
    across: Sequence[str] = (),
    every_metric: bool = False,
    store: str | Path | None = None,
) -> Comparison:
    """Compare the targets of sessions, or sessions that were run apart; without any, the last session.

    `sessions` are Session objects, or ids or titles in the store. `baseline` is a target, or a session that
    `plimsoll baseline set` named, for sessions that are named here. `band` is what counts as the same (`"10%"`, 0.1),
    `across` names parameters that may differ, `every_metric` compares more than the tests judge. Raises UsageError
    where there is only one target, NothingMeasured where there are no scores, UnknownName.
    """
    with faults.told():
        share = text_of_share(band)
        if stranger := [each for each in sessions if not isinstance(each, Session | str)]:
            raise UsageError(f"what is compared is a Session, or the id or title of one, not {shown(stranger[0])}")
        if any(isinstance(each, Session) for each in sessions):
            evidence = _at_hand(sessions, baseline, share, across, every=every_metric)
        else:
            names = [str(each) for each in sessions]
            evidence = comparing.compared(names, baseline, share, across, every=every_metric, place=place_of(store))
        return comparison_of(evidence)


def comparison_of(evidence: Evidence) -> Comparison:
    """The verdicts in what is held against each other."""
    found = comparing.comparison(evidence, frozenset())
    return Comparison(
        title=found.title,
        verdicts=tuple(map(verdict_of, found.cells)),
        together=tuple(map(suite_verdict, found.suites)),
        nothing=found.nothing,
        alone=found.alone,
        _evidence=evidence,
    )


def _at_hand(
    sessions: Sequence[Session | str], baseline: str | None, band: str | None, across: Sequence[str], *, every: bool
) -> Evidence:
    if names := [each for each in sessions if not isinstance(each, Session)]:
        raise UsageError(f"{names[0]!r} is a name and others are sessions; load it first: plimsoll.load({names[0]!r})")
    given = [each for each in sessions if isinstance(each, Session)]
    runs = [run for each in given for run in each.runs]
    return comparing.held([each.record for each in given], runs, baseline, band, across, every=every)


def text_of_share(share: str | float | None) -> str | None:
    """A share as people write it: 0.1 as `10%`."""
    return share if share is None or isinstance(share, str) else f"{share * 100:.10g}%"
