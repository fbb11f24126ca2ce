"""Whole reports: usual ones, and ones that went wrong in a certain way."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.factories import many_cases
from tests.golden.sentences.of_stats import near
from tests.golden.sentences.speech import Situation, of_blocks, of_report
from tests.unit.report import situations, studies
from tests.unit.report.studies import evidence, times, with_runs
from tests.unit.report.test_file_sections import IOPS, phase, study, volumes
from tests.unit.report.test_imported_series import cliff, imported, rates
from tests.unit.report.test_load_line_search import searched
from tests.unit.report.test_sections import fail

from plimsoll.altered import NONE, with_altered_parts, with_altered_scores, without_checksum
from plimsoll.model import RENTED, Finding, Level, Run, RunStatus, Score
from plimsoll.report import Evidence
from plimsoll.report.against import Saved
from plimsoll.report.sections import cost, scaling
from plimsoll.stats.parts import Extension
from plimsoll.units import SECOND


def of_evidence(name: str, make: Callable[[], Evidence], *says: str, never: tuple[str, ...] = ()) -> Situation:
    return Situation("report", name, lambda: of_report(make()), says, never)


def _stored(name: str) -> Evidence:
    sessions, runs = situations.SITUATIONS[name]()
    return Evidence(sessions, runs, None, 0.1)


def against(count: int) -> Evidence:
    """The same targets in two sessions, of which the first is a baseline."""
    names = ("nvme", "gp3")[:count]
    then, now = (evidence(targets=names, cases=("randread",), blocks=4, seed=seed) for seed in (1, 2))
    [first], [second] = then.sessions, now.sessions
    return Evidence([first, second], [*then.runs, *now.runs], None, 0.1, saved=Saved(first, "monday"))


def _usual() -> list[Situation]:
    several = "These runs were made by several machines at once"
    return [
        of_evidence("rich", lambda: _stored("rich"), "slower than gp2", never=(several,)),
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
            "one target", studies.quick, "A verdict needs a second target", never=("faster than", "slower than")
        ),
        of_evidence(
            "two targets against their own",
            lambda: against(2),
            "each target compared with its own in the baseline monday",
            never=("compared with nvme",),
        ),
        of_evidence(
            "one target against its own",
            lambda: against(1),
            "compared with nvme · monday",
            never=("each target compared with its own",),
        ),
        of_evidence("two targets", studies.pair, "gp3 is 3.2× slower than nvme", never=("One target",)),
        of_evidence("five targets", studies.five, "is slower than nvme on 7 of 7 tests", never=("One target",)),
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


def _unjudged(facts: Mapping[str, object] | None = None) -> Evidence:
    found = evidence(targets=("a",), cases=("randread",), blocks=3)
    told = [{"findings": (), "facts": {**run.facts, **(facts or {})}} for run in found.runs]
    return with_runs(found, [run.model_copy(update=each) for run, each in zip(found.runs, told, strict=True)])


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
            never=("faster than", "Nothing valid was measured"),
        ),
        of_evidence(
            "all failed",
            _failed,
            "Nothing valid was measured, so there is no answer: 44 failed",
            "The reasons are under “Cautions”",
            never=("faster than",),
        ),
        of_evidence("no score", _without_scores, "No valid run has a score", never=("faster than",)),
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
            "It fell by 10 % (first occurrence)",
        ),
        of_evidence(
            "no guard", _unjudged, "No guard has checked any run", never=("No guard found anything", "imported:")
        ),
        of_evidence(
            "no guard for other tools",
            lambda: _unjudged({"imported": {"tool": "fio"}}),
            "Nothing watched the machine while these runs were made, because they were imported",
            never=("No guard has checked", "No warnings"),
        ),
        of_evidence(
            "silent guards", _blind, "could not check everything in 3 of 3 runs", never=("No guard has checked",)
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
            "about both groups together, and only where neither contradicts them",
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
        of_evidence(
            "a dip that ended",
            lambda: imported(rates([1000.0] * 200 + [500.0] * 40 + [1000.0] * 160)),
            "away once, then as before",
            "for 40 s, after 3 min 20 s, and came back; the score of the file counts all of it",
            never=("warm-up, then steady", "scored from"),
        ),
        of_evidence(
            "a warm-up",
            lambda: imported(rates([300.0] * 60 + [1000.0] * 240)),
            "warm-up, then steady",
            "rate rose from 300/s to 1,000/s after 60 s; the score of the file counts all of it",
            never=("scored from", "the score of the file is neither"),
        ),
        of_evidence(
            "imported cycles",
            lambda: imported(rates(([500.0] * 20 + [1000.0] * 80) * 6)),
            "between 500/s and 1,000/s; the score of the file counts all of it",
            never=("scored over",),
        ),
    ]


def _wide() -> Evidence:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=3)
    factors = [0.66, 300.0, 0.002]
    return with_runs(found, [times(run, factors[run.block]) if run.target.name == "b" else run for run in found.runs])


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
            "shows each target's median over neighbouring runs instead",
        ),
        of_evidence("a study of another program", _foreign_study, "this study holds values that a study file cannot"),
        of_evidence(
            "long series",
            lambda: imported(rates([1000.0 + i % 7 for i in range(30_000)])),
            "each target's median over short spans of time instead",
        ),
        of_evidence("many runs of several machines", _many_parts, "Shown are the first"),
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
    return with_runs(found, [times(run, 0.4 if run.block >= 8 else 1.0) for run in found.runs])


def _extended(
    later: float, targets: tuple[str, ...] = ("a", "b"), *, noise: float = 0.01, until: bool = True, old: bool = False
) -> Evidence:
    """A session of 6 blocks with 14 more; in these the last target is `later` times as fast."""
    found = evidence(targets=targets, cases=("randread",), blocks=20, intervals=2, noise=noise, block_noise=0.01)
    (session,) = found.sessions
    changed = ("kernel was 6.1, is 6.5",) if later == 1.0 else ()
    part = Extension(session.started_ns, {"randread": 6}, 14, 3600 * SECOND, until_verdict=until, changed=changed)
    extended = session.model_copy(update={"study": {**session.study, "extensions": [part.to_table()]}})
    runs = [times(run, later if run.block >= 6 and run.target.name == targets[-1] else 1.0) for run in found.runs]
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
        of_evidence(
            "noise on rented places",
            lambda: _rented(_extended(1.0, noise=0.3, old=True)),
            "each on a fresh instance and volume: --allocations rents them.",
            never=(undecided,),
        ),
        of_evidence("noise that they cannot", lambda: _extended(1.0, noise=3.0, old=True), never=(undecided,)),
    ]


def _rented(found: Evidence) -> Evidence:
    """The same, of places that were given back."""
    at = {"kind": RENTED, "where": "aws:gp3"}
    runs = [run.model_copy(update={"target": run.target.model_copy(update=at)}) for run in found.runs]
    return Evidence(found.sessions, runs, None, 0.1)


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
        of_evidence("many steps", _many_steps, "more with a step", "more such in the table"),
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
            "an amount that matches, in the answer",
            lambda: volumes({"p200": 0.1, "p400": 0.2, "p1000": 0.5}),
            "To match standard it would take",
            "extrapolated 2",
            never=("too far to say",),
        ),
        of_evidence(
            "no amount that matches, in the answer",
            lambda: volumes({"p200": 0.01, "p400": 0.02, "p1000": 0.05}),
            "too far to say",
            never=("To match standard it would take",),
        ),
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
    *_wrong(),
    *_sections(),
    *_amounts(),
    *_parts(),
    *_rest(),
]
