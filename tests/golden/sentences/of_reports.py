"""Whole reports: usual ones, and ones that went wrong in a certain way."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace

from tests.factories import many_cases
from tests.golden.sentences.of_stats import near
from tests.golden.sentences.speech import Situation, of_blocks, of_report
from tests.unit.report import situations, studies
from tests.unit.report.studies import evidence, with_runs
from tests.unit.report.test_file_sections import IOPS, phase, study, volumes
from tests.unit.report.test_imported_series import cliff, imported, rates
from tests.unit.report.test_load_line_search import searched
from tests.unit.report.test_sections import fail

from plimsoll.altered import NONE, with_altered_parts, with_altered_scores, without_checksum
from plimsoll.model import Finding, Level, Run, RunStatus, Score
from plimsoll.report import Evidence
from plimsoll.report.load_line_search import LoadLineSearch
from plimsoll.report.sections import cost, load_line, scaling
from plimsoll.stats.load_line.bracket import Bracket
from plimsoll.stats.load_line.doubts import Doubt, Reason
from plimsoll.stats.parts import Extension
from plimsoll.units import SECOND


def of_evidence(name: str, make: Callable[[], Evidence], *says: str, never: tuple[str, ...] = ()) -> Situation:
    return Situation("report", name, lambda: of_report(make()), says, never)


def _stored(name: str) -> Evidence:
    sessions, runs = situations.SITUATIONS[name]()
    return Evidence(sessions, runs, None, 0.1)


def _usual() -> list[Situation]:
    several = "These runs were made by several machines at once"
    return [
        of_evidence("rich", lambda: _stored("rich"), "gp3 is slower than gp2", never=(several,)),
        of_evidence("memory", lambda: _stored("memory"), "measured memory, not the disk", never=("Emulated here",)),
        of_evidence(
            "apart",
            lambda: _stored("apart"),
            "The runs were measured apart",
            never=("Every block runs each target once",),
        ),
        of_evidence("search", lambda: _stored("load_line"), "the knee is at depth 5", never=("no knee", "not settled")),
        of_evidence(
            "databases", lambda: _stored("databases"), "2 of 4,000 operations failed", never=("memory, not the disk",)
        ),
        of_evidence(
            "one target", studies.quick, "A verdict needs a second target", never=("is faster than", "is slower than")
        ),
        of_evidence("two targets", studies.pair, "gp3 is slower than nvme", never=("One target",)),
        of_evidence("five targets", studies.five, "is worse than nvme on 7 of 7 tests", never=("One target",)),
    ]


def _many_tests() -> Evidence:
    """Differences so small that some of twenty do not outlive the correction."""
    return evidence(
        baseline="a", targets=("a", "b"), cases=many_cases(20), blocks=4, ratios={"b": 1.2}, noise=0.08, title="many"
    )


def _many_targets() -> Evidence:
    targets = tuple("abcdefg")
    ratios = {"b": 2.0, "c": 3.0, "d": 0.4}
    return evidence(baseline="a", targets=targets, cases=("randread",), blocks=6, ratios=ratios, noise=0.005)


def _fallen(names: Collection[str]) -> Evidence:
    """Three targets of 40 runs each; those of these names fall to a tenth after the 24th."""
    found = evidence(baseline="a", targets=("a", "b", "c"), cases=("randread",), blocks=40, noise=0.005)

    return with_runs(
        found,
        [_times(run, 0.1 if run.target.name in names and run.block >= 24 else 1.0) for run in found.runs],
    )


def _answers() -> list[Situation]:
    """What a report says first."""
    slower = {("b", "randread"): 0.5, ("b", "ping"): 0.5}
    return [
        of_evidence(
            "one test that differs",
            lambda: evidence(baseline="a", targets=("a", "b"), cases=("randread",), blocks=5, ratios={"b": 2.0}),
            "faster than a (randread, IOPS; interval",
            "The verdict is wrong with probability at most 5 %, from 5 blocks",
            never=("has no verdict", "performs the same", "undecided on"),
        ),
        of_evidence(
            "one test that is the same",
            lambda: evidence(baseline="a", targets=("a", "b"), cases=("seqread",), blocks=8, noise=0.005),
            "b performs the same as a (seqread, throughput)",
            never=("faster than", "slower than"),
        ),
        of_evidence(
            "one test without a verdict",
            lambda: evidence(baseline="a", targets=("a", "b"), cases=("seqread",), blocks=1),
            "b against a has no verdict (seqread, throughput)",
            never=("wrong with probability", "performs the same"),
        ),
        of_evidence(
            "two tests that are slower",
            lambda: evidence(baseline="a", targets=("a", "b"), cases=("randread", "seqread"), blocks=5, ratios=slower),
            "b is slower than a on 1 of 2 tests (randread,",
            "the same on 1 (seqread)",
            never=("faster on", "is faster than a on"),
        ),
        of_evidence(
            "targets that fell within the session",
            lambda: _fallen(("b", "c")),
            "b has no single score in randread (IOPS): ",
            "c has no single score in randread (IOPS): ",
            never=("a has no single score", "more such in the table"),
        ),
        of_evidence("targets that did not", lambda: _fallen(()), "performs the same", never=("no single score",)),
        of_evidence("many tests", _many_tests, "not significant after correction", never=("Of 20 targets",)),
        of_evidence(
            "many targets",
            _many_targets,
            "Of 6 targets compared with a, in randread: 2 faster (b, c), 1 slower (d)",
            never=("on most tests",),
        ),
    ]


def _failed() -> Evidence:
    found = studies.pair()
    return with_runs(found, [fail(run) for run in found.runs])


def _without_scores() -> Evidence:
    found = evidence(cases=("randread",), blocks=3)
    return with_runs(found, [run.model_copy(update={"scores": ()}) for run in found.runs])


def _zeros(every: bool) -> Evidence:
    found = evidence(targets=("a",), cases=("randread",), blocks=3)

    def zero(run: Run) -> Run:
        return run.model_copy(update={"scores": tuple(each.model_copy(update={"value": 0.0}) for each in run.scores)})

    return with_runs(found, [zero(run) if every or i == 0 else run for i, run in enumerate(found.runs)])


def _nothing_in_common() -> Evidence:
    found = evidence(targets=("a", "b"), cases=("randread", "seqwrite"), blocks=3)
    cases = {"a": "randread", "b": "seqwrite"}
    return with_runs(found, [run for run in found.runs if cases[run.target.name] == run.plan.case])


def _findings(*messages: str) -> Evidence:
    found = evidence(targets=("a",), cases=("randread",), blocks=3)
    told = [(Finding(guard="steal", level=Level.WARN, message=each, advice="wait"),) for each in messages]
    runs = [run.model_copy(update={"findings": own}) for run, own in zip(found.runs, [*told, (), (), ()], strict=False)]
    return with_runs(found, runs)


def _unjudged() -> Evidence:
    found = evidence(targets=("a",), cases=("randread",), blocks=3)
    return with_runs(found, [run.model_copy(update={"findings": ()}) for run in found.runs])


def _blind() -> Evidence:
    found = evidence(targets=("a",), cases=("randread",), blocks=3)
    silent = Finding(guard="foreign_io", level=Level.OK, message="not checkable: tmpfs keeps its files in memory")
    return with_runs(found, [run.model_copy(update={"findings": (silent,)}) for run in found.runs])


def _alone_imported() -> Evidence:
    sessions, runs = situations.apart()
    return Evidence(sessions[:1], [run for run in runs if run.session_id == sessions[0].id], None, 0.1)


def _half_apart() -> Evidence:
    """A case that two sessions have apart, and one that a session has interleaved."""
    sessions, runs = situations.apart()
    turns = evidence(targets=("old", "new"), cases=("ping",), blocks=4)
    return Evidence([*turns.sessions, *sessions], [*turns.runs, *runs], None, 0.1)


def _series(values: list[float]) -> Evidence:
    """One target whose repeated runs scored these."""
    found = evidence(targets=("a",), cases=("randread",), blocks=len(values))
    runs = [
        run.model_copy(update={"scores": (Score(metric="iops", value=value, unit="1/s", direction="higher"),)})
        for run, value in zip(found.runs, values, strict=True)
    ]
    return with_runs(found, runs)


def _loose(values: list[float]) -> Evidence:
    """The same, imported."""
    found = _series(values)
    session = found.sessions[0]
    study_ = {**session.study, "interleaved": False, "imported": "table"}
    return Evidence([session.model_copy(update={"study": study_})], found.runs, None, 0.1)


def _damaged() -> Evidence:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=2)
    nonsense = {"histograms": {"read": b"nonsense"}}
    return with_runs(found, [run.model_copy(update=nonsense) if run.target.name == "a" else run for run in found.runs])


def _machines() -> Evidence:
    part = {"started_ns": 0, "ended_ns": 10**9, "operations": 5, "operations_per_s": 5.0, "busiest_thread": 0.5}
    found = evidence(targets=("all",), cases=("randread",), blocks=3)
    return with_runs(
        found,
        [run.model_copy(update={"facts": {**run.facts, "parts": {"w1": part, "w2": part}}}) for run in found.runs],
    )


def _wrong() -> list[Situation]:
    session, _ = studies.small().sessions[0], None
    groups = [near(700 if i in (2, 5, 7) else 1000, 1, i)[0] for i in range(12)]
    step = [*near(1000, 8), *near(1500, 8, 2)]
    trend = [1000 + 90.0 * i for i in range(12)]
    wave = [near(1000 * (1 + 0.1 * (i // 5 % 2)), 1, i)[0] for i in range(20)]
    cold = [500.0, *near(1000, 6)]
    fine = ("Nothing was measured", "Nothing valid was measured")
    return [
        of_evidence(
            "no run",
            lambda: Evidence([session], [], None, 0.1),
            "Nothing was measured: no run has ended",
            never=("is faster than", "Nothing valid was measured"),
        ),
        of_evidence(
            "all failed",
            _failed,
            "Nothing valid was measured, so there is no answer: 44 failed",
            "The reasons are under “Cautions”",
            never=("is faster than",),
        ),
        of_evidence("no score", _without_scores, "No valid run has a score", never=("is faster than",)),
        of_evidence(
            "one zero", lambda: _zeros(every=False), "1 run scored zero, left out", never=("only zeros", *fine)
        ),
        of_evidence("only zeros", lambda: _zeros(every=True), "No valid run has a score", never=("stable",)),
        of_evidence(
            "nothing in common",
            _nothing_in_common,
            "No verdict: nothing was compared: the targets have no case in common",
            never=fine,
        ),
        of_evidence(
            "one message of many numbers",
            lambda: _findings("it fell by 10 %", "it fell by 9 %"),
            "It fell by 10 % (numbers of the first such run)",
        ),
        of_evidence("no guard", _unjudged, "No guard has judged any run", never=("No guard found anything",)),
        of_evidence(
            "silent guards", _blind, "could not check everything in 3 of 3 runs", never=("No guard has judged",)
        ),
        of_evidence(
            "one imported set", _alone_imported, "A verdict needs the results of a second target", never=("--on",)
        ),
        of_evidence(
            "some apart", _half_apart, "comparisons, the runs were measured apart", never=("The runs were measured",)
        ),
        of_evidence(
            "a trend, interleaved", lambda: _series(trend), "so a common drift cancels", never=("cannot be told",)
        ),
        of_evidence(
            "a step, interleaved", lambda: _series(step), "so a common step cancels", never=("no common mean",)
        ),
        of_evidence(
            "groups, interleaved",
            lambda: _series(groups),
            "about both groups together, and only where neither contradicts it",
        ),
        of_evidence("a cold run, interleaved", lambda: _series(cold), "the first block counts like any other"),
        of_evidence(
            "waves, interleaved",
            lambda: _series(wave),
            "as long as the ratios of the blocks do not resemble each other",
        ),
        of_evidence("a trend apart", lambda: _loose(trend), "how sure the mean is cannot be told", never=("cancels",)),
        of_evidence("a step apart", lambda: _loose(step), "two levels have no common mean", never=("cancels",)),
        of_evidence("groups apart", lambda: _loose(groups), "a verdict is about the mixture of both groups"),
        of_evidence("a cold run apart", lambda: _loose(cold), "only where the answer is the same without that run"),
        of_evidence("waves apart", lambda: _loose(wave), "the runs are worth fewer than their number"),
        of_evidence("a damaged histogram", _damaged, "could not be read and are missing here"),
        of_evidence("several machines", _machines, "These runs were made by several machines at once"),
        of_evidence("an imported cliff", lambda: imported(rates(cliff())), "the score of the file is neither"),
        of_evidence(
            "an imported flat line",
            lambda: imported(rates([1000.0] * 300)),
            never=("the score of the file is neither",),
        ),
        of_evidence("a warm-up", lambda: imported(rates([300.0] * 60 + [1000.0] * 240)), "warm-up, then steady"),
    ]


def _searches() -> list[Situation]:
    def of(
        name: str, *says: str, never: tuple[str, ...] = (), first: int | None = None, wider: str = "", **made: object
    ) -> Situation:
        def make() -> Evidence:
            session, runs = searched(**made)  # type: ignore[arg-type]
            if wider:
                asked = {**session.study, "load_line": {"parameter": "depth", "range": wider}}
                session = session.model_copy(update={"study": asked})
            return Evidence([session], runs[:first], None, 0.1)

        return Situation("search", name, lambda: of_report(make()), says, never)

    return [
        of(
            "a knee",
            "the knee is at depth 5",
            never=("no knee", "not settled", "saturated", "the client was the limit"),
        ),
        of("a busy client", "the client was the limit, not the place: from depth 5 on", busiest=0.99),
        of("no knee", "no knee up to depth 16: throughput still grows there", knee=100, never=("the knee is at",)),
        of("saturated", "saturated from the start: the knee lies at or below depth 1", knee=0.5, never=("no knee up",)),
        of(
            "unsettled",
            "the knee is not settled: runs up to depth 16",
            knee=100,
            wider="1..64",
            never=("the knee is at",),
        ),
        of("an objective", "holds up to depth 16, the largest load of the range", slo="p99<10s", never=("is not met",)),
        of("an objective out of reach", "is not met, not even at depth 16", slo="p99<1ns", never=("holds up to",)),
        of("just begun", "let the search go on", "is not found yet", slo="p99<10s", first=2, never=("the knee is at",)),
    ]


def _wide() -> Evidence:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=3)
    factors = [0.66, 300.0, 0.002]
    return with_runs(found, [_times(run, factors[run.block]) if run.target.name == "b" else run for run in found.runs])


def _times(run: Run, factor: float) -> Run:
    scores = tuple(each.model_copy(update={"value": each.value * factor}) for each in run.scores)
    return run.model_copy(update={"scores": scores})


def _many(cases: int) -> Evidence:
    return evidence(targets=("a", "b"), cases=many_cases(cases), blocks=2, intervals=2)


def _foreign_study() -> Evidence:
    found = studies.small()
    return Evidence([found.sessions[0].model_copy(update={"study": {"odd": object()}})], found.runs, None, 0.1)


def _many_parts() -> Evidence:
    found = _machines()
    return with_runs(found, [each.model_copy(update={"id": f"{each.id}{i}"}) for each in found.runs for i in range(40)])


def _amounts() -> list[Situation]:
    """What is left out where there is much of it."""
    return [
        of_evidence("an open interval", _wide, "runs into the edge of the chart", never=("Pictures for",)),
        of_evidence(
            "many cases",
            lambda: _many(45),
            "Shown are 40 of 45 cases; the data of all runs are below",
            "Pictures for the first 40 cases",
            "kinds of operations; the table has all",
        ),
        of_evidence(
            "many runs",
            lambda: evidence(cases=("randread",), blocks=101, intervals=1),
            "shows each target's median over neighbouring blocks instead",
        ),
        of_evidence("a study of another program", _foreign_study, "this study holds values that a study file cannot"),
        of_evidence(
            "long series",
            lambda: imported(rates([1000.0 + i % 7 for i in range(30_000)])),
            "each target's median over short spans of time instead",
        ),
        of_evidence("many runs of several machines", _many_parts, "Shown are the first"),
    ]


def _doubts() -> list[Situation]:
    """What speaks against every knee, from the reason as the search gives it."""
    session, runs = searched()
    [each] = Evidence([session], runs, None, 0.1).searched

    def of(name: str, reason: Reason, says: str, never: str) -> Situation:
        return Situation("doubt", name, lambda: [load_line.why(each, reason)], (says,), (never,))

    changing, falling = (
        "in 3 of 9 runs the rate still changed at the end",
        "what the place carries fell during the search",
    )
    bend, level = each.line.bend, each.line.levels[0]
    assert bend is not None
    round_, sharp = replace(bend, sharpness=0.6), replace(bend, sharpness=0.99)
    rounded = "(the bend is round: 60 % at the knee)"
    cut = replace(each, line=replace(each.line, levels=(replace(level, discarded=0.3),)))
    whole = replace(each, line=replace(each.line, levels=(replace(level, discarded=0.0),)))

    def discarded(found: LoadLineSearch) -> list[str]:
        told = load_line._discarded(found)
        return [] if told is None else [told.text]

    def bracket(latency_ratio: float) -> list[str]:
        found = Bracket(low=4.0, high=6.0, latency_ratio=latency_ratio, throughput_ratio=1.02, rounds=3)
        return [load_line._bracket(replace(each, line=replace(each.line, bracket=found))).text]

    asked, answered = searched(slo="p99<10s", answer=4)
    [objective] = Evidence([asked], answered, None, 0.1).searched
    assert objective.line.met is not None
    missed = replace(objective.line.met, met=False, load=4)

    def against(*loads: float) -> list[str]:
        return [load_line._contradicted(objective, "p99 below 10 s", replace(missed, against=loads)).text]

    itself = "but all runs at that load together clearly meet it"
    grown, late = "mean latency grew 1.50× while throughput grew 1.02×", "the schedule was no longer kept"
    cut_words = "some runs began with another rate"
    return [
        Situation("doubt", "a round bend", lambda: [load_line._roundness(round_)], (rounded,)),
        Situation("doubt", "a sharp bend", lambda: [load_line._roundness(sharp)], (), (rounded,)),
        Situation("doubt", "a load that disagrees with itself", lambda: against(4), (itself,), ("depth 4 clearly",)),
        Situation("doubt", "another load that meets it", lambda: against(5), ("depth 5 clearly meets it",), (itself,)),
        Situation("doubt", "a rate that was stored", lambda: discarded(cut), (cut_words,)),
        Situation("doubt", "no rate that was stored", lambda: discarded(whole), (), (cut_words,)),
        Situation("doubt", "a bracket by latency", lambda: bracket(1.5), (grown,), (late,)),
        Situation("doubt", "a bracket by schedule", lambda: bracket(math.inf), (late,), (grown,)),
        of("runs that had not settled", Reason(Doubt.UNSTEADY, runs=3, of=9), changing, falling),
        of("a place that gives less than before", Reason(Doubt.CHANGED, carried=0.4, runs=5, of=9), falling, changing),
        of(
            "runs that scatter",
            Reason(Doubt.SCATTERED, carried=3.0, level=1.0, load=8.0),
            "-fold from each other",
            falling,
        ),
        of(
            "no bend",
            Reason(Doubt.UNBENT, carried=3000.0, level=1000.0, load=8.0, before=1.0),
            "without a bend",
            falling,
        ),
        of(
            "runs that are too short",
            Reason(Doubt.SHORT, lasted_ns=1e9, least_ns=5e9),
            "runs of 1 s measure what a volume had stored",
            falling,
        ),
        of(
            "one load far above",
            Reason(Doubt.UNEVEN, carried=3000.0, level=1000.0, load=8.0),
            "throughput does not level off: depth 8 carried 5,005/s",
            falling,
        ),
        of(
            "a throughput that still rises",
            Reason(Doubt.RISING, carried=3000.0, level=1000.0, load=8.0, before=4.0),
            "throughput still rises at depth 8, the largest load measured: it carried 5,005/s, after 4,004/s",
            falling,
        ),
        of(
            "a schedule that nobody keeps",
            Reason(Doubt.NOT_KEPT, level=8.0, load=4.0),
            "runs did not keep their schedule there, nor at depth 4",
            falling,
        ),
    ]


def _invalid_search() -> Evidence:
    session, runs = searched()
    bad = [
        run.model_copy(update={"status": RunStatus.INVALID, "reason": "stolen"}) if i == 3 else run
        for i, run in enumerate(runs)
    ]
    return Evidence([session], bad, None, 0.1)


def _short_and_long() -> Evidence:
    long, short = (evidence(targets=("a",), cases=("randread",), blocks=3, intervals=n) for n in (300, 2))
    seconds = [
        each.model_copy(update={"start_ns": i * SECOND, "duration_ns": SECOND})
        for i, each in enumerate(long.runs[0].intervals)
    ]
    return with_runs(long, [long.runs[0].model_copy(update={"intervals": tuple(seconds)}), *short.runs[1:]])


def _after_a_burst() -> Evidence:
    sessions, runs = situations.rich()
    burst = Score(metric="iops_burst", value=3000.0, unit="1/s", direction="higher")
    return Evidence(sessions, [run.model_copy(update={"scores": (*run.scores, burst)}) for run in runs], None, 0.1)


def _outage() -> Evidence:
    sessions, runs = situations.databases()
    away = {"outages": [{"start_ns": 3 * SECOND, "duration_ns": SECOND, "back": True}]}
    runs = [run.model_copy(update={"facts": {**run.facts, **away}}) if i == 2 else run for i, run in enumerate(runs)]
    return Evidence(sessions, runs, None, 0.1)


def _many_steps() -> Evidence:
    """A step in every case of one target."""
    found = evidence(targets=("a",), cases=many_cases(10), blocks=16, intervals=2, noise=0.01, block_noise=0.01)
    return with_runs(found, [_times(run, 0.4 if run.block >= 8 else 1.0) for run in found.runs])


def _extended(
    later: float, targets: tuple[str, ...] = ("a", "b"), *, noise: float = 0.01, until: bool = True, old: bool = False
) -> Evidence:
    """A session of 6 blocks with 14 more; in these the last target is `later` times as fast."""
    found = evidence(targets=targets, cases=("randread",), blocks=20, intervals=2, noise=noise, block_noise=0.01)
    (session,) = found.sessions
    changed = ("kernel was 6.1, is 6.5",) if later == 1.0 else ()
    part = Extension(session.started_ns, {"randread": 6}, 14, 3600 * SECOND, until_verdict=until, changed=changed)
    extended = session.model_copy(update={"study": {**session.study, "extensions": [part.to_table()]}})
    runs = [_times(run, later if run.block >= 6 and run.target.name == targets[-1] else 1.0) for run in found.runs]
    return Evidence([session if old else extended], runs, None, 0.1)


def _parts() -> list[Situation]:
    agree, differ = "No part differs from those before it", "something changed meanwhile"
    undecided = "adds blocks until there is a verdict"
    return [
        of_evidence("parts that agree", lambda: _extended(1.0), agree, "kernel was 6.1", never=(differ, undecided)),
        of_evidence(
            "parts that differ",
            lambda: _extended(1.4),
            "between part 2, from block 7 on, and the blocks before",
            differ,
            never=(agree,),
        ),
        of_evidence(
            "one target, faster later", lambda: _extended(1.4, ("a",)), "The score of randread, IOPS,", never=(agree,)
        ),
        of_evidence(
            "one target, as before", lambda: _extended(1.0, ("a",)), "in its scores", never=(differ, undecided)
        ),
        of_evidence("extended by blocks", lambda: _extended(1.0, until=False), "at most", never=(differ,)),
        of_evidence("never extended", lambda: _extended(1.0, old=True), never=(agree, differ, "Parts of")),
        of_evidence(
            "noise that more blocks can tell", lambda: _extended(1.0, noise=0.3, old=True), undecided, never=(agree,)
        ),
        of_evidence("noise that they cannot", lambda: _extended(1.0, noise=3.0, old=True), never=(undecided,)),
    ]


def _imported(not_kept: list[str]) -> Evidence:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=3)
    imported = {"files": ["a.log"], "sha256": ["0f3c"], "not_kept": not_kept}
    return with_runs(
        found, [run.model_copy(update={"facts": {**run.facts, "imported": imported}}) for run in found.runs]
    )


def _rest() -> list[Situation]:
    large = "Too large to be kept with its run: a.log (SHA-256 0f3c). Keep the file"
    return [
        of_evidence("a log that was too large to keep", lambda: _imported(["a.log"]), large),
        of_evidence("a log that was kept", lambda: _imported([]), never=("Too large to be kept",)),
        of_evidence("many steps", _many_steps, "more with a step", "more such in the table", "has no single score in"),
        of_evidence("an outage", _outage, "Old rate again: from the start of the outage"),
        of_evidence("an invalid run in a search", _invalid_search, "1 run not valid and left out; see the warnings"),
        of_evidence(
            "runs too short to judge", _short_and_long, "No run that is long enough to be judged changed its level"
        ),
        Situation(
            "report", "a burst that ended", lambda: of_blocks(cost.build(_after_a_burst())), ("before that a burst of",)
        ),
    ]


def _sections() -> list[Situation]:
    points = [{"position": n << 29, "bytes": 1 << 29, "elapsed_ns": 10**9 * (n + 1)} for n in range(4)]
    more = [{"name": "rate", "value": 3.0, "unit": "1/s", "better": "higher"}]

    def scaled(name: str, ratios: dict[str, float], says: str, never: str) -> Situation:
        return Situation("scaling", name, lambda: of_blocks(scaling.build(volumes(ratios))), (says,), (never,))

    def emulated() -> Evidence:
        found = evidence(targets=("a", "b"), cases=("randread",), blocks=3)
        place = {"kind": "volume", "where": "vol:type=gp2,size=100GiB,fs=xfs"}
        return with_runs(
            found, [run.model_copy(update={"target": run.target.model_copy(update=place)}) for run in found.runs]
        )

    return [
        scaled("grows", {"p200": 0.5, "p400": 1.0, "p1000": 2.5}, "would match standard", "does not grow"),
        scaled(
            "capped", {"p200": 0.5, "p400": 0.75, "p1000": 0.75}, "no number of IOPS reaches standard", "would match"
        ),
        scaled("flat", dict.fromkeys(IOPS, 0.5), "does not grow with IOPS at all", "would match"),
        scaled("no line", {"p200": 0.5, "p400": 4.0, "p1000": 0.4}, "no answer: the scores are", "does not grow"),
        of_evidence(
            "scaling in a report", lambda: volumes({"p200": 0.5, "p400": 1.0, "p1000": 2.5}), "Scaling, test by test"
        ),
        of_evidence(
            "over the capacity",
            lambda: study([phase("read", 84.7, points=points)], workload="zcav"),
            "throughput over the capacity",
        ),
        of_evidence(
            "several phases",
            lambda: study([phase("write", 84.7), phase("read", 99.0)]),
            "Phases, as the originals count",
        ),
        of_evidence(
            "several numbers",
            lambda: study([phase("write", 84.7, scores=[*phase("x", 1.0)["scores"], *more])]),
            "Further numbers",
        ),
        Situation(
            "report",
            "emulated volumes",
            lambda: of_blocks(cost.build(emulated())),
            ("Emulated here, so nothing was charged",),
        ),
    ]


def _altered() -> list[Situation]:
    """Runs that were changed in their store, and those that nobody can tell of."""

    def changed(count: int, change: Callable[[Run], Run]) -> list[str]:
        found = evidence(targets=("a", "b"), cases=("randread",), blocks=5)
        of_b = [run.id for run in found.runs if run.target.name == "b"][:count]
        altered = with_runs(found, [change(run) if run.id in of_b else run for run in found.runs])
        return [*of_report(altered), *(note.text for cell in altered.cells for note in cell.notes)]

    def scores(run: Run) -> Run:
        return with_altered_scores(run, ["iops"])

    def two_scores(run: Run) -> Run:
        return with_altered_scores(run, ["iops", "read_p99"])

    one = ("1 run of b was changed after being stored and does not count", "iops was changed after the run was stored")
    parts = "belongs to the run was changed after it was stored"
    unknown = "stored before checksums"
    return [
        Situation("report", "as measured", lambda: changed(0, scores), (), (*one, parts, unknown)),
        Situation("report", "a changed score", lambda: changed(1, scores), one, (parts, unknown)),
        Situation(
            "report",
            "changed scores",
            lambda: changed(2, two_scores),
            ("2 runs of b were changed after being stored and do not count", "iops, read_p99 were changed"),
            (*one, parts),
        ),
        Situation("report", "a changed part", lambda: changed(1, with_altered_parts), (parts,), (*one, unknown)),
        Situation(
            "report",
            "no checksums",
            lambda: changed(2, without_checksum),
            ("2 runs of 10 were stored before checksums", "nobody can tell"),
            (*one, parts),
        ),
        Situation(
            "report", "one without a checksum", lambda: changed(1, without_checksum), ("1 run of 10 was stored",), one
        ),
        Situation(
            "report",
            "facts of runs without a checksum",
            lambda: [str(without_checksum(evidence(blocks=1).runs[0]).facts["checksum"])],
            (NONE,),
        ),
    ]


SITUATIONS = [
    *_altered(),
    *_usual(),
    *_answers(),
    *_wrong(),
    *_searches(),
    *_sections(),
    *_amounts(),
    *_doubts(),
    *_parts(),
    *_rest(),
]
