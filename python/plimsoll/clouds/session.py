"""A study whose targets are rented, from its words to an account that is empty again: the main path.

For each allocation everything is rented, measured as one session, and given back; the next one is rented when nothing
of the last one is left. The lease is that of all of them together, so that price × lease is the most it can cost.
What a killed command has left of it goes on within the same lease (`held.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from plimsoll.clouds import bill, held, lease
from plimsoll.clouds.hosts.ready import ready
from plimsoll.clouds.ledger import Use
from plimsoll.clouds.machines import RentedMachines
from plimsoll.clouds.offer import Offer, offer, times_of
from plimsoll.clouds.own_address import own_address
from plimsoll.clouds.quote import BACK_NS, check
from plimsoll.clouds.rent import Rented, adopted, renting
from plimsoll.clouds.sequence import FEWEST_BLOCKS, blocks_per_allocation, is_decided, widest
from plimsoll.clouds.target import complete
from plimsoll.cluster.address import ALL
from plimsoll.errors import UsageError
from plimsoll.model import Session
from plimsoll.prices.cost import usd
from plimsoll.report.evidence import Evidence
from plimsoll.report.sections.bill import FACT
from plimsoll.run import plan as planning
from plimsoll.run.load_study import LoadStudy, load_study_from
from plimsoll.run.machines import Machines
from plimsoll.run.observer import Observer
from plimsoll.run.study import Study, from_table
from plimsoll.stats.load_line.request import KEY as LOAD_LINE
from plimsoll.stats.policy import MODES
from plimsoll.stats.products import Product
from plimsoll.store.scored import scored_runs
from plimsoll.store.store import Store
from plimsoll.targets.rented_database import PASSWORD_ENV
from plimsoll.units import SECOND, format_duration

INTERRUPTED = "interrupted; finished runs are kept, and what was rented was given back"
"""What Ctrl-C means here; what could not be given back has been told before."""
Measure = Callable[[Study | LoadStudy, Machines], Session]
GoOn = Callable[[Session, Machines, int], Session]
"""The last argument is the moment (ns since 1970) at which measuring has to end."""


def carried_out(
    wanted: Study | LoadStudy, store: Store, observer: Observer, destroy: Sequence[str], measure: Measure
) -> list[Session]:
    """One session for each allocation. Everything that can be refused is, before anything is rented.

    Raises UsageError, TargetError, CloudError, and what `measure` raises; whatever happens, all is given back.
    """
    made = offered(wanted, destroy)
    check(made.quote)
    if outlives := made.unattended:
        if not made.rental.unattended:
            raise UsageError(outlives)
        observer.note(outlives)
    for warning in (*made.capped, *made.cloud.check(made.rental)):
        observer.note(warning)
    course = Course(made, wanted, store, observer, lease.end_ns(made.quote.lease_ns / SECOND), own_address(), measure)
    with _interrupts_told():
        course.carry_out()
    return course.sessions


def gone_on(
    session: Session, store: Store, observer: Observer, destroy: Sequence[str], measure: Measure, go_on: GoOn
) -> list[Session]:
    """Go on with an interrupted session on the machines that its killed command has left, and with its study after it.

    The sessions of all allocations. Raises as `carried_out` does; what cannot begin leaves the rental as it is, and
    whatever happens then, all is given back.
    """
    rental, use = held.found(session)
    where = f"session {session.title}"
    wanted = load_study_from(use.study, where) if LOAD_LINE in use.study else from_table(use.study, where)
    made = offered(wanted, destroy)
    if (here := own_address()) != rental.from_address:
        raise UsageError(
            f"the machines of rental {rental.id} let in {rental.from_address} alone, and this computer is {here} now; "
            f"go on from the same network, or end it by `plimsoll cloud sweep`; it costs until "
            f"{lease.text(rental.lease_end_ns)} at most"
        )
    earlier = [store.find_session(each) for each in use.earlier]
    course = Course(made, wanted, store, observer, rental.lease_end_ns, here, measure, earlier)
    observer.note(f"going on with rental {rental.id}, which ends at {lease.text(rental.lease_end_ns)}")
    with _interrupts_told():
        course.go_on(session, rental.id, go_on)
        course.carry_out()
    return course.sessions


@contextmanager
def _interrupts_told() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(INTERRUPTED) from None


def offered(wanted: Study | LoadStudy, destroy: Sequence[str] = ()) -> Offer:
    """What would be rented for a study or a search, once all is checked that needs no provider."""
    study = wanted.all_levels if isinstance(wanted, LoadStudy) else wanted
    steps = wanted.steps() if isinstance(wanted, LoadStudy) else planning.steps(study)
    planning.check(study, steps, destroy)
    return offer(study, times_of(study, steps))


@dataclass
class Course:
    """The allocations of one study."""

    offer: Offer
    wanted: Study | LoadStudy
    store: Store
    observer: Observer
    lease_end_ns: int
    from_address: str
    measure: Measure
    sessions: list[Session] = field(default_factory=list)
    _allocating_ns: int = 0
    """How long renting, making ready and giving back took the last time."""
    _block_ns: int = 0
    _found: Sequence[Product] = ()

    @property
    def most(self) -> int:
        """Allocations at most."""
        return self.offer.times.allocations

    def carry_out(self) -> None:
        """Allocation after allocation, for as long as it goes on."""
        while self.goes_on():
            self.allocate()

    def goes_on(self) -> bool:
        """Whether another allocation is needed, and has room in the lease."""
        done = len(self.sessions)
        if done >= self.most or (done and is_decided(self._found, done)):
            return False
        needed_ns = self._needed_ns()
        if done and time.time_ns() + needed_ns > self.lease_end_ns:
            left = format_duration(max(0, self.lease_end_ns - time.time_ns()))
            self.observer.note(
                f"{done} of {self.most} allocations: the lease has {left} left, and one more takes about "
                f"{format_duration(needed_ns)}; {self._longer}"
            )
            return False
        return True

    def allocate(self) -> None:
        """Rent, make ready, measure, give back."""
        number, began_ns = len(self.sessions) + 1, time.time_ns()
        if self.most > 1:
            self.observer.note(f"allocation {number} of at most {self.most}")
        rental = self.offer.rental_now(self.lease_end_ns, self.from_address)
        session = self._measured(
            renting(self.offer.cloud, rental),
            lambda machines: self.measure(self._study(number), machines),
            lambda rented: bill.begun(self.offer, rental, rented.begun_ns),
        )
        measured_ns = (session.ended_ns or time.time_ns()) - session.started_ns
        self._allocating_ns = time.time_ns() - began_ns - measured_ns
        self._look(measured_ns)

    def go_on(self, session: Session, rental_id: str, go_on: GoOn) -> None:
        """Take over what is rented, measure what the session still lacks, give back."""
        self._measured(
            adopted(self.offer.cloud, rental_id, held.NEEDED_S),
            lambda machines: go_on(session, machines, self.lease_end_ns - BACK_NS),
            lambda _rented: session.host[FACT],
        )
        # How long it takes is seen with the next one: this one began before the kill.
        self._look(None)

    def _measured(
        self,
        there: AbstractContextManager[Rented],
        measure: Callable[[RentedMachines], Session],
        facts_of: Callable[[Rented], Mapping[str, Any]],
    ) -> Session:
        """The session on what is rented, from ready machines to what it has cost."""
        machines: RentedMachines | None = None
        facts: Mapping[str, Any] = {}
        try:
            with there as rented:
                facts = facts_of(rented)
                with self._ready(rented, facts) as machines:
                    session = measure(machines)
                    self._tell_end()
        finally:
            if machines is not None and machines.session is not None:
                self._bill(machines.session, facts)
        self.sessions.append(self.store.find_session(session.id))
        return session

    @contextmanager
    def _ready(self, rented: Rented, facts: Mapping[str, Any]) -> Iterator[RentedMachines]:
        hosts = rented.hosts()
        endpoints = rented.endpoints() if rented.rental.databases else []
        about: dict[str, Any] = {
            each.target: {"rental": rented.rental.id, "database": each.id, **each.facts} for each in endpoints
        }
        record = rented.ledger
        before = record.use.places if record.use else None
        with ready(self.offer.cloud, rented.rental, hosts, record.folder, self.observer.note, before) as there:
            for host in hosts:
                for volume, (target, _) in host.volumes.items():
                    known = {"rental": rented.rental.id, "machine": host.id, "zone": host.zone, "volumes": []}
                    about.setdefault(target, known)["volumes"].append(volume)
            for each in endpoints:
                there.machines.keep_secret(PASSWORD_ENV, each.password_file.read_text())
            places = {**there.places, **{each.target: f"@{ALL}:{each.address}" for each in endpoints}}
            use = self._use(there.places)

            @contextmanager
            def used(session: Session) -> Iterator[None]:
                record.begin_use(replace(use, session=session.id, title=session.title))
                yield
                record.end_use()

            yield RentedMachines(there.machines, places, about, {FACT: facts}, used)

    def _use(self, places: Mapping[str, str]) -> Use:
        """What is kept of the next session, for the case that this command is killed."""
        return Use(
            session="",
            title="",
            study=self.wanted.to_table(),
            earlier=tuple(each.id for each in self.sessions),
            places=places,
            usd_per_hour=self.offer.quote.per_hour_usd,
        )

    def _study(self, number: int) -> Study | LoadStudy:
        """What one allocation measures, within what is left of the lease."""
        base = complete(self.wanted.study if isinstance(self.wanted, LoadStudy) else self.wanted)
        left_ns = max(SECOND, self.lease_end_ns - BACK_NS - time.time_ns())
        base = replace(base, time_ns=min(base.time_ns or left_ns, left_ns))
        if self.most > 1:
            title = f"{base.title}, allocation {number}"
            base = replace(base, title=title, repeats=base.repeats or self._blocks(), blocks=None)
        return replace(self.wanted, study=base) if isinstance(self.wanted, LoadStudy) else base

    def _blocks(self) -> int:
        study = self.offer.study
        most = study.blocks or MODES[study.mode].cap
        return blocks_per_allocation(self._allocates_ns, self._one_block_ns, widest(self._found), most)

    @property
    def _allocates_ns(self) -> int:
        """As the last allocation had it; before the first, what is allowed for it."""
        return self._allocating_ns or self.offer.times.ready_ns

    @property
    def _one_block_ns(self) -> int:
        """As the last allocation had it; before the first, as planned."""
        return self._block_ns or self.offer.times.least_ns // FEWEST_BLOCKS

    def _needed_ns(self) -> int:
        """About what one more allocation takes, to its end."""
        return self._allocates_ns + (self.offer.study.repeats or self._blocks()) * self._one_block_ns

    @property
    def _longer(self) -> str:
        """What bounds the lease, and what would give it longer."""
        quote, rent = self.offer.quote, self.offer.study.rent
        if quote.budget_usd is None or rent.lease_ns is not None or quote.lease_ns >= self.offer.times.longest_ns:
            return "--lease gives it longer"
        return f"the budget of {usd(quote.budget_usd)} pays for no longer lease, and --budget raises it"

    def _tell_end(self) -> None:
        """Say so where no other block has room before everything is given back."""
        if time.time_ns() + self._one_block_ns > self.lease_end_ns - BACK_NS:
            self.observer.note(
                f"nothing more is measured: the lease ends at {lease.text(self.lease_end_ns)}, and its last "
                f"{format_duration(BACK_NS)} are for giving everything back; {self._longer}"
            )

    def _bill(self, session: Session, facts: Mapping[str, Any]) -> None:
        bill.ended(self.store, session, facts, time.time_ns())

    def _look(self, measured_ns: int | None) -> None:
        """What all allocations say so far; None where it is not known how long the last one was measured."""
        runs = scored_runs(self.store, self.sessions)
        blocks = len({(run.plan.case, run.block) for run in runs if run.session_id == self.sessions[-1].id})
        cases = len({run.plan.case for run in runs}) or 1
        if measured_ns is not None:
            self._block_ns = measured_ns * cases // max(1, blocks)
        study = self.offer.study
        if self.most > 1 and len(study.targets) > 1 and runs:
            self._found = deciding(Evidence(self.sessions, runs, study.baseline, study.band, apart=True))


def deciding(evidence: Evidence) -> list[Product]:
    """The comparisons of products that decide: in the first metric of each case."""
    return [each for each in evidence.products if evidence.judged[each.cell.case][0] == each.cell.metric]
