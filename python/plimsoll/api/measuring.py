"""`plimsoll.run`, `resume` and `knee`: from what a caller names to a study, and from a study to a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, Unpack

from plimsoll.api import faults
from plimsoll.api.arguments import checked
from plimsoll.api.asked import Rent, Targets, Tests, entries_of, given_of, load_texts, rent_of, targets_of, text_of
from plimsoll.api.finding import place_of
from plimsoll.api.loading import session_from
from plimsoll.api.sessions import Session
from plimsoll.api.upkeep import swept, swept_rentals
from plimsoll.api.watching import Cancel, OnProgress, Stop, Watcher, watching
from plimsoll.errors import NothingMeasured, UsageError
from plimsoll.extras import explained
from plimsoll.model import Run, RunStatus
from plimsoll.model import Session as SessionRecord
from plimsoll.notices import tell
from plimsoll.run.load_session import resume_load_session, run_load_study
from plimsoll.run.load_study import LoadStudy, wanted_load_study
from plimsoll.run.lost import check_complete
from plimsoll.run.machines import Machines, ThisMachine
from plimsoll.run.noise import why_nothing
from plimsoll.run.observer import Observer
from plimsoll.run.resume import rents, resumable
from plimsoll.run.session import carry_on, run_study
from plimsoll.run.session_runner import SessionRunner
from plimsoll.run.studies import chosen, load_line_among
from plimsoll.run.study import Study
from plimsoll.stats.load_line.points import point_of
from plimsoll.store import spill
from plimsoll.store.housekeeping import delete_sessions
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store

_Measure = Callable[[Store, Watcher, Machines | None], SessionRecord]


@checked("tests", "targets")
def run(
    tests: Tests = (),
    targets: Targets = (),
    *,
    mode: str | None = None,
    blocks: int | None = None,
    repeats: int | None = None,
    time: str | float | timedelta | None = None,
    band: str | float | None = None,
    settings: Mapping[str, object] | None = None,
    server: str | None = None,
    title: str | None = None,
    baseline: str | None = None,
    seed: int | None = None,
    same_place: bool = False,
    noisy_host: bool = False,
    interleave: str | None = None,
    quick_sizes: bool = False,
    destroy: Sequence[str] = (),
    cluster: str | None = None,
    store: str | Path | None = None,
    progress: OnProgress | None = None,
    cancel: Cancel | None = None,
    **rent: Unpack[Rent],
) -> Session:
    """Measure targets until the result is conclusive, as `plimsoll run` does; every finished run is in the store.

    `tests` are names of tests and suites, tables such as `{"test": "randread", "depth": 16}`, the name of a study or
    the path of a study file; without any, suite quick. `targets` are places by name, `{"nvme": "/mnt/a", "gp3":
    {"where": "/mnt/b", "engine": "libaio"}}`, or words `NAME=WHERE,option=value`; without any, the current directory.
    `time` bounds the session (`"30m"`, or seconds), `settings` are parameters for every test, `destroy` the serials of
    devices that may be written. The other arguments are the options of the command.

    Targets such as `aws:gp3,size=500GiB` are rented for the session: `budget` is the most that may be spent (`"5USD"`,
    or USD), `lease` when everything ends by itself (`"2h"`, or seconds), `instance`, `region`, `zone`, `image`, `spot`,
    `provider`, `clients_on` and `accept_unattended` are as for the command. With `allocations` everything is rented
    afresh up to so many times, each a session of its own; the last one is given.

    `progress` is called with each `Progress`, on this thread; what it raises ends the session and is passed on.
    `cancel` is a `threading.Event` or the like. Either end takes moments and leaves no file, lock or process; runs that
    were finished stay in the store. Raises UsageError, UnknownName and TargetError before anything is written,
    NothingMeasured where no run is valid, and Cancelled.
    """
    options = {
        "mode": mode, "blocks": blocks, "repeats": repeats, "time": time, "band": band, "title": title,
        "baseline": baseline, "seed": seed, "same_place": same_place, "noisy_host": noisy_host,
        "interleave": interleave, "quick_sizes": quick_sizes,
    }  # fmt: skip
    with faults.told():
        words, shared = entries_of(tests), _shared(settings, server)
        study = chosen(words, targets_of(targets), shared, {**given_of(options), **rent_of(rent)})
        found: Study | LoadStudy = study
        if name := load_line_among(words):
            found = wanted_load_study(name, lambda: study, {}, None, None, quick=quick_sizes, titled=bool(title))
    return _session(lambda *where: carried_out(found, *where, destroy=destroy), store, cluster, progress, cancel)


@checked()
def resume(
    session: str | None = None,
    *,
    destroy: Sequence[str] = (),
    cluster: str | None = None,
    store: str | Path | None = None,
    progress: OnProgress | None = None,
    cancel: Cancel | None = None,
) -> Session:
    """Go on with an interrupted session of this machine, named by id or title, or with the last one.

    Raises UsageError where it cannot go on, and what `run` raises.
    """

    def go_on(place: Store, watcher: Watcher, machines: Machines | None) -> SessionRecord:
        return gone_on(to_go_on(place, session), place, watcher, machines, destroy=destroy)

    return _session(go_on, store, cluster, progress, cancel, made_here=False)


@checked("test", "targets", "clients", "depth", "threads", "rate")
def knee(
    test: str | Mapping[str, object],
    targets: Targets = (),
    *,
    clients: str | tuple[int, int] | None = None,
    depth: str | tuple[int, int] | None = None,
    threads: str | tuple[int, int] | None = None,
    rate: str | tuple[float, float] | None = None,
    slo: str | None = None,
    stored: str | None = None,
    mode: str | None = None,
    time: str | float | timedelta | None = None,
    settings: Mapping[str, object] | None = None,
    server: str | None = None,
    title: str | None = None,
    seed: int | None = None,
    noisy_host: bool = False,
    quick_sizes: bool = False,
    destroy: Sequence[str] = (),
    cluster: str | None = None,
    store: str | Path | None = None,
    progress: OnProgress | None = None,
    cancel: Cancel | None = None,
    **rent: Unpack[Rent],
) -> Session:
    """Find how much load each target carries before latency rises, as `plimsoll knee` does; see `Session.load_lines`.

    One of `clients`, `depth`, `threads` and `rate` is searched, over a range such as `(1, 64)` or `"1..64"`; `slo` is
    an objective such as `"p99<5ms"`, `stored` what a rested place gives beyond what it carries (`"1s"`; of a local
    disk `"0s"`).
    Everything else is as for `run`.
    """
    options = {
        "mode": mode, "time": time, "title": title, "seed": seed, "noisy_host": noisy_host, "quick_sizes": quick_sizes,
    }  # fmt: skip
    with faults.told():
        words = entries_of(test)
        if len(words) != 1:
            raise UsageError(f"a load line is searched for one test at a time, not for {len(words)}")
        (word,) = words
        loads = load_texts({"clients": clients, "depth": depth, "threads": threads, "rate": rate})
        shared, places, given = _shared(settings, server), targets_of(targets), {**given_of(options), **rent_of(rent)}
        given_too = {"settings": shared, "targets": places, **loads, "slo": slo, "stored": stored, **given}
        said = [name for name, value in given_too.items() if value]

        def base() -> Study:
            return chosen([word], places, shared, given)

        study = wanted_load_study(word, base, loads, slo, stored, quick=quick_sizes, titled=bool(title), said=said)
    return _session(lambda *where: carried_out(study, *where, destroy=destroy), store, cluster, progress, cancel)


def carried_out(
    study: Study | LoadStudy,
    store: Store,
    observer: Observer,
    machines: Machines | None = None,
    *,
    destroy: Sequence[str] = (),
) -> SessionRecord:
    """The session of a study or of a search; where it rents afresh several times, the last one."""
    return all_carried_out(study, store, observer, machines, destroy=destroy)[-1]


def all_carried_out(
    study: Study | LoadStudy,
    store: Store,
    observer: Observer,
    machines: Machines | None = None,
    *,
    destroy: Sequence[str] = (),
) -> list[SessionRecord]:
    """The sessions of a study: one for each time that its targets are rented, else one."""

    measured = _measured(store, observer, destroy)
    if not (study.study if isinstance(study, LoadStudy) else study).rented:
        return [measured(study, machines)]
    _check_no_cluster(machines)
    found: list[SessionRecord] = _renting().carried_out(study, store, observer, destroy, measured)
    return found


def _measured(
    store: Store, observer: Observer, destroy: Sequence[str]
) -> Callable[[Study | LoadStudy, Machines | None], SessionRecord]:
    """How one session of a study is measured."""

    def measured(wanted: Study | LoadStudy, where: Machines | None) -> SessionRecord:
        if isinstance(wanted, LoadStudy):
            return run_load_study(wanted, SessionRunner(store, observer, destroy, where or ThisMachine()))
        return run_study(wanted, store, observer, destroy, where)

    return measured


def _check_no_cluster(machines: Machines | None) -> None:
    if machines is not None:
        raise UsageError("rented targets are measured on machines that are rented with them: leave the cluster out")


def _renting() -> Any:
    """What rents; raises UsageError where its extra is not installed."""
    try:
        return import_module("plimsoll.clouds.session")
    except ImportError as error:
        raise explained(error) from None


def to_go_on(store: Store, text: str | None) -> SessionRecord:
    """The session named by `text`, or the last interrupted one, if it can go on here. Raises UsageError.

    What killed commands have rented for other sessions is told, or ended.
    """

    def not_rented(session: SessionRecord) -> str | None:
        from plimsoll.clouds import held

        return held.why_not(session)

    found = resumable(store, text, not_rented)
    for sentence in swept_rentals("tell", found.id):
        tell(sentence)
    return found


def gone_on(
    session: SessionRecord,
    store: Store,
    observer: Observer,
    machines: Machines | None = None,
    *,
    destroy: Sequence[str] = (),
) -> SessionRecord:
    """Go on with a session or with a search, one of `to_go_on`; where more is rented after it, the last one."""
    return all_gone_on(session, store, observer, machines, destroy=destroy)[-1]


def all_gone_on(
    session: SessionRecord,
    store: Store,
    observer: Observer,
    machines: Machines | None = None,
    *,
    destroy: Sequence[str] = (),
) -> list[SessionRecord]:
    """Go on with a session, one of `to_go_on`; where targets are rented, with the allocations after it, too."""

    def carried_on(interrupted: SessionRecord, where: Machines | None, until_ns: int | None = None) -> SessionRecord:
        carry = resume_load_session if "load_line" in interrupted.study else carry_on
        return carry(interrupted, SessionRunner(store, observer, destroy, where or ThisMachine(), until_ns=until_ns))

    if not rents(session):
        return [carried_on(session, machines)]
    _check_no_cluster(machines)
    measured = _measured(store, observer, destroy)
    found: list[SessionRecord] = _renting().gone_on(session, store, observer, destroy, measured, carried_on)
    return found


def _is_ok(run: Run) -> bool:
    """Whether a run is of use in a comparison."""
    return run.status is RunStatus.OK


def _is_point(run: Run) -> bool:
    """Whether a run is of use in a load line: that the client was the limit is an answer, too."""
    point = point_of(run, None)
    return point is not None and point.valid


def check_measured(session: SessionRecord, runs: Sequence[Run]) -> None:
    """Raise NothingMeasured where no run is of use, MachineLost where the session ended without some targets."""
    useful = _is_point if "load_line" in session.study else _is_ok
    if not any(useful(run) for run in runs):
        raise NothingMeasured(why_nothing(runs))
    check_complete(session, runs)


def _session(
    measure: _Measure,
    place: str | Path | None,
    cluster: str | None,
    progress: OnProgress | None,
    cancel: Cancel | None,
    *,
    made_here: bool = True,
) -> Session:
    """What was measured, from the store. Only a session that is `made_here` goes if it ends before its first run."""
    with watching(progress, cancel) as watcher, faults.told():
        for sentence in swept(keeping=not made_here):
            tell(sentence)
        with (
            open_store(place_of(place)) as store,
            _machines(cluster) as machines,
            forgotten(store, watcher) if made_here else nullcontext(),
        ):
            found = session_from(store, measure(store, watcher, machines))
    check_measured(found.record, found.runs)
    return found


@contextmanager
def forgotten(store: Store, watcher: Watcher) -> Iterator[None]:
    """A session that the caller ended before its first run was finished is not kept."""
    try:
        yield
    except Stop:
        # Runs that the store could not take yet wait beside it, and belong to their session.
        if watcher.session_id and not store.runs([watcher.session_id]) and not spill.waiting(store.engine.url):
            delete_sessions(store, [watcher.session_id])
            watcher.session_id = ""
        raise


@contextmanager
def _machines(cluster: str | None) -> Iterator[Machines | None]:
    if cluster is None:
        yield None
        return
    from plimsoll.cluster import machines_of

    with machines_of(cluster) as found:
        yield found


def _shared(settings: Mapping[str, object] | None, server: str | None) -> dict[str, Any]:
    if settings is not None and not isinstance(settings, Mapping):
        raise UsageError(f"settings = {settings!r}: give parameters by name, such as {{'depth': 16}}")
    found = {name: text_of(value) for name, value in (settings or {}).items()}
    return {**found, **({"server": server} if server else {})}
