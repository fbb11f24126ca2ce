"""The load-line section on searches that are whole, cut short, and not what they claim to be."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.factories import make_study

from plimsoll.model import Run, Session
from plimsoll.report import Evidence, build_document, render
from plimsoll.report.charts.load_line import Curve, Level, latency
from plimsoll.report.document import Chart, Text, cell_text
from plimsoll.report.sections import load_line
from plimsoll.report.sections.machines import build as machines

LOADS = (1, 2, 3, 4, 6, 8, 12, 16)
DISK = dict(zip((*LOADS, 5), (19.3, 31.6, 40.5, 47.1, 57.0, 61.6, 70.7, 75.0, 52.0), strict=True))
"""Thousands of random reads per second of a virtual disk, by depth."""


def searched(
    knee: float = 5.0,
    slo: str | None = None,
    busiest: float = 0.3,
    every: float = 0.1,
    answer: int = 16,
    level: Callable[[int, int], float] = lambda _load, _place: 1.0,
    **fact: Any,
) -> tuple[Session, list[Run]]:
    """A finished search over eight loads, three rounds of each, and fresh runs.

    `level` gives a factor of the throughput by load and place in the order of the runs.
    """
    session, made = make_study(targets=("a",), blocks=len(LOADS) * 3 + 9)
    request = {"parameter": "depth", "range": "1..16"} | ({"slo": slo} if slo else {})
    asked = [(load, "round", number) for number in range(3) for load in LOADS]
    asked += [(each, phase, i) for i in range(3) for each, phase in ((5, "knee"), (16, "peak"), (answer, "answer"))]
    runs = []
    for place, (run, (load, phase, number)) in enumerate(zip(made, asked, strict=True)):
        about = {"parameter": "depth", "load": load, "phase": phase, "round": number, **fact}
        value = 1000.0 * min(load, knee) * (1 + 0.001 * number) * level(load, place)
        scores = tuple(s.model_copy(update={"value": value}) if s.metric == "iops" else s for s in run.scores)
        facts = {**run.facts, "load_line": about, "cpu": {"busiest_thread": busiest, "all_processors": every}}
        runs.append(run.model_copy(update={"facts": facts, "scores": scores}))
    study = {**session.study, "load_line": request}
    return session.model_copy(update={"study": study}), runs


def told(session: Session, runs: list[Run]) -> str:
    answer = load_line.told(Evidence(sessions=[session], runs=runs, baseline=None, band=0.1))
    return "\n".join(sentence.text for sentence in answer)


def test_answers_in_words() -> None:
    words = told(*searched())
    assert "a: the knee is at depth 5 (" in words
    assert "throughput levels off at 5,0" in words
    assert "a: at the knee, depth 5: 5,0" in words
    assert "a: highest throughput, depth 16: 5,0" in words
    assert "; hardly more than at the knee." in words


def test_only_what_has_levelled_off_is_said_to_do_so() -> None:
    """Before: "throughput levels off at 57,090/s" of a disk that gave 28 % more at depth 16 than at depth 8."""
    chance = random.Random(2)
    noise = [chance.uniform(0.92, 1.08) for _ in range(100)]
    growing = {12: 1.1, 16: 1.2}
    still = told(*searched(level=lambda load, place: noise[place] * growing.get(load, 1.0)))
    assert "the knee is at depth 5.6" in still
    assert "from there on more load adds latency and brings ever smaller gains: 21 % more throughput from" in still
    assert "levels off" not in still
    assert "p99 772 µs; it still grows there." in still
    # Where it surely grows to the end, there is no knee to tell; a curve that bends has a bend all the same.
    sure = told(*searched(level=lambda load, _: growing.get(load, 1.0)))
    assert "cannot tell where the knee is: throughput grows ever more slowly from 1,00" in sure
    assert ", but does not level off; there may be no knee" in sure
    # A few per cent more from twice the load are no growth to speak of; nor is less at the end than before it.
    for last in (1.05, 0.9):
        flat = told(*searched(level=lambda load, _, last=last: last if load == 16 else 1.0))
        assert "throughput levels off at" in flat
        assert "smaller gains" not in flat
        assert "still grows" not in flat


def test_loads_stand_under_their_points_where_there_is_room() -> None:
    def numbers(rates: Sequence[float], curves: int = 1, load: str = "depth") -> list[str]:
        levels = [Level(2.0**i, rate, 1e5, 1e6, "", "", "") for i, rate in enumerate(rates)]
        spec = latency([Curve(f"t{i}", levels, None, None) for i in range(curves)], "1/s", load)
        found = [layer for layer in spec["layer"] if layer.get("encoding", {}).get("text", {}).get("field") == "number"]
        return [row["number"] for layer in found for row in layer["data"]["values"]]

    assert numbers([1000, 2000, 4000, 8000]) == ["8", "4", "2", "1"]
    # Saturated, the points lie over each other: the largest load has its number.
    assert numbers([1000, 7900, 7950, 8000]) == ["8", "1"]
    assert numbers([1000, 2000], curves=2) == numbers([1000, 2000], load="") == []


def test_the_client_and_the_range_as_limits() -> None:
    assert "the client was the limit, not the place: from depth 5 on" in told(*searched(busiest=0.99))
    together = told(*searched(busiest=0.24, every=0.93))
    assert "from depth 5 on its threads use 93 % of all its processors. Use a larger client machine" in together
    assert "no knee up to depth 16: throughput still grows there" in told(*searched(knee=100))
    session, runs = searched(knee=100)
    wider = {**session.study, "load_line": {"parameter": "depth", "range": "1..64"}}
    assert "the knee is not settled: runs up to depth 16" in told(session.model_copy(update={"study": wider}), runs)
    assert "saturated from the start: the knee lies at or below depth 1" in told(*searched(knee=0.5))
    # The interval reaches from below the smallest load to above it: "at or below depth 1" would be too much to say.
    near = told(*searched(knee=1.0, level=lambda _, place: 0.93 if place % 3 else 1.07))
    assert "saturated from the start: the knee lies at or below depth 2" in near
    # A lower load carried as much as the largest: "throughput still grows there" would be false.
    flat = told(*searched(knee=100, level=lambda load, _: 0.8 if load == 16 else 1.0))
    assert "the knee is not settled: runs up to depth 16 scatter" in flat or "the knee is at" in flat
    assert "still grows there; search" not in flat


def test_objectives_in_words() -> None:
    assert "p99 below 10 s holds up to depth 16, the largest load of the range" in told(*searched(slo="p99<10s"))
    assert "p99 below 1 ns is not met, not even at depth 4" in told(*searched(slo="p99<1ns", answer=4))


def test_an_objective_that_is_contradicted_is_no_answer() -> None:
    words = told(*searched(slo="p99<10s", answer=4))
    assert (
        "a: cannot tell up to which load p99 below 10 s holds: depth 4 meets it, but depths 5, 6, 8, 12 and 16" in words
    )
    assert "clearly meet it. Something other than the load causes latency" in words
    assert "holds up to" not in words
    assert "cannot tell" not in told(*searched(slo="p99<10s"))


def test_a_load_whose_own_runs_disagree_is_not_set_against_itself() -> None:
    """Before: "depth 1 misses it, but depth 1 clearly meets it"."""
    session, runs = searched(slo="p99<10s", answer=4)
    (each,) = Evidence(sessions=[session], runs=runs, baseline=None, band=0.1).searched
    assert each.line.met is not None

    def said(*against: float) -> str:
        assert each.line.met is not None
        met = replace(each.line.met, met=False, load=4, against=against)
        return load_line._contradicted(each, "p99 below 10 s", met).text

    itself = said(4)
    assert "the last runs at depth 4 miss it (median " in itself
    assert ", but all runs at that load together clearly meet it. Something other" in itself
    assert "depth 4 clearly meets it" not in itself
    assert "together clearly meet it and depth 5 clearly meets it." in said(4, 5)
    assert "depth 4 misses it, but depth 5 clearly meets it." in said(5)


def test_the_highest_throughput_is_the_highest_of_the_table() -> None:
    """Before: "levels off at 97,330/s", "highest throughput 111,000/s", and a load with 133,817/s in one output."""
    session, runs = searched(level=lambda load, _: 1.1 if load == 8 else 1.0)
    evidence = Evidence(sessions=[session], runs=runs, baseline=None, band=0.1)
    (each,) = evidence.searched
    assert each.line.peak is not None
    assert each.line.bend is not None
    assert each.line.peak.load == 8
    assert each.line.peak.throughput.value == max(level.throughput.value for level in each.line.levels)
    assert each.line.bend.plateau == each.line.peak.throughput.value
    words = told(session, runs)
    assert "throughput levels off at 5,505/s" in words
    assert "a: highest throughput, depth 8: 5,505/s" in words
    assert "hardly more" not in words
    best = told(*searched(level=lambda load, _: 1.1 if load == 5 else 1.0))
    assert "a: at the knee, with the highest throughput, depth 5: 5,505/s" in best
    assert best.count("highest throughput") == 1


@pytest.mark.parametrize(
    ("level", "why"),
    [
        (lambda load, _: 1.5 if load == 8 else 1.0, "throughput does not level off: depth 8 carried 7,"),
        # As of commits that share their flushes: each further client adds, although less than the first ones.
        (
            lambda load, _: load**0.55 / min(load, 5),
            "throughput still rises at depth 16, the largest load measured: it carried 4,5",
        ),
        (
            lambda load, _: DISK[load] / min(load, 5),
            "grows ever more slowly from 19,319/s at depth 1 to 75,070",
        ),
        (
            lambda load, place: 0.5 if load >= 5 and place >= 16 else 1.0,
            "the knee on; burst credits may have ended",
        ),
        (
            lambda load, place: 0.5 if load >= 5 and place < 16 else 1.0,
            "from the knee on; others may have been at work: search again",
        ),
        (lambda _, place: 1.6 if place // 3 % 2 else 0.6, "runs at one load differ "),
        (lambda load, _: 1 / load**0.8 if load <= 5 else 5**-0.8, "grows ever more slowly from 1,0"),
    ],
)
def test_why_no_knee_can_be_told(level: Callable[[int, int], float], why: str) -> None:
    words = told(*searched(level=level))
    assert "a: cannot tell where the knee is: " in words
    assert why in words
    assert "the knee is at" not in words
    assert "at the knee" not in words


def test_runs_too_short_to_tell() -> None:
    session, runs = searched()
    short = [run.model_copy(update={"facts": {**run.facts, "elapsed_ns": 500_000_000}}) for run in runs]
    short = [
        run.model_copy(update={"plan": run.plan.model_copy(update={"parameters": {"warmup": 100_000_000}})})
        for run in short
    ]
    words = told(session, short)
    assert "cannot tell where the knee is: runs of 600 ms measure what a volume had stored while it rested" in words
    assert "search again with runs of 5 s or more (runtime=), or with --stored 0s" in words
    assert "cannot tell" not in told(session, runs)


def test_a_knee_of_a_burst_says_until_when() -> None:
    def on(volume: str, knee: float, slo: str | None = None) -> str:
        session, runs = searched(knee=knee, slo=slo)
        place = {"as": volume}
        return told(
            session, [r.model_copy(update={"target": r.target.model_copy(update={"options": place})}) for r in runs]
        )

    words = on("gp2+size=100GiB", 3.0, "p99<10s")
    burst = "while a has burst credits, 33 min (then 300 IOPS)"
    assert f"the knee is at depth 3 (2.9…3.2) in randread {burst}: from there on" in words
    assert words.count(burst) == 3  # knee, highest throughput, objective
    assert "burst" not in on("gp3+size=100GiB", 3.0)
    assert "burst" not in on("gp2+size=1000GiB", 3.0, "p99<10s")


def with_rates(run: Run, rates: list[float]) -> Run:
    """A run with intervals of half a second at these rates, shares of 2,000/s; its score is that times their mean."""
    first = run.intervals[0]
    intervals = tuple(
        first.model_copy(
            update={
                "start_ns": k * 500_000_000,
                "duration_ns": 500_000_000,
                "operations": {"read": first.operations["read"].model_copy(update={"operations": int(1000 * rate)})},
            }
        )
        for k, rate in enumerate(rates)
    )
    mean = sum(rates) / len(rates)
    scores = tuple(s.model_copy(update={"value": s.value * mean}) if s.direction == "higher" else s for s in run.scores)
    return run.model_copy(update={"intervals": intervals, "scores": scores})


def test_runs_that_did_not_settle_are_told() -> None:
    session, runs = searched()
    words = told(session, [with_rates(run, [1.0] * 17 + [0.5] * 3) for run in runs])
    assert "cannot tell where the knee is: in 24 of 24 runs the rate still changed at the end" in words
    calm = told(session, [with_rates(run, [2.0] * 3 + [1.0] * 17) for run in runs])
    assert "cannot tell" not in calm
    assert "a: some runs began with another rate" in calm
    assert "up to 15 % of a run, at depths 1, 2, 3, 4, 5, 6, 8, 12 and 16." in calm
    assert "another rate" not in told(session, [with_rates(run, [1.0] * 20) for run in runs])


def test_a_load_has_one_throughput_in_every_table() -> None:
    """Before: 3,350/s in one table and 2,997/s in another at the same depth. One run was made again, longer."""
    session, made = searched()
    runs = []
    for run in made:
        load, number = run.facts["load_line"]["load"], run.facts["load_line"]["round"]
        run = with_rates(run, [2.0] * 8 + [1.0] * 12 if load == 8 else [1.0] * 20)
        runtime = 20_000_000_000 if (load, number) == (8, 1) else 10_000_000_000
        parameters = {**run.plan.parameters, "depth": load, "runtime": runtime}
        plan = run.plan.model_copy(update={"case": f"ping depth={load}", "parameters": parameters})
        runs.append(run.model_copy(update={"plan": plan}))
    evidence = Evidence(sessions=[session], runs=runs, baseline=None, band=0.1)
    (each,) = evidence.searched
    level = next(level for level in each.line.levels if level.load == 8)
    assert level.discarded == pytest.approx(0.4)
    lines = {line.case: line.summary for line in evidence.lines if line.metric == "iops"}
    assert set(lines) == {f"ping depth={load}" for load in {*LOADS, 5}}
    assert lines["ping depth=8"] is not None
    assert lines["ping depth=8"].value == pytest.approx(level.throughput.value)
    assert level.throughput.value == pytest.approx(5005, rel=0.01)


def schedule(kept: Callable[[float], bool]) -> tuple[Session, list[Run]]:
    """A search over rates whose place carries 1,000/s and keeps the fresh schedules that `kept` says."""
    session, made = make_study(targets=("a",), blocks=8 * 3 + 6)
    loads = (250, 354, 500, 707, 990, 1414, 2000, 2828)
    asked = [(load, "round", number) for number in range(3) for load in loads]
    asked += [(load, phase, i) for i in range(3) for load, phase in ((990, "knee"), (2828, "peak"))]
    runs = []
    for run, (load, phase, number) in zip(made, asked, strict=True):
        about = {"parameter": "rate", "load": load, "phase": phase, "round": number}
        fine = kept(load) if phase == "knee" else load < 1000
        scores = tuple(
            s.model_copy(update={"value": min(load, 1000.0)}) if s.metric == "iops" else s
            for s in run.scores
            if fine or s.unit != "ns"
        )
        paced = run.plan.model_copy(update={"parameters": {**run.plan.parameters, "rate": {"per_second": load}}})
        facts = {**run.facts, "load_line": about}
        runs.append(run.model_copy(update={"facts": facts, "scores": scores, "plan": paced}))
    request = {"parameter": "rate", "range": "250..2828"}
    return session.model_copy(update={"study": {**session.study, "load_line": request}}), runs


def test_a_schedule_at_the_knee_was_kept_or_there_is_none() -> None:
    words = told(*schedule(lambda _: True))
    assert "a: the knee is at a rate of 990/s (" in words
    assert "a higher rate is not kept" in words
    assert "a: at the knee, a rate of 990/s: 990/s" in words
    assert "a: highest throughput, a rate of 1,414/s: 1,000/s" in words
    refused = told(*schedule(lambda _: False))
    assert "a: cannot tell where the knee is: the curve puts it at a rate of " in refused
    assert "but runs did not keep their schedule there, nor at a rate of 990/s" in refused
    assert "the knee is at" not in refused


def test_a_search_that_has_just_begun() -> None:
    session, runs = searched(slo="p99<10s")
    assert "no knee from 2 loads; let the search go on" in told(session, runs[:2])
    assert "not found yet" in told(session, runs[:2])
    assert "no knee from 0 loads" in told(session, [])


def test_loads_stand_in_their_order_whatever_was_measured_first() -> None:
    session, made = searched()
    named = [(run, int(run.facts["load_line"]["load"])) for run in made]
    runs = [run.model_copy(update={"plan": run.plan.model_copy(update={"case": f"at {n}"})}) for run, n in named]
    other, earlier = make_study(targets=("b",), blocks=2)
    apart = [run.model_copy(update={"session_id": "other"}) for run in earlier]
    evidence = Evidence(sessions=[session, other], runs=[apart[0], *reversed(runs)], baseline=None, band=0.1)
    assert evidence.cases == (apart[0].plan.case, *(f"at {load}" for load in sorted({*LOADS, 5})))
    apart_last = Evidence(sessions=[session, other], runs=[*reversed(runs), apart[0]], baseline=None, band=0.1)
    assert apart_last.cases == (*evidence.cases[1:], evidence.cases[0])


def test_a_search_is_no_comparison() -> None:
    session, runs = searched()
    document = build_document(Evidence(sessions=[session], runs=runs, baseline=None, band=0.1))
    names = [section.id for section in document.sections]
    assert names[:2] == ["answer", "warnings"]
    assert names.index("load_line") == 2
    assert not {"verdicts", "scores", "repeats"} & set(names), "its runs are at different loads"
    assert {"load-line", "load-throughput"} <= {chart.id for chart in document.charts}


@pytest.mark.parametrize("request_", [3, {}, {"parameter": "depth"}, {"parameter": "rate", "range": "9..1"}])
@pytest.mark.parametrize(
    "fact", [{}, {"load": "x"}, {"load": 0}, {"load": math.nan}, {"phase": "nonsense"}, {"round": None}, {"round": []}]
)
def test_what_only_claims_to_be_a_search_is_shown_as_what_it_is(request_: Any, fact: dict[str, Any]) -> None:
    session, runs = searched(**fact)
    for study in ({**session.study, "load_line": request_}, session.study):
        evidence = Evidence([session.model_copy(update={"study": study})], runs, baseline=None, band=0.1)
        document = build_document(evidence)
        assert all(render(document, name) for name in ("html", "json", "terminal"))


def test_without_latencies_only_throughput_is_drawn_and_that_is_said() -> None:
    def drawn(session: Session, runs: list[Run]) -> tuple[list[str], str]:
        blocks = load_line.build(Evidence(sessions=[session], runs=runs, baseline=None, band=0.1))
        words = " ".join(each.text for block in blocks if isinstance(block, Text) for each in block.sentences)
        return [block.id for block in blocks if isinstance(block, Chart)], words

    session, runs = searched()
    charts, words = drawn(session, runs)
    assert charts == ["load-line", "load-throughput"]
    assert "No run has latencies" not in words
    bare = [
        run.model_copy(update={"scores": tuple(each for each in run.scores if each.unit != "ns"), "histograms": {}})
        for run in runs
    ]
    charts, words = drawn(session, bare)
    assert charts == ["load-throughput"]
    assert "No run has latencies, so only throughput is drawn." in words


def test_parts_of_machines() -> None:
    session, runs = searched()
    part = {"started_ns": 0, "ended_ns": 10**9, "operations": 5, "operations_per_s": 5.0, "busiest_thread": 0.5}
    spread = runs[0].model_copy(
        update={"facts": {"parts": {"w1": part, "w2": {**part, "operations": "many", "all_processors": 0.9}, "w3": 7}}}
    )
    blocks = machines(Evidence(sessions=[session], runs=[spread], baseline=None, band=0.1))
    shown = blocks[1].rows  # type: ignore[union-attr]
    assert [cell_text(row[-1]) for row in shown] == ["50 %", "90 %"]
    assert machines(Evidence(sessions=[session], runs=runs, baseline=None, band=0.1)) == []


@pytest.mark.parametrize(("p50_ns", "keyed"), [(1e6, True), (None, False)])
def test_a_key_tells_only_of_percentiles_that_are_drawn(p50_ns: float | None, keyed: bool) -> None:
    levels = [Level(load, load, p50_ns, 2e6 * load, "", "", "") for load in (1.0, 2.0)]
    lines = next(each for each in latency([Curve("a", levels, None, None)], "1/s")["layer"] if "layer" in each)
    assert (lines["layer"][0]["encoding"]["strokeWidth"]["legend"] is not None) is keyed
