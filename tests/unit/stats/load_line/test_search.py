"""The search against servers whose capacity and knee are known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.stats.load_line.server import MS, Server, drive, finish

from plimsoll.stats.load_line.answer import LoadLine, load_line
from plimsoll.stats.load_line.levels import LoadRange
from plimsoll.stats.load_line.points import Phase, Point
from plimsoll.stats.load_line.search import FRESH_RUNS, RULES, Ending, LoadSearch, Probe
from plimsoll.stats.load_line.slo import parse_objective
from plimsoll.stats.summary import summarise

CLIENTS = LoadRange(1, 256, whole=True)
TRIALS = 20


def search(seed: int, bounds: LoadRange = CLIENTS, slo: str | None = None, mode: str = "quick") -> LoadSearch:
    return LoadSearch(bounds, RULES[mode], parse_objective(slo) if slo else None, str(seed))


def answer(done: LoadSearch) -> LoadLine:
    return load_line(done.points, done.objective, done.bounds.high)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stations", "delay_ns", "noise", "drift"),
    [(8, 0, 0.03, 0.0), (1, 20 * MS, 0.03, 0.0), (8, 0, 0.10, 0.004)],
    ids=["sharp bend", "round bend", "noisy and slowing down"],
)
def test_knee_of_a_known_server_is_found_within_a_tenth(
    stations: int, delay_ns: float, noise: float, drift: float
) -> None:
    right = covered = 0
    for seed in range(TRIALS):
        server = Server(stations, MS, delay_ns, noise, drift, seed=seed)
        done = search(seed)
        finish(done, server)
        bend = answer(done).bend
        assert bend is not None
        right += abs(bend.knee / server.knee - 1) < 0.10
        covered += bend.low <= server.knee <= bend.high
    assert right >= 19
    assert covered >= 17


def test_capacity_of_a_known_server_is_found_with_a_schedule() -> None:
    bounds = LoadRange(100, 40_000, whole=False)
    right = bracketed = 0
    for seed in range(TRIALS):
        server = Server(8, MS, noise=0.03, seed=seed)
        done = search(seed, bounds)
        finish(done, server, open_loop=True)
        found = answer(done)
        assert found.bend is not None
        right += abs(found.bend.knee / server.capacity - 1) < 0.10
        if found.bracket is not None:
            bracketed += found.bracket.low < server.capacity * 1.05 and found.bracket.high > server.capacity * 0.95
    assert right >= 19
    assert bracketed >= 15


def smooth(probe: Probe, rng: np.random.Generator, noise: float) -> Point:
    """A server whose p99 is 1 ms + 0.5 ms·u/(1−u) at the share u of 100 clients; 5 % of runs are far off."""
    share = min(probe.load / 100, 0.999)
    latency = (1 + 0.5 * share / (1 - share)) * MS * math.exp(noise * rng.standard_normal())
    latency *= 1.5 + rng.random() if rng.random() < 0.05 else 1
    throughput = min(probe.load, 100) * 50 * math.exp(0.02 * rng.standard_normal())
    return Point(probe.load, probe.phase, probe.round, True, throughput, latency, latency, latency, latency)


def carry_through(done: LoadSearch, seed: int, noise: float) -> None:
    rng = np.random.default_rng(seed)
    drive(done, lambda probe: smooth(probe, rng, noise))


def test_largest_load_within_an_objective_is_hardly_ever_overstated() -> None:
    true = 100 * 8 / 9  # 1 + 0.5·u/(1−u) = 5
    errors = []
    for seed in range(TRIALS):
        done = search(seed, LoadRange(2, 160, whole=False), "p99<5ms")
        carry_through(done, seed, 0.10)
        met = answer(done).met
        assert met is not None
        assert met.met
        errors.append(math.log(met.load / true))
    assert sum(abs(error) > 0.10 for error in errors) <= 2
    assert sum(error > 0.05 for error in errors) <= 1


@pytest.mark.parametrize(("slo", "met", "load"), [("p99<100s", True, 160), ("p99<0.5ms", False, 2)])
def test_an_objective_that_every_load_or_none_meets(slo: str, met: bool, load: float) -> None:
    done = search(1, LoadRange(2, 160, whole=True), slo)
    carry_through(done, 1, 0.05)
    found = answer(done).met
    assert found is not None
    assert (found.met, found.load, found.at_top) == (met, load, load == 160)


def test_answers_come_from_runs_made_after_they_were_chosen() -> None:
    done = search(3, slo="p99<8ms")
    finish(done, Server(8, MS, seed=3))
    phases = [point.phase for point in done.points]
    order = [Phase.RAMP, Phase.ROUND, Phase.KNEE, Phase.PEAK, Phase.OBJECTIVE, Phase.ANSWER]
    first = {phase: phases.index(phase) for phase in order if phase in phases}
    assert sorted(first, key=lambda phase: first[phase]) in ([*order], [*order[:2], order[3], order[2], *order[4:]])
    assert [phases.count(phase) for phase in (Phase.PEAK, Phase.KNEE)] == [FRESH_RUNS, FRESH_RUNS]
    peak = answer(done).peak
    assert peak is not None
    at = [point.throughput for point in done.points if point.load == peak.load]
    assert len(at) >= FRESH_RUNS
    assert peak.throughput.value == summarise(at, "higher").value


def test_the_best_of_many_noisy_levels_is_not_flattered() -> None:
    """All levels above the knee are equal: the mean of the chosen one's rounds is too high, its fresh runs are not."""
    first, fresh = [], []
    for seed in range(TRIALS):
        done = search(seed)
        server = Server(4, MS, noise=0.10, seed=seed)
        finish(done, server)
        peak = [point for point in done.points if point.phase is Phase.PEAK]
        chosen = [p.throughput for p in done.points if p.phase is Phase.ROUND and p.load == peak[0].load]
        first.append(np.mean(np.log(chosen)) - math.log(server.capacity))
        fresh.append(np.mean(np.log([point.throughput for point in peak])) - math.log(server.capacity))
    assert np.mean(first) > np.mean(fresh) + 0.01


