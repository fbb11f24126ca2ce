"""What each section says when things are not as usual."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import cast

import pytest
from tests.factories import make_study
from tests.unit.report.studies import QUICK, burst, drawn_spec, evidence, pair, quick, with_runs

from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import Finding, Level, Run, RunStatus, Score, SessionState
from plimsoll.report import Evidence, build_document
from plimsoll.report.document import Block, Chart, Document, Table, Text, Tone, Warning, cell_text
from plimsoll.report.renderers import terminal
from plimsoll.report.sections import answer, looks
from plimsoll.run.guards._judge import not_checkable
from plimsoll.stats.paired import Cell
from plimsoll.stats.verdict import Answer, Verdict


def blocks(document: Document, section: str) -> tuple[Block, ...]:
    return next((found.blocks for found in document.sections if found.id == section), ())


def sentences(document: Document, section: str) -> str:
    return " ".join(s.text for block in blocks(document, section) if isinstance(block, Text) for s in block.sentences)


def table(document: Document, section: str, caption: str = "") -> list[list[str]]:
    found = next(b for b in blocks(document, section) if isinstance(b, Table) and b.caption.startswith(caption))
    return [[cell_text(cell) for cell in row] for row in found.rows]


def fail(run: Run) -> Run:
    changes = {"status": RunStatus.FAILED, "reason": "disk gone", "scores": (), "intervals": (), "histograms": {}}
    return run.model_copy(update=changes)


def test_every_section_has_something_to_say_about_a_usual_study() -> None:
    names = [section.id for section in build_document(pair()).sections]
    assert names[:6] == ["answer", "matrix", "warnings", "verdicts", "forest", "scores"]
    assert names[6:] == ["strips", "looks", "repeats", "latency", "series", "environment", "method", "data"]


def test_looks_are_shown_as_the_rule_took_them() -> None:
    found = [block for block in blocks(build_document(pair()), "looks") if isinstance(block, Chart)]
    randread = next(chart for chart in found if chart.title.startswith("randread"))
    assert [cell_text(row[0]) for row in randread.data.rows] == ["3", "4"]
    assert randread.description.startswith("The interval by look: ±4 % after 3 blocks, ±1.8 % after 4.")
    assert "Answered since 3 blocks: worse." in randread.description
    assert "No answer yet" not in randread.description


@pytest.mark.parametrize(
    ("answers", "said", "told"),
    [
        (["better", "same", "same"], "same", "Answered since 4 blocks: same."),
        (["unknown", "worse", "worse"], "worse", "Answered since 4 blocks: worse."),
        # All pairs together may tell what those up to the last look did not.
        (["unknown", "unknown", "unknown"], "better", "Answered since 5 blocks: better."),
        (["better", "better", "better"], "unknown", "No answer yet."),
    ],
)
def test_the_answer_of_looks_is_that_of_the_verdict(answers: list[str], said: str, told: str) -> None:
    found = [SimpleNamespace(answer=Answer(each), blocks_used=3 + place) for place, each in enumerate(answers)]
    verdict = SimpleNamespace(answer=Answer(said), decided=said != "unknown")
    assert looks._end(cast(Cell, SimpleNamespace(verdict=verdict)), cast(list[Verdict], found)) == told


def test_pooled_sessions_were_not_looked_at_in_one_order() -> None:
    one, other = (evidence(cases=("randread",), blocks=6, seed=seed) for seed in (5, 6))
    both = Evidence([*one.sessions, *other.sessions], [*one.runs, *other.runs], None, 0.1)
    assert blocks(build_document(one), "looks")
    assert blocks(build_document(both), "looks") == ()


def test_looks_without_an_answer_claim_none() -> None:
    found = evidence(noise=0.3, cases=("randread",), blocks=6, seed=5)
    (chart,) = (block for block in blocks(build_document(found), "looks") if isinstance(block, Chart))
    assert chart.description.endswith("No answer yet.")
    assert {cell_text(row[-1]) for row in chart.data.rows} == {"not enough data"}


def test_one_look_and_one_target_have_no_interval_that_shrinks() -> None:
    once = evidence(cases=("randread",), blocks=3)
    assert blocks(build_document(once), "looks") == ()
    alone = evidence(targets=("nvme",), cases=("randread",), blocks=6)
    assert blocks(build_document(alone), "looks") == ()


def test_a_terminal_needs_only_the_short_sections() -> None:
    document = build_document(pair(), short=True)
    assert [section.id for section in document.sections] == [
        "answer",
        "matrix",
        "warnings",
        "verdicts",
        "scores",
        "repeats",
    ]
    assert terminal.render(document) == terminal.render(build_document(pair()))


def test_no_runs_at_all() -> None:
    session, _ = make_study()
    document = build_document(Evidence([session], [], None, 0.1))
    assert "Nothing was measured" in sentences(document, "verdicts")
    assert not document.charts
    assert document.scores.rows == ()


def test_no_valid_runs_say_why_and_are_not_zeros() -> None:
    found = pair()
    document = build_document(with_runs(found, [fail(run) for run in found.runs]))
    assert f"{len(found.runs)} failed" in sentences(document, "verdicts")
    assert len(table(document, "warnings", "Runs that do not count")) == len(found.runs)
    assert {row[4] for row in table(document, "warnings")} == {"disk gone"}
    assert len(document.scores.rows) == len(found.runs)
    assert all(row[13] is None for row in document.scores.rows)


def test_one_target_has_scores_and_learns_what_a_verdict_needs() -> None:
    document = build_document(quick())
    assert sentences(document, "answer").startswith("disk takes 87.8 µs (read p50) in ping and reaches ")
    assert "needs a second target" in sentences(document, "answer")
    assert not blocks(document, "forest")
    assert len(table(document, "scores", "Scores of the judged")) == 14


def test_one_block_is_a_preview_without_intervals() -> None:
    document = build_document(evidence(cases=("randread",), blocks=1))
    assert "preview, no verdict" in sentences(document, "verdicts")
    assert {row[4] for row in table(document, "scores")} == {"n/a"}
    forest = next(block for block in blocks(document, "forest") if isinstance(block, Chart))
    assert {cell_text(row[3]) for row in forest.data.rows} == {"n/a"}


def test_undecided_comparisons_name_the_price_of_certainty() -> None:
    document = build_document(evidence(cases=("randread",), blocks=4, noise=0.3))
    verdicts = blocks(document, "verdicts")
    tones = {s.tone for block in verdicts if isinstance(block, Text) for s in block.sentences}
    assert Tone.UNKNOWN in tones
    assert "more blocks (about" in sentences(document, "verdicts")


def test_a_target_that_always_fails_is_named_and_the_others_are_compared() -> None:
    found = evidence(baseline="a", targets=("a", "b", "c"), cases=("randread",), blocks=4, ratios={"c": 3.0})
    document = build_document(with_runs(found, [fail(r) if r.target.name == "b" else r for r in found.runs]))
    assert "c is 3.0× faster than a (" in sentences(document, "verdicts")
    assert "b and a have no valid block in common" in sentences(document, "verdicts")
    stability = {row[2]: row[8] for row in table(document, "scores")}
    assert stability["b"] == "no valid run"


def test_zero_scores_are_told_apart_from_failures() -> None:
    found = evidence(targets=("a",), cases=("randread",), blocks=3)
    zero = tuple(score.model_copy(update={"value": 0.0}) for score in found.runs[0].scores)
    runs = [found.runs[0].model_copy(update={"scores": zero}), *found.runs[1:]]
    document = build_document(with_runs(found, runs))
    assert table(document, "scores")[0][7] == "1 run scored zero, left out"


def test_scores_that_are_no_numbers_are_absent() -> None:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=3)
    broken = tuple(score.model_copy(update={"value": math.nan}) for score in found.runs[0].scores)
    document = build_document(with_runs(found, [found.runs[0].model_copy(update={"scores": broken}), *found.runs[1:]]))
    assert "nan" not in " ".join(chart.svg() for chart in document.charts)
    assert any(row[13] is None for row in document.scores.rows)


def test_runs_that_an_interruption_lost_are_missing_not_failed() -> None:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=3)
    session = found.sessions[0].model_copy(update={"state": SessionState.INTERRUPTED})
    document = build_document(Evidence([session], found.runs[:-1], None, 0.1))
    assert table(document, "warnings", "Runs that do not count: 1 of 6")[0][3:] == ["missing", "never ran"]
    assert "interrupted" in table(document, "environment", "Sessions")[0]


def test_runs_of_an_imported_set_are_not_missing_from_another() -> None:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=3)
    session = found.sessions[0].model_copy(update={"study": {**found.sessions[0].study, "interleaved": False}})
    runs = [run.model_copy(update={"block": run.block + (3 if run.target.name == "b" else 0)}) for run in found.runs]
    document = build_document(Evidence([session], runs, None, 0.1))
    assert "never ran" not in str(next(each for each in document.sections if each.id == "warnings").blocks)


def test_findings_that_differ_only_in_numbers_are_one_warning() -> None:
    found = evidence(targets=("a", "b"), cases=("randread", "ping"), blocks=3)
    runs = [
        run.model_copy(
            update={
                "findings": (
                    Finding(
                        guard="steal", level=Level.WARN, message=f"the host took {i}.5 % of the time", advice="wait"
                    ),
                )
            }
        )
        for i, run in enumerate(found.runs)
    ]
    warnings = [
        block for block in blocks(build_document(with_runs(found, runs)), "warnings") if isinstance(block, Warning)
    ]
    assert len([each for each in warnings if each.count]) == 1
    assert warnings[0].count == 12
    assert warnings[0].sentence == "The host took 0.5 % of the time (first occurrence)"
    assert warnings[0].where in ("a (randread, ping), b (randread, ping)", "b (randread, ping), a (randread, ping)")


def warned(*findings: Finding) -> Evidence:
    """A study of one run for each finding."""
    found = evidence(targets=("a",), cases=("randread",), blocks=len(findings))
    runs = [run.model_copy(update={"findings": (each,)}) for run, each in zip(found.runs, findings, strict=True)]
    return with_runs(found, runs)


def discards(message: str, advice: str = "wait") -> Finding:
    return Finding(guard="discard", level=Level.WARN, message=message, advice=advice)


def warnings_of(found: Evidence) -> list[Warning]:
    return [block for block in blocks(build_document(found), "warnings") if isinstance(block, Warning)]


def test_units_are_part_of_the_numbers() -> None:
    some = discards("5,000 discards of 900 KiB ran beside the test (3.1 % of the requests) for 1 min 20 s")
    more = discards("12 discards of 1.2 MiB ran beside the test (0.02 % of the requests) for 50 s")
    (warning,) = warnings_of(warned(some, more))
    assert warning.sentence == f"{some.message} (first occurrence)"
    assert warning.count == 2


def test_other_words_of_one_guard_are_kept() -> None:
    both = warned(
        discards("the rate fell by 10 %"), discards("it drifted", "run longer"), discards("the rate fell by 9 %")
    )
    (warning,) = warnings_of(both)
    assert warning.sentence == "The rate fell by 10 % (first occurrence); also: it drifted"
    assert warning.advice == "Wait Run longer"


def test_a_name_at_the_beginning_of_a_sentence_stays_as_it_is() -> None:
    said = {"big_hlog: no unit": "big_hlog: no unit", "read-ahead helped": "Read-ahead helped", "wait": "Wait"}
    for message, sentence in said.items():
        (warning,) = warnings_of(warned(discards(message)))
        assert warning.sentence == sentence


def test_guards_that_could_not_check_are_counted() -> None:
    blind = [not_checkable(name, "tmpfs keeps its files in memory") for name in ("page_cache", "durability")]
    found = warned(*blind, Finding(guard="steal", level=Level.OK, message="fine"))
    told = sentences(build_document(found), "warnings")
    assert "No guard found anything to warn about in 3 checked runs." in told
    assert (
        "2 guards could not check everything in 2 of 3 runs: page cache, durability (tmpfs keeps its files in memory)."
        in told
    )


def test_an_interval_that_says_nothing_does_not_stretch_the_chart() -> None:
    found = evidence(baseline="a", targets=("a", "b"), cases=("randread", "ping"), blocks=3)
    factors = iter([0.01, 1.0, 100.0])
    runs = [
        run.model_copy(update={"scores": tuple(s.model_copy(update={"value": s.value * factor}) for s in run.scores)})
        for run in found.runs
        for factor in [next(factors) if (run.target.name, run.plan.case) == ("b", "ping") else 1.0]
    ]
    document = build_document(with_runs(found, runs))
    assert "as fast as a (wide open) after 3 blocks" in sentences(document, "verdicts")
    assert "that interval is wide open" in sentences(document, "forest")
    rows = table(document, "verdicts")
    assert {row[5] for row in rows if row[0] == "ping"} == {"wide open"}
    (chart,) = (block for block in blocks(document, "forest") if isinstance(block, Chart))
    low, high = drawn_spec(chart)["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert 0.2 < low < high < 5


def test_rows_of_a_chart_whose_cases_have_long_names_can_be_told_apart() -> None:
    cases = tuple(f"randread block_size=16KiB runtime=20s size=64MiB depth={depth}" for depth in (1, 2))
    (chart,) = (
        block for block in blocks(build_document(evidence(cases=cases, blocks=3)), "forest") if isinstance(block, Chart)
    )
    labels = next(each["value"] for each in drawn_spec(chart)["params"] if each["name"] == "rows")
    assert len(set(labels)) == len(labels) > 2
    assert labels[0].startswith("depth=1, ")


def test_silent_guards_are_said_to_be_silent() -> None:
    found = evidence(targets=("a",), cases=("randread",), blocks=3)
    checked = (Finding(guard="steal", level=Level.OK, message="fine"),)
    runs = [run.model_copy(update={"findings": checked}) for run in found.runs]
    assert "No guard found anything" in sentences(build_document(with_runs(found, runs)), "warnings")
    bare = [run.model_copy(update={"findings": ()}) for run in found.runs]
    assert "No guard has checked" in sentences(build_document(with_runs(found, bare)), "warnings")


def test_a_burst_is_shown_and_named() -> None:
    document = build_document(pair())
    row = table(document, "series", "Runs that changed")[0]
    assert row[3] == "burst, then sustained"
    assert row[4].startswith("burst 59,")
    chart = next(
        block for block in blocks(document, "series") if isinstance(block, Chart) and "randread" in block.title
    )
    assert ">burst</text>" in chart.svg()
    assert ">sustained</text>" in chart.svg()


@pytest.mark.parametrize(("blocks", "condensed"), [(2, False), (3, True), (100, True)])
def test_more_points_than_can_be_told_apart_are_condensed_and_that_is_said(blocks: int, condensed: bool) -> None:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=blocks)
    document = build_document(with_runs(found, [burst(run) for run in found.runs]))
    assert ("each target's median over short spans of time" in sentences(document, "series")) == condensed
    chart = next(each for each in document.charts if each.id == "series-0")
    # All are there for whoever looks closer; drawn are no more than can be told apart.
    values = [value for row in drawn_spec(chart)["layer"][0]["data"]["values"] for value in row["v"]]
    assert len(values) == 80 * blocks
    assert max(values) > 2.5 * min(values)
    picture = chart.svg()
    assert ('class="mark-area' in picture and 'stroke-width="1.6"' in picture) == condensed
    # 40 seconds of each target, or of each run.
    assert picture.count('opacity="0"/>') == (80 if condensed else 160)


def test_a_damaged_histogram_costs_its_curve_only() -> None:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=2)
    runs = [
        run.model_copy(update={"histograms": {"read": b"nonsense"}}) if run.target.name == "a" else run
        for run in found.runs
    ]
    document = build_document(with_runs(found, runs))
    assert "2 histograms could not be read" in sentences(document, "latency")
    assert [row[2] for row in table(document, "latency")] == ["b"]


def test_percentiles_beyond_the_data_are_not_available() -> None:
    document = build_document(evidence(targets=("a",), cases=("seqread",), blocks=1, ratios={"a": 0.002}))
    row = table(document, "latency")[0]
    assert row[3] == "38"
    assert row[6:9] == ["n/a", "n/a", "n/a"]
    assert row[9] != "n/a"


def test_repeated_blocks_have_their_own_place() -> None:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=3, invalid=1)
    strip = next(block for block in blocks(build_document(found), "strips") if isinstance(block, Chart))
    names = [cell_text(row[0]) for row in strip.data.rows]
    assert len(names) == 4
    assert sum(name.endswith("r") for name in names) == 1


def test_runs_measured_apart_lie_over_each_other() -> None:
    """Before: nine imported series of 100 runs stood one after the other, in 900 blocks of which each had one."""
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=4)
    apart = [
        run.model_copy(update={"block": run.block + (10 if run.target.name == "b" else 0), "order": 0})
        for run in found.runs
        if (run.target.name, run.block) != ("b", 3)
    ]
    document = build_document(with_runs(found, apart))
    strip = next(block for block in blocks(document, "strips") if isinstance(block, Chart))
    assert [column.title for column in strip.data.columns] == ["Run", "a", "b"]
    rows = [[cell_text(cell) for cell in row] for row in strip.data.rows]
    assert [row[0] for row in rows] == ["1", "2", "3", "4"]
    assert [row.count("n/a") for row in rows] == [0, 0, 0, 1]
    assert "joins the runs of one block" not in sentences(document, "strips")
    picture = drawn_spec(strip)
    assert "run 1" not in str(picture["layer"][0]["layer"][0])
    assert "', run '" in str(picture)
    # Those of one block are joined, and stand at its number.
    joined = build_document(found)
    strip = next(block for block in blocks(joined, "strips") if isinstance(block, Chart))
    assert [column.title for column in strip.data.columns] == ["Block", "a", "b"]
    assert "joins the runs of one block" in sentences(joined, "strips")


def test_the_table_of_a_curve_has_the_usual_percentiles() -> None:
    """Before: p68.377223 and p96.837722, and no p50."""
    document = build_document(evidence(targets=("a",), cases=("randread",), blocks=3))
    curve = next(block for block in blocks(document, "latency") if isinstance(block, Chart))
    names = [cell_text(row[0]) for row in curve.data.rows]
    assert names[:7] == ["lowest", "p50", "p75", "p90", "p95", "p99", "p99.5"]
    assert names[-1] == "max"
    assert all(cell_text(row[1]) != "n/a" for row in curve.data.rows)


def test_several_sessions_make_one_report() -> None:
    one, other = (make_study(("a", "b"), ("randread",), 3, seed=seed, title=f"study {seed}") for seed in (1, 2))
    document = build_document(Evidence([one[0], other[0]], [*one[1], *other[1]], None, 0.1))
    assert document.title == "study 1 and 1 more session: randread, b against a"
    assert "6 blocks" in sentences(document, "verdicts")
    assert "these 2 sessions" in sentences(document, "verdicts")


def test_how_long_a_target_kept_its_level_is_told_of_one_session() -> None:
    """Two sessions on two days are not a level of two days."""
    one, other = (make_study(("a", "b"), ("randread",), 3, seed=seed) for seed in (1, 2))
    alone = Evidence([one[0]], one[1], None, 0.1)
    lasted_ns = max(run.ended_ns for run in one[1]) - min(run.started_ns for run in one[1])
    assert 0 < answer._lasted_ns(alone, alone.lines[0]) <= lasted_ns
    both = Evidence([one[0], other[0]], [*one[1], *other[1]], None, 0.1)
    assert answer._lasted_ns(both, both.lines[0]) == 0


def test_many_comparisons_keep_one_sentence_per_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plimsoll.report.sections.verdicts.MANY_SENTENCES", 3)
    document = build_document(evidence(cases=QUICK, blocks=3))
    assert "One sentence per case" in sentences(document, "verdicts")
    assert "read p99" not in sentences(document, "verdicts")
    assert len(table(document, "verdicts")) == 14


def test_parameters_that_differ_between_targets_are_shown() -> None:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=3)
    runs = []
    for run in found.runs:
        plan = run.plan.model_copy(update={"parameters": run.plan.parameters | {"engine": "psync", "depth": 1}})
        runs.append(run.model_copy(update={"plan": plan}) if run.target.name == "b" else run)
    rows = table(build_document(with_runs(found, runs)), "method", "Parameters that differ")
    assert sorted(row[-2:] for row in rows) == [["io_uring", "32"], ["psync", "1"]]


def test_a_parameter_that_only_some_plans_have_differs() -> None:
    """A database's settings beside a disk's parameters: an empty table is shown as one, and is no absent parameter."""
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=3)
    runs = []
    for run in found.runs:
        plan = run.plan.model_copy(update={"parameters": {**run.plan.parameters, "server_settings": {}}})
        runs.append(run.model_copy(update={"plan": plan}) if run.target.name == "b" else run)
    rows = table(build_document(with_runs(found, runs)), "method", "Parameters that differ")
    assert sorted(row[-1] for row in rows) == ["", "none"]


def test_evidence_must_fit_together() -> None:
    session, runs = make_study()
    with pytest.raises(UnknownName, match="known: a, b"):
        Evidence([session], runs, "aa", 0.1)
    with pytest.raises(UsageError, match="at least one session"):
        Evidence([], runs, None, 0.1)


def test_the_report_is_a_pure_function_of_its_evidence() -> None:
    one, other = build_document(pair()), build_document(pair())
    assert one == other
    assert [chart.svg() for chart in one.charts] == [chart.svg() for chart in other.charts]
    assert one.scores == other.scores


def test_scores_of_unknown_metrics_are_reported_too() -> None:
    found = evidence(targets=("a",), cases=("randread",), blocks=3)
    extra = Score(metric="brand_new", value=3.0, unit="1", direction="higher")
    runs = [run.model_copy(update={"scores": (*run.scores, extra)}) for run in found.runs]
    rows = table(build_document(with_runs(found, runs)), "scores", "Scores of all other")
    assert ["brand new", "3"] in [row[1:3] for row in rows]


def test_host_facts_are_written_for_people() -> None:
    found = evidence(targets=("a",), cases=("randread",), blocks=1)
    host = {
        "memory": {"total_bytes": 2**34, "limit": None},
        "load": [3.16308, 4.0],
        "io_uring": True,
        "mitigations": {f"hole_{i}": "Not affected" if i else "Vulnerable" for i in range(20)},
    }
    session = found.sessions[0].model_copy(update={"host": host})
    rows = dict(table(build_document(Evidence([session], found.runs, None, 0.1)), "environment", "Host"))
    assert rows["memory · total"] == "16 GiB"
    assert rows["memory · limit"] == "unknown"
    assert rows["load"] == "3.16, 4"
    assert rows["io uring"] == "yes"
    assert rows["mitigations"].startswith("Vulnerable (hole 0); Not affected (hole 1, hole 2,")


def test_targets_and_colours_go_by_the_study_not_by_the_order_of_runs() -> None:
    found = evidence(targets=("z", "y", "x"), cases=("randread",), blocks=2)
    assert found.targets == ("z", "y", "x")
    listed = found.sessions[0].model_copy(update={"study": {"targets": [{"name": "y"}, {"name": "x"}, {"name": "z"}]}})
    assert Evidence([listed], found.runs, None, 0.1).targets == ("y", "x", "z")
    assert Evidence([listed], found.runs, "x", 0.1).targets == ("x", "y", "z")


def _length(found: Evidence, seconds: int) -> Evidence:
    """The same runs with so many intervals of one second."""

    def stretched(run: Run) -> Run:
        first = run.intervals[0]
        each = [first.model_copy(update={"start_ns": i * 10**9, "duration_ns": 10**9}) for i in range(seconds)]
        return run.model_copy(update={"intervals": tuple(each)})

    return with_runs(found, [stretched(run) if run.intervals else run for run in found.runs])


def test_runs_too_short_to_be_judged_are_not_said_to_keep_their_level() -> None:
    short, long = _length(evidence(cases=("randread",)), 2), _length(evidence(cases=("randread",)), 30)
    told = sentences(build_document(short), "series")
    assert "8 runs of this report are too short to tell whether the rate changed inside" in told
    assert "changed its level" not in told
    told = sentences(build_document(long), "series")
    assert "No run changed its level while it was measured." in told
    assert "too short" not in told
    mixed = with_runs(long, [*long.runs[:1], *short.runs[1:]])
    told = sentences(build_document(mixed), "series")
    assert "No run that is long enough to be judged changed its level; 7 runs of this report are too short" in told


def test_pooled_percentiles_have_a_name_of_their_own() -> None:
    document = build_document(pair())
    [found] = [b for b in blocks(document, "latency") if isinstance(b, Table)]
    assert [(each.key, each.title) for each in found.columns[-2:]] == [
        ("p99_99", "Pooled p99.99"),
        ("max", "Pooled max"),
    ]
    scores = next(b for b in blocks(document, "scores") if isinstance(b, Table))
    assert any("“Latency” has those pooled" in note for note in scores.notes)
    # Rates alone need no such word.
    rates = with_runs(
        pair(),
        [run.model_copy(update={"scores": tuple(s for s in run.scores if s.unit != "ns")}) for run in pair().runs],
    )
    plain = next(b for b in blocks(build_document(rates), "scores") if isinstance(b, Table))
    assert not any("pooled" in note for note in plain.notes)
