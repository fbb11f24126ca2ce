"""The load-line section on searches that are whole, cut short, and not what they claim to be."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.factories import make_study

from plimsoll.model import Run, Session
from plimsoll.report import Evidence, build_document, render
from plimsoll.report.document import Text, cell_text
from plimsoll.report.sections import load_line
from plimsoll.report.sections.machines import build as machines

LOADS = (1, 2, 3, 4, 6, 8, 12, 16)


def searched(
    knee: float = 5.0, slo: str | None = None, busiest: float = 0.3, every: float = 0.1, **fact: Any
) -> tuple[Session, list[Run]]:
    """A finished search over eight loads, three rounds of each, and fresh runs."""
    session, made = make_study(targets=("a",), blocks=len(LOADS) * 3 + 9)
    request = {"parameter": "depth", "range": "1..16"} | ({"slo": slo} if slo else {})
    asked = [(load, "round", number) for number in range(3) for load in LOADS]
    asked += [(each, phase, i) for i in range(3) for each, phase in ((5, "knee"), (16, "peak"), (4, "answer"))]
    runs = []
    for run, (load, phase, number) in zip(made, asked, strict=True):
        about = {"parameter": "depth", "load": load, "phase": phase, "round": number, **fact}
        value = 1000.0 * min(load, knee) * (1 + 0.001 * number)
        scores = tuple(s.model_copy(update={"value": value}) if s.metric == "iops" else s for s in run.scores)
        facts = {**run.facts, "load_line": about, "cpu": {"busiest_thread": busiest, "all_processors": every}}
        runs.append(run.model_copy(update={"facts": facts, "scores": scores}))
    study = {**session.study, "load_line": request}
    return session.model_copy(update={"study": study}), runs


def told(session: Session, runs: list[Run]) -> str:
    blocks = load_line.build(Evidence(sessions=[session], runs=runs, baseline=None, band=0.1))
    first = blocks[0]
    assert isinstance(first, Text)
    return "\n".join(sentence.text for sentence in first.sentences)


def test_answers_in_words() -> None:
    words = told(*searched())
    assert "a: the knee is at depth 5 (" in words
    assert "throughput levels off at 5,0" in words
    assert "a: at the knee, depth 5: 5,0" in words
    assert "a: highest throughput, depth 16: 5,0" in words


def test_the_client_and_the_range_as_limits() -> None:
    assert "the client was the limit, not the place: from depth 5 on" in told(*searched(busiest=0.99))
    together = told(*searched(busiest=0.24, every=0.93))
    assert "from depth 5 on its threads use 93 % of all its processors. Use a larger client machine" in together
    assert "no knee up to depth 16: throughput still grows there" in told(*searched(knee=100))
    session, runs = searched(knee=100)
    wider = {**session.study, "load_line": {"parameter": "depth", "range": "1..64"}}
    assert "the knee is not settled: runs up to depth 16" in told(session.model_copy(update={"study": wider}), runs)
    assert "saturated from the start: the knee lies at or below depth 1" in told(*searched(knee=0.5))


def test_objectives_in_words() -> None:
    assert "p99 below 10 s holds up to depth 4" in told(*searched(slo="p99<10s"))
    assert "p99 below 1 ns is not met, not even at depth 4" in told(*searched(slo="p99<1ns"))


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
    assert names[0] == "load_line"
    assert not {"verdicts", "scores"} & set(names)
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
