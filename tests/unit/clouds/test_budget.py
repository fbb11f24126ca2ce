"""Nothing is ever rented whose longest cost would pass the budget: at every point where the cost of a session grows."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.factories import make_study

from plimsoll.clouds import lease, ledger, session
from plimsoll.clouds.offer import NOBODY, Offer, offer
from plimsoll.clouds.provider import PriceLine, Resource, Step
from plimsoll.clouds.quote import READY_NS, Times, quote
from plimsoll.clouds.session import Course
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import CloudError
from plimsoll.model import Session
from plimsoll.report.sections.bill import FACT
from plimsoll.run.renting import Renting, renting_of
from plimsoll.run.study import from_words
from plimsoll.units import HOUR, MINUTE, SECOND

START_NS = 1_800_000_000 * SECOND


@dataclass
class Clock:
    """Time that passes only where something is said to take it."""

    now_ns: int = START_NS

    @contextmanager
    def kept(self) -> Iterator[None]:
        """The time of what rents; servers of other tests, which are threads of this process, keep the machine's."""
        of_here = {
            "time_ns": lambda: self.now_ns,
            "time": lambda: self.now_ns / 1e9,
            "monotonic": lambda: self.now_ns / 1e9,
            "sleep": self.passes,
        }
        with pytest.MonkeyPatch.context() as patch:
            for name, module in list(sys.modules.items()):
                if name.startswith(("plimsoll.clouds.", "plimsoll.run.")) and getattr(module, "time", None) is time:
                    patch.setattr(module, "time", SimpleNamespace(**{**vars(time), **of_here}))
            yield

    def passes(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


@dataclass
class Cloud:
    """A provider that counts what it is owed; a machine ends by its timer, whatever becomes of its renter."""

    clock: Clock
    ends_s: float
    per_hour_usd: float
    budget_usd: float
    name: str = "aws"
    there: dict[str, Resource] = field(default_factory=dict)
    began: dict[str, int] = field(default_factory=dict)
    asked_ns: dict[str, int] = field(default_factory=dict)
    owed_usd: float = 0.0

    def steps(self, rental: Rental) -> Sequence[Step]:
        return [Step(kind="machine", name="m1", token=rental.id)]

    def create(self, rental: Rental, step: Step, _folder: Any) -> Resource:
        assert not self.there, "one allocation at a time"
        longest = self.owed_usd + (rental.lease_end_ns - self.clock.now_ns) / HOUR * self.per_hour_usd
        assert longest <= self.budget_usd * (1 + 1e-9)
        made = Resource(
            kind=step.kind, id=f"i-{rental.id}", region=rental.region, rental=rental.id, name=step.name,
            lease_end_ns=rental.lease_end_ns,
        )  # fmt: skip
        self.there[made.id], self.began[made.id] = made, self.clock.now_ns
        return made

    def delete(self, resource: Resource) -> None:
        self.asked_ns.setdefault(resource.id, self.clock.now_ns)

    def find(self, rental: Rental, step: Step) -> Resource | None:
        del step
        return next((each for each in self.resources("", rental.id)), None)

    def resources(self, _region: str, rental: str | None = None) -> Sequence[Resource]:
        for each in list(self.there.values()):
            asked = self.asked_ns.get(each.id, math.inf)
            assert each.lease_end_ns is not None
            end = min(asked + self.ends_s * 1e9, each.lease_end_ns)
            if self.clock.now_ns >= end:
                del self.there[each.id]
                self.owed_usd += (end - self.began[each.id]) / HOUR * self.per_hour_usd
        return [each for each in self.there.values() if rental in (None, each.rental)]


@dataclass
class Story:
    """How long everything takes, as it turns out: seconds for each allocation in turn, over and over."""

    ready_s: Sequence[float]
    measured_s: Sequence[float]
    """Were there no bound."""
    over_s: float
    """How much longer than its bound a session takes to end."""
    ends_s: float
    killed_s: float | None = None
    """How long after its beginning the command goes on that was killed in its first session; None where none was."""


def told(story: Story, per_hour_usd: float, rent_: Renting, times: Times) -> tuple[Cloud, list[str]] | None:
    """A whole study by these terms: the cloud at its end, and what was said; None where it is refused before."""
    clock, notes = Clock(), []
    line = PriceLine(what="m1", per_hour_usd=per_hour_usd, date="2026-07-20")
    made = quote([line], times, rent_)
    if made.refusal or made.most_usd is None:
        return None
    budget = rent_.budget_usd if rent_.budget_usd is not None else 1.0
    cloud = Cloud(clock, story.ends_s, per_hour_usd, budget)
    wanted = replace(from_words(["randread"], ["a=aws:gp3,size=20GiB,instance=m7i.large"], seed=1), rent=rent_)
    rental = Rental(id="00000000", provider="aws", region="us-east-1", lease_end_ns=0, from_address=NOBODY)
    terms = Offer(wanted, cloud, rental, made, times, ())  # type: ignore[arg-type]
    sessions: list[Session] = []

    def measure(study: Any, _machines: Any) -> Session:
        return measured(study.time_ns)

    def go_on(_session: Session, _machines: Any, until_ns: int) -> Session:
        return measured(max(0, until_ns - clock.now_ns))

    def measured(bound_ns: int) -> Session:
        number, began = len(sessions), clock.now_ns
        clock.passes(min(story.measured_s[number % len(story.measured_s)], bound_ns / 1e9 + story.over_s))
        found = make_study(ratios={})[0].model_copy(
            update={"id": f"s{number}", "started_ns": began, "ended_ns": clock.now_ns, "host": {FACT: {}}}
        )
        sessions.append(found)
        return found

    @contextmanager
    def ready(_course: Course, _rented: Any, _facts: Any) -> Iterator[Any]:
        clock.passes(story.ready_s[len(sessions) % len(story.ready_s)])
        yield SimpleNamespace(session=None)

    store: Any = SimpleNamespace(find_session=lambda name: next(each for each in sessions if each.id == name))
    observer: Any = SimpleNamespace(note=notes.append)
    with clock.kept(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Course, "_ready", ready)
        patch.setattr(session, "scored_runs", lambda *_: [])
        course = Course(terms, wanted, store, observer, lease.end_ns(made.lease_ns / SECOND), NOBODY, measure)
        try:
            if story.killed_s is not None:
                killed(terms.rental_now(course.lease_end_ns, NOBODY), cloud)
                clock.passes(story.killed_s)
                course.go_on(make_study(ratios={})[0].model_copy(update={"host": {FACT: {}}}), "0abc1234", go_on)
            course.carry_out()
        except CloudError as error:
            notes.append(str(error))
        clock.now_ns = max(clock.now_ns, course.lease_end_ns)
        assert cloud.resources("") == [], "the account is empty"
    assert cloud.owed_usd <= budget * (1 + 1e-9)
    return cloud, notes


def killed(wanted: Rental, cloud: Cloud) -> None:
    """Everything is rented, and nobody is there any more."""
    record = ledger.begin(replace(wanted, id="0abc1234"))
    for step in cloud.steps(record.rental):
        record.intend(step)
        record.came(step, cloud.create(record.rental, step, record.folder))
    record.close()


_SECONDS = some.floats(0, 3 * 3600)
_STORY = some.builds(
    Story,
    ready_s=some.lists(_SECONDS, min_size=1, max_size=4),
    measured_s=some.lists(_SECONDS, min_size=1, max_size=4),
    over_s=some.floats(0, 600),
    ends_s=some.floats(0, 600),
    killed_s=some.none() | some.floats(0, 4 * 3600),
)
_TIMES = some.builds(
    lambda least, more, many: Times(least_ns=least, most_ns=least + more, allocations=many, fewest=min(3, many)),
    some.integers(SECOND, HOUR),
    some.integers(0, 2 * HOUR),
    some.integers(1, 20),
)
_RENT = some.builds(
    Renting,
    budget_usd=some.none() | some.floats(0.05, 50),
    lease_ns=some.none() | some.integers(15 * MINUTE, 30 * HOUR),
    allocations=some.integers(1, 20),
)


@settings(deadline=None, max_examples=60)
@given(_STORY, some.floats(0.01, 5), _RENT, _TIMES)
def test_no_course_of_things_costs_more_than_the_budget(
    story: Story, per_hour_usd: float, rent_: Renting, times: Times
) -> None:
    told(story, per_hour_usd, rent_, replace(times, allocations=rent_.allocations, fewest=min(3, rent_.allocations)))


def test_a_further_allocation_that_the_budget_does_not_pay_is_not_rented_and_that_is_said() -> None:
    story = Story(ready_s=[60.0], measured_s=[600.0], over_s=0.0, ends_s=30.0)
    times = Times(least_ns=MINUTE, most_ns=10 * MINUTE, allocations=20, fewest=3)
    found = told(story, 1.0, Renting(budget_usd=1.0, allocations=20), times)
    assert found is not None
    cloud, notes = found
    assert 3 <= len(cloud.began) < 20
    [said] = [note for note in notes if "the lease has" in note]
    assert said.startswith(f"{len(cloud.began)} of 20 allocations: the lease has ")
    assert said.endswith("the budget of $1.00 pays for no longer lease, and --budget raises it")


def test_blocks_that_last_longer_than_planned_end_with_the_budget_and_that_is_said() -> None:
    story = Story(ready_s=[60.0], measured_s=[10 * 3600.0], over_s=2.0, ends_s=30.0)
    times = Times(least_ns=MINUTE, most_ns=10 * HOUR)
    found = told(story, 1.0, Renting(budget_usd=2.0), times)
    assert found is not None
    [said] = found[1]
    assert said.startswith("nothing more is measured: the lease ends at ")
    assert said.endswith("the budget of $2.00 pays for no longer lease, and --budget raises it")
    assert found[0].owed_usd > 1.8


def test_a_lease_that_was_chosen_is_named_instead_of_the_budget() -> None:
    story = Story(ready_s=[60.0], measured_s=[10 * 3600.0], over_s=2.0, ends_s=30.0)
    found = told(story, 1.0, Renting(budget_usd=20.0, lease_ns=HOUR), Times(least_ns=MINUTE, most_ns=10 * HOUR))
    assert found is not None
    assert found[1][0].endswith("; --lease gives it longer")


def test_a_killed_session_goes_on_within_what_was_agreed() -> None:
    story = Story(ready_s=[60.0], measured_s=[10 * 3600.0], over_s=2.0, ends_s=30.0, killed_s=1800.0)
    found = told(story, 1.0, Renting(budget_usd=2.0), Times(least_ns=MINUTE, most_ns=10 * HOUR))
    assert found is not None
    assert 1.8 < found[0].owed_usd <= 2
    assert "the budget of $2.00 pays for no longer lease" in found[1][0]


def test_a_lease_without_room_for_going_on_ends_what_was_rented() -> None:
    story = Story(ready_s=[60.0], measured_s=[600.0], over_s=2.0, ends_s=30.0, killed_s=7200.0 - 330)
    found = told(story, 1.0, Renting(budget_usd=2.0), Times(least_ns=MINUTE, most_ns=10 * HOUR))
    assert found is not None
    assert "too early for what comes next; all that it has rented ends now" in found[1][0]
    assert len(found[0].began) == 1


def test_a_session_that_is_done_in_time_says_nothing_of_it() -> None:
    story = Story(ready_s=[60.0], measured_s=[120.0], over_s=0.0, ends_s=30.0)
    found = told(story, 1.0, Renting(budget_usd=2.0), Times(least_ns=MINUTE, most_ns=HOUR))
    assert found is not None
    assert found[1] == []


DATABASE = "db=aws-rds:mysql,class=db.m5.large,storage=io1,size=200GiB,iops=1000"
GROWS = [
    (("a=aws:gp3,size=500GiB",), ("a=aws:gp3,size=1000GiB",), {}),
    (("a=aws:gp3,size=500GiB",), ("a=aws:gp3,size=500GiB,iops=6000",), {}),
    (("a=aws:gp3,size=500GiB",), ("a=aws:gp3,size=500GiB,throughput=250",), {}),
    (("a=aws:gp3,size=2GiB",), ("a=aws:gp3,size=2100MiB",), {}),
    (("a=aws:gp3,size=500GiB",), ("a=aws:gp3,size=500GiB,raid=0,members=2",), {}),
    (("a=aws:gp3,size=500GiB",), ("a=aws:gp3,size=500GiB", "b=aws:gp2,size=100GiB"), {}),
    (("a=aws:gp3,size=500GiB",), ("a=aws:gp3,size=500GiB", "b=aws:gp3,size=9GiB,instance=m5.large"), {}),
    (("a=aws:gp3,size=500GiB",), ("a=aws:gp3,size=500GiB,instance=m7i.xlarge",), {}),
    (("a=aws:gp3,size=500GiB",), ("a=aws:gp3,size=500GiB,image=ami-0123",), {}),
    (("a=aws:gp3,size=500GiB",), ("a=aws:standard,size=500GiB",), {}),
    ((DATABASE,), (DATABASE.replace("200GiB", "400GiB"),), {"clients_on": "aws:m7i.large,count=1"}),
    ((DATABASE,), (DATABASE.replace("iops=1000", "iops=2000"),), {"clients_on": "aws:m7i.large,count=1"}),
    ((DATABASE,), (DATABASE, DATABASE.replace("db=", "other=")), {"clients_on": "aws:m7i.large,count=1"}),
]


def _most(words: Sequence[str], given_: dict[str, Any]) -> Offer:
    test = "ycsb-a" if any("aws-rds" in each for each in words) else "randread"
    instance = {} if test == "ycsb-a" else {"instance": "m7i.large"}
    study = from_words([test], words, rent=renting_of({**instance, "lease": "2h", **given_}), seed=1)
    return offer(study, Times(least_ns=MINUTE, most_ns=HOUR, ready_ns=READY_NS))


@pytest.mark.parametrize(("less", "more", "rent_"), GROWS)
def test_whatever_is_added_is_counted_before_it_is_rented(
    less: Sequence[str], more: Sequence[str], rent_: dict[str, Any]
) -> None:
    base = _most(less, rent_).quote.most_usd
    assert base is not None
    grown = _most(more, {**rent_, "budget": f"{base:.9f}USD"}).quote
    assert grown.most_usd is not None
    assert grown.most_usd > base
    assert "the budget of" in grown.refusal


def test_more_clients_of_a_database_are_counted_before_they_are_rented() -> None:
    costs = [_most((DATABASE,), {"clients_on": f"aws:m7i.large,count={count}"}).quote.per_hour_usd for count in (1, 4)]
    assert costs[0] is not None
    assert costs[1] is not None
    each = (costs[1] - costs[0]) / 3
    assert each == pytest.approx(0.1008 + 0.005 + 16 * 0.08 / 730)


@pytest.mark.parametrize(
    ("words", "rent_", "most"),
    [
        (("a=aws:gp3,size=9GiB,instance=t3.small",), {}, 2 * 0.05),
        (
            ("pg=aws-rds:postgres,class=db.t3.large,storage=gp3,size=100GiB",),
            {"clients_on": "aws:m7i.large,count=1"},
            2 * 0.075,
        ),
    ],
)
def test_processor_time_beyond_a_share_is_counted_at_its_most(
    words: Sequence[str], rent_: dict[str, Any], most: float
) -> None:
    lines = _most(words, rent_).quote.lines
    [beyond] = [line for line in lines if "processor time beyond its share, at most" in line.what]
    assert beyond.per_hour_usd == pytest.approx(most)
    assert "m7i.large" not in beyond.what


def test_a_lease_is_never_longer_than_was_said() -> None:
    with Clock().kept():
        assert lease.end_ns(1000.7) == START_NS + 1000 * SECOND
