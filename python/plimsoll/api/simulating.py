"""`plimsoll.simulate`: what a load gets from a volume, in virtual time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.api import faults
from plimsoll.api.arguments import checked
from plimsoll.api.charts import Charts
from plimsoll.api.histograms import Histogram, histogram_of
from plimsoll.catalog.shape import VolumeShape, options_from, volume_shape
from plimsoll.errors import UsageError
from plimsoll.prices.cost import cost
from plimsoll.report.document import Text
from plimsoll.report.renderers import terminal
from plimsoll.report.renderers._fragment import fragment
from plimsoll.report.simulated import simulation_document
from plimsoll.simulation import job
from plimsoll.simulation import outcome as model
from plimsoll.simulation.job import Load, Trace, checked_duration
from plimsoll.simulation.outcome import Outcome
from plimsoll.units import HOUR, SECOND, parse_duration

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class Simulation:
    """What a volume gave a load, in virtual time. The same seed gives the same answer."""

    outcome: Outcome
    """Everything, in base units."""

    @property
    def volume(self) -> Mapping[str, str]:
        """The options of the volume, normalised."""
        return self.outcome.shape.options

    @property
    def operations_per_s(self) -> float:
        """Over the whole time."""
        return self.outcome.rate

    @property
    def bytes_per_s(self) -> float:
        """Over the whole time."""
        return self.outcome.throughput

    @property
    def latency(self) -> Histogram:
        """Of all reads and writes."""
        return histogram_of([self.outcome.latency])

    @property
    def burst_ends_s(self) -> tuple[tuple[float, str], ...]:
        """When each burst ended, in seconds of virtual time, and what limits from there on."""
        return tuple((float(second), party) for second, party in self.outcome.burst_ends)

    @property
    def usd_per_month(self) -> float | None:
        """Price of the volume; None where the price book does not know it."""
        return self.outcome.cost.volume_per_month

    @property
    def answer(self) -> tuple[str, ...]:
        """The sentences that its report begins with."""
        first = simulation_document([self.outcome]).sections[0]
        return tuple(each.text for block in first.blocks if isinstance(block, Text) for each in block.sentences)

    @property
    def charts(self) -> Charts:
        """The charts of its report."""
        return Charts(simulation_document([self.outcome]))

    def row(self, *, intervals: bool = False) -> dict[str, Any]:
        """As `plimsoll simulate --json` writes it; base units, USD."""
        return outcome_row(self.outcome, series=intervals)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas.DataFrame with a row per interval: start_s, operations, bytes, tokens of each limit, who limited."""
        with faults.told():
            import pandas

        rows = []
        for place, each in enumerate(outcome_row(self.outcome, series=True)["intervals"]):
            tokens = {f"tokens_{name}": value for name, value in each["tokens"].items()}
            rest = {name: value for name, value in each.items() if name != "tokens"}
            rows.append({"start_s": place * self.outcome.interval_s, **rest, **tokens})
        return pandas.DataFrame(rows)

    def __str__(self) -> str:
        return terminal.render(simulation_document([self.outcome], short=True))

    def __repr__(self) -> str:
        return f"<Simulation of {self.outcome.shape.summary}: {self.operations_per_s:,.0f}/s>"

    def _repr_html_(self) -> str:
        return fragment(simulation_document([self.outcome], short=True))


@checked()
def simulate(
    volume: str | Mapping[str, object],
    load: str | None = None,
    *,
    trace: str | Path | None = None,
    duration: str | float | None = None,
    region: str | None = None,
) -> Simulation:
    """What a load gets from a volume, without waiting for it, as `plimsoll simulate` says.

    `volume` is `"gp2,size=100GiB,instance=m5.large"` or the same as a table with `type`; `load` a block I/O test,
    `"randread,depth=32"` (the default is randread), or `trace` a recorded load (fio iolog, blkparse text). `duration`
    is virtual time (`"8h"`, or seconds; 1 h, or to the end of a trace), `region` where prices are of. Raises
    UsageError and UnknownName.
    """
    with faults.told():
        if load is not None and trace is not None:
            raise UsageError("a trace is a whole load; give it without a test")
        shape = _shape(volume)
        work = job.load(load, {}) if trace is None else Trace(Path(trace))
        text = parse_duration(duration) if isinstance(duration, str) else duration
        chosen_ns = (
            None
            if text is None
            else checked_duration(int(text) if isinstance(duration, str) else round(text * SECOND), "duration")
        )
        return simulated(shape, work, chosen_ns, region)


def simulated(shape: VolumeShape, work: Load | Trace, duration_ns: int | None, region: str | None) -> Simulation:
    """One volume under one load; a made one lasts an hour where nothing is said."""
    chosen_ns = duration_ns or (HOUR if isinstance(work, Load) else None)
    return Simulation(model.simulate(shape, work, chosen_ns, cost(shape, region)))


def _shape(volume: str | Mapping[str, object]) -> VolumeShape:
    if isinstance(volume, str):
        return volume_shape(options_from(volume, "volume"), "volume")
    if not isinstance(volume, Mapping):
        raise UsageError(f"a volume is text like 'gp2,size=100GiB', or a table with its type and size, not {volume!r}")
    return volume_shape({name: str(value) for name, value in volume.items()}, "volume")


def outcome_row(outcome: Outcome, *, series: bool) -> dict[str, Any]:
    """One simulation for programs: base units, USD."""
    found: dict[str, Any] = {
        "volume": outcome.shape.options,
        "summary": outcome.shape.summary,
        "load": outcome.load.words,
        "duration_s": outcome.duration_s,
        "replay": None if outcome.replay is None else vars(outcome.replay),
        "operations_per_s": outcome.rate,
        "bytes_per_s": outcome.throughput,
        "latency_ns": outcome.latency.percentiles(),
        "burst_ends": [{"second": second, "party": party} for second, party in outcome.burst_ends],
        "credits_last_s": outcome.credits_last and outcome.credits_last[0],
        "limiting_shares": outcome.limiting_shares,
        "phases": [vars(phase) for phase in outcome.phases],
        "cost": {
            "region": outcome.cost.region,
            "as_of": outcome.cost.as_of,
            "sources": outcome.cost.sources,
            "volume_usd_per_month": outcome.cost.volume_per_month,
            "instance_usd_per_month": outcome.cost.instance_per_month,
            "usd_per_million_operations": outcome.per_million,
            "unknown": outcome.cost.unknown,
        },
    }
    if series:
        found["interval_s"] = outcome.interval_s
        found["intervals"] = [
            {**each, "tokens": dict(zip(outcome.buckets, each["tokens"], strict=True)), "limited_by": limited or None}
            for each, limited in zip(outcome.intervals, outcome.limiting, strict=True)
        ]
    return found