def test_throughput_that_grows_to_the_end_has_no_knee() -> None:
    done = search(1, LoadRange(1, 32, whole=True))
    assert finish(done, Server(500, MS, seed=1)) is Ending.NOT_REACHED
    found = answer(done)
    assert found.bend is not None
    assert not found.bend.reached
    assert found.doubt is None
    assert found.bracket is None
    assert found.knee is None
    assert found.peak is not None
    assert found.peak.load == 32


def test_a_server_that_one_client_saturates() -> None:
    done = search(1)
    finish(done, Server(1, MS, seed=1))
    bend = answer(done).bend
    assert bend is not None
    assert bend.reached
    assert not bend.begun


def test_a_limit_of_the_client_is_told_apart() -> None:
    done = search(2)
    finish(done, Server(64, MS, seed=2, client_limit=9_000))
    found = answer(done)
    assert found.client_limited
    assert found.bend is not None
    assert found.bend.knee == pytest.approx(9, rel=0.1)


def test_runs_that_are_not_valid_are_repeated_once_and_left_out() -> None:
    server, done = Server(8, MS, seed=4), search(4)
    asked: list[Probe] = []

    def measure(probe: Probe) -> Point:
        asked.append(probe)
        return replace(server.point(probe, 99.0), valid=probe.attempt == 1 or probe.load != 8)

    drive(done, measure)
    assert all(probe.attempt == 0 for probe in asked if probe.load != 8)
    assert {probe.attempt for probe in asked if probe.load == 8} == {0, 1}
    found = answer(done)
    assert found.invalid == sum(probe.attempt for probe in asked)
    assert found.bend is not None
    assert found.bend.knee == pytest.approx(8, rel=0.1)


def test_nothing_valid_ends_the_search() -> None:
    done = search(1)
    ending = drive(done, lambda probe: Point(probe.load, probe.phase, probe.round, False, 0.0))
    assert ending is Ending.NOTHING_VALID
    assert {point.phase for point in done.points} == {Phase.RAMP}
    assert answer(done).bend is None


def test_a_hurried_search_goes_to_its_fresh_runs() -> None:
    server, done = Server(8, MS, seed=5), search(5, slo="p99<8ms")

    def measure(probe: Probe) -> Point:
        done.hurried = len(done.points) > 25
        return server.point(probe, 99.0)

    drive(done, measure)
    phases = [point.phase for point in done.points]
    assert Phase.OBJECTIVE not in phases
    assert {Phase.ANSWER, Phase.PEAK, Phase.KNEE} <= set(phases)
    assert phases.count(Phase.ROUND) <= 27


@given(st.integers(0, 60), st.integers(0, 3))
@settings(max_examples=20)
def test_a_search_played_again_goes_on_where_it_was(cut: int, seed: int) -> None:
    whole = search(seed)
    finish(whole, Server(8, MS, seed=seed))
    again = search(seed)
    steps = again.run()
    probe = next(steps)
    for point in whole.points[:cut]:
        assert (probe.load, probe.phase, probe.round) == (point.load, point.phase, point.round)
        try:
            probe = steps.send(point)
        except StopIteration:
            break
    assert again.points == whole.points[: len(again.points)]
    assert 0 <= again.expected_left()[0] <= again.expected_left()[1]


def test_how_a_search_ended_says_nothing_of_the_load_line() -> None:
    """The report may find that runs contradict each other, or that a lower load carried as much as the largest."""
    conclusions = ("knee is", "grows", "highest", "found", "holds", "kept")
    assert not [ending for ending in Ending if any(word in ending for word in conclusions)]
