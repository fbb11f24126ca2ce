"""Searches for a load line, imported loads, and what speaks against a knee."""

from __future__ import annotations

import math
from dataclasses import replace

from tests.golden.sentences.speech import Situation, of_report
from tests.unit.report.imported_sweeps import growing, saturating, sweep
from tests.unit.report.test_load_line_search import searched

from plimsoll.report import Evidence
from plimsoll.report.load_line_search import LoadLineSearch
from plimsoll.report.sections import load_line
from plimsoll.stats.load_line.bracket import Bracket
from plimsoll.stats.load_line.doubts import Doubt, Reason


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


def _sweeps() -> list[Situation]:
    """Imported runs at several loads: the same answers, with advice for who measured them."""
    client = "files do not say how busy the client was"
    slowest = "a percentile is that of the slowest kind"
    own_advice = ("--mode publish", "runtime=", "--stored", "search again", "let the search go on", "fresh run")

    def of(name: str, *says: str, never: tuple[str, ...] = (), **made: object) -> Situation:
        return Situation("search", name, lambda: of_report(sweep(**made)), says, never)  # type: ignore[arg-type]

    return [
        of("imported loads with a knee", "the knee is at depth 8", "at the knee, depth 8: ", client, slowest,
           never=("turns back", *own_advice)),
        of("imported loads without end", "measure higher loads", runs=3, curve=growing,
           never=("turns back", client, *own_advice)),
        of("three imported loads", "it takes runs at 4 loads or more", loads=(1, 2, 4), never=(client, *own_advice)),
        of(
            "an imported objective that holds",
            "p99 below 2 ms holds up to depth 8",
            "in 1 run.",
            slo="p99<2ms",
            never=("the files do not say p99", *own_advice),
        ),
        of(
            "an imported objective that does not",
            "is not met, not even at depth 1",
            slo="p99<1us",
            never=("holds up to", *own_advice),
        ),
        of("no such percentile", "the files do not say p99.9 of all operations", slo="p99.9<1s", never=own_advice),
        of("one imported load", never=("Load line", "the knee", client, "Every load"), loads=(8,), runs=5),
        of("imported, no load", never=("the knee", client, "Every load"), changing="size"),
        of("imported loads that turn back",
           "throughput turns back at depths 32 and 64: 5,514/s at depth 64, after 11,803/s at depth 16",
           curve=lambda load: saturating(load) / (1 if load < 32 else load / 32 + 0.2)),
        of("imported loads with a dip", "throughput turns back at depth 4: 1,500/s at depth 4, after ",
           curve=lambda load: 1_500 if load == 4 else growing(load), noise=1e-9),
        of("imported runs that scatter", "differ", "measure again when the host is quieter", runs=4, noise=0.5,
           never=(client, *own_advice)),
    ]  # fmt: skip


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
    rounded = "(the bend is round: 60 % of it at the knee)"
    cut = replace(each, line=replace(each.line, levels=(replace(level, discarded=0.3),)))
    whole = replace(each, line=replace(each.line, levels=(replace(level, discarded=0.0),)))

    peak = each.line.peak
    assert peak is not None
    half = replace(peak, throughput=replace(peak.throughput, value=peak.throughput.value / 2))
    most, share_of_all = "; 50 % of the 5,0", "100 %"

    def discarded(found: LoadLineSearch) -> list[str]:
        told = load_line._discarded(found)
        return [] if told is None else [told.text]

    def bracket(latency_ratio: float, throughput_ratio: float = 1.02) -> list[str]:
        found = Bracket(low=4.0, high=6.0, latency_ratio=latency_ratio, throughput_ratio=throughput_ratio, rounds=3)
        return [load_line._bracket(replace(each, line=replace(each.line, bracket=found))).text]

    asked, answered = searched(slo="p99<10s", answer=4)
    [objective] = Evidence([asked], answered, None, 0.1).searched
    assert objective.line.met is not None
    missed = replace(objective.line.met, met=False, load=4)

    def against(*loads: float) -> list[str]:
        return [load_line._contradicted(objective, "p99 below 10 s", replace(missed, against=loads)).text]

    itself = "but all runs at that load together clearly meet it"
    grown, late = "mean latency grew 1.50× while throughput grew 1.02×", "the schedule was no longer kept"
    fallen = "mean latency grew 1.50× while throughput fell to 0.85× of that"
    cut_words = "some runs began with another rate"
    return [
        Situation("doubt", "much less at the knee", lambda: [load_line._of_most(each, half)], (most,), (share_of_all,)),
        Situation("doubt", "hardly less at the knee", lambda: [load_line._of_most(each, peak)], (), (most,)),
        Situation("doubt", "a round bend", lambda: [load_line._roundness(round_)], (rounded,)),
        Situation("doubt", "a sharp bend", lambda: [load_line._roundness(sharp)], (), (rounded,)),
        Situation("doubt", "a load that disagrees with itself", lambda: against(4), (itself,), ("depth 4 clearly",)),
        Situation("doubt", "another load that meets it", lambda: against(5), ("depth 5 clearly meets it",), (itself,)),
        Situation("doubt", "a rate that was stored", lambda: discarded(cut), (cut_words,)),
        Situation("doubt", "no rate that was stored", lambda: discarded(whole), (), (cut_words,)),
        Situation("doubt", "a bracket by latency", lambda: bracket(1.5), (grown,), (late, fallen)),
        Situation("doubt", "a bracket where throughput fell", lambda: bracket(1.5, 0.85), (fallen,), (grown,)),
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
            "grows ever more slowly from",
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


SITUATIONS = [*_searches(), *_sweeps(), *_doubts()]
