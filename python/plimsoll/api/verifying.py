"""`plimsoll.verify`: does a place deliver what is paid for?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from plimsoll.api import faults
from plimsoll.api.arguments import checked
from plimsoll.api.asked import targets_of
from plimsoll.api.finding import place_of
from plimsoll.api.loading import session_from
from plimsoll.api.measuring import forgotten
from plimsoll.api.sessions import Session
from plimsoll.api.upkeep import swept
from plimsoll.api.watching import Cancel, OnProgress, watching
from plimsoll.catalog.delivery import Answer, Delivery, judge
from plimsoll.catalog.shape import VolumeShape, options_from, volume_shape
from plimsoll.catalog.targets import AS, is_emulated, shape_of
from plimsoll.errors import UsageError
from plimsoll.model import Target
from plimsoll.notices import tell
from plimsoll.report.renderers import terminal
from plimsoll.report.renderers._fragment import fragment
from plimsoll.report.verified import verified_document
from plimsoll.run.observer import Observer
from plimsoll.run.session import run_study
from plimsoll.run.study import from_words
from plimsoll.run.verify import never_written, size_of, verification, whole_gib
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store
from plimsoll.targets.volume import volume_options
from plimsoll.units import SECOND, parse_duration, parse_size


@dataclass(frozen=True, eq=False)
class Verification:
    """The verdict on a place, and the session that was measured for it."""

    delivery: Delivery
    session: Session

    @property
    def answer(self) -> Answer:
        """`delivers`, `does not deliver` or `cannot tell`."""
        return self.delivery.answer

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict, what it stands on, and for how long it holds."""
        return self.delivery.sentences

    def row(self) -> dict[str, Any]:
        """As `plimsoll verify --json` writes it."""
        return {"session": self.session.id, **delivery_row(self.delivery)}

    def __str__(self) -> str:
        return terminal.render(verified_document(self.delivery, self.session.title))

    def __repr__(self) -> str:
        return f"<Verification of {self.session.title.removeprefix('verify ')!r}: {self.answer.value}>"

    def _repr_html_(self) -> str:
        return fragment(verified_document(self.delivery, self.session.title))


@checked()
def verify(
    target: str | PathLike[str] | Mapping[str, object],
    paid: str | None = None,
    *,
    instance: str | None = None,
    runtime: str | float = "60s",
    size: str = "1GiB",
    depth: int | None = None,
    destroy: Sequence[str] = (),
    store: str | Path | None = None,
    progress: OnProgress | None = None,
    cancel: Cancel | None = None,
) -> Verification:
    """Measure whether a place delivers what its type promises, as `plimsoll verify` does.

    `paid` is the volume that is paid for, `"gp3,iops=4000,throughput=250"`, `instance` what it is attached to. Both may
    be left out for an emulated volume, which knows them. The rest is as for `plimsoll.run` and the command.
    """
    words: Any = target if isinstance(target, Mapping) else str(target)
    with watching(progress, cancel) as watcher, faults.told():
        for sentence in swept():
            tell(sentence)
        place = from_words([], targets_of([words])).targets[0]
        shape = shape_paid_for(place, paid, instance)
        runtime_ns = parse_duration(runtime) if isinstance(runtime, str) else round(runtime * SECOND)
        with open_store(place_of(store)) as opened, forgotten(opened, watcher):
            return verified(place, shape, runtime_ns, parse_size(size), depth, opened, watcher, destroy=destroy)


def verified(
    place: Target,
    shape: VolumeShape,
    runtime_ns: int,
    region_bytes: int,
    depth: int | None,
    store: Store,
    observer: Observer,
    *,
    destroy: Sequence[str] = (),
) -> Verification:
    """Measure a place, and judge it as the volume that is paid for."""
    writes = place.kind != "device" or bool(destroy)
    empty = never_written(place, region_bytes)
    asked = verification(place, shape, runtime_ns, region_bytes, depth, writes, empty)
    session = session_from(store, run_study(asked.study, store, observer, destroy))
    return Verification(judge(shape, asked.runs(session.runs)), session)


def shape_paid_for(place: Target, paid: str | None, instance: str | None) -> VolumeShape:
    """What is paid for: said with --as, or what an emulated volume or the target's own `as` says. Raises UsageError."""
    if place.kind == "database":
        raise UsageError(f"{place.where} is a database; give the directory or device that its data are on")
    known = shape_of(place)
    if paid is None:
        if known is None and is_emulated(place):
            # Refused with the reason, which `shape_of` keeps to itself.
            return volume_shape(volume_options(place)[0], place.where)
        if known is None:
            raise UsageError("say what is paid for: --as gp3,iops=4000,throughput=250; `plimsoll list volumes`")
        if instance is None or known.options.get("instance") == instance:
            return known
        if is_emulated(place):
            raise UsageError(
                f"--instance {instance}: an emulated volume has the limits of an instance only if it is made on one; "
                f"write it into the target, as in {place.where},instance={instance}"
            )
        return volume_shape({**known.options, "instance": instance}, AS)
    options = options_from(paid, "--as")
    if instance is not None:
        options["instance"] = instance
    if "size" not in options and options.get("type") != "instance-store":
        options["size"] = f"{known.size_gib:g}GiB" if known is not None else whole_gib(size_of(place))
    return volume_shape(options, "--as")


def delivery_row(delivery: Delivery) -> dict[str, Any]:
    """The verdict for programs."""
    return {
        "answer": delivery.answer.value,
        "volume": delivery.shape.options,
        "sentences": delivery.sentences,
        "first_touch": delivery.first_touch,
        "loads": [
            {
                "load": load.role.value,
                "answer": load.answer.value,
                "paid_per_s": load.expected.per_second if load.expected else None,
                "paid_burst_per_s": load.most.per_second if load.most else None,
                "got_per_s": load.rate,
                "burst_per_s": load.burst_rate,
                "burst_ended_s": load.burst_s,
                "p99_ns": load.p99_ns,
                "windows": load.windows,
                "windows_kept": load.kept,
                "limited_by": load.party,
                "why": load.why,
                "measured_s": load.measured_s,
                "credits_last_s": load.lasts_s,
            }
            for load in delivery.loads
        ],
    }
