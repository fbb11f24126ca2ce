"""What a report says first: who is better by how much, who fell on the way, whose score is the best."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tests.factories import many_cases
from tests.golden.sentences.of_reports import of_evidence
from tests.golden.sentences.speech import Situation
from tests.unit.report.studies import evidence, times, with_runs

from plimsoll.model import Finding, Level, Run
from plimsoll.report import Evidence

PAIR = ("randread", "randwrite")


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
        [times(run, 0.1 if run.target.name in names and run.block >= 24 else 1.0) for run in found.runs],
    )


def _answers() -> list[Situation]:
    """What a report says first."""
    slower = {("b", "randread"): 0.5, ("b", "ping"): 0.5}
    return [
        of_evidence(
            "one test that differs",
            lambda: evidence(baseline="a", targets=("a", "b"), cases=("randread",), blocks=5, ratios={"b": 2.0}),
            "faster than a (1.89…2.06) in randread (IOPS)",
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
            lambda: evidence(baseline="a", targets=("a", "b"), cases=("randread", "seqread"), blocks=8, ratios=slower),
            "b is slower than a on 1 of 2 tests (randread,",
            "the same on 1 (seqread)",
            never=("faster on", "faster than a on"),
        ),
        of_evidence(
            "targets that fell within the session",
            lambda: _fallen(("b", "c")),
            "2 targets fell in randread (IOPS): b from 99,642/s to 9,756/s from run 25 of 40 on (after 14 min), c from",
            never=("rose in", "more such in the table", "no single score in"),
        ),
        of_evidence(
            "one target that fell",
            lambda: _fallen(("c",)),
            "c fell in randread (IOPS): from 99,929/s to 9,790/s from run 25 of 40 on (after 13 min)",
            never=("targets fell", "rose in"),
        ),
        of_evidence(
            "a baseline that fell, and others that did not",
            lambda: _fallen(("a",)),
            "b, c did not fall in these 40 runs of randread (98,700/s to 98,900/s throughout, for 21 min); what comes "
            "later was not measured",
            "did not fall",
            "▼ fell",
            never=("targets fell", "no common ratio (randread"),
        ),
        of_evidence(
            "a target that differs beside one that is undecided",
            lambda: evidence(
                baseline="a", targets=tuple("abc"), cases=("randread", "ping"), blocks=3, ratios={"b": 3.0}
            ),
            "c has no verdict against a on 2 of 2 tests (randread, ping)",
            never=("So far", "No certain difference"),
        ),
        of_evidence(
            "one that fell beside steady ones",
            lambda: _fallen(("c",)),
            "a, b did not fall in these 40 runs of randread (98,700/s to 98,900/s throughout, for 22 min)",
        ),
        of_evidence(
            "one target without verdicts",
            lambda: evidence(baseline="a", targets=("a", "b"), cases=("randread", "ping"), blocks=3, noise=0.3),
            "So far, b against a: randread ",
            never=("b has no verdict", "did not fall"),
        ),
        of_evidence(
            "targets that did not", lambda: _fallen(()), "performs the same", never=("fell in", "did not fall")
        ),
        of_evidence(
            "many targets that rose",
            lambda: _multiplied(tuple("bcdef"), 10.0),
            "5 targets rose in randread (IOPS): b from",
            "f from",
            never=("fell in", "no single score in"),
        ),
        of_evidence(
            "more targets that rose than a sentence has room for",
            lambda: _multiplied(tuple("bcdefghijkl"), 10.0),
            "11 targets rose in randread (IOPS): b from",
            "and 2 more",
            never=("fell in",),
        ),
        of_evidence(
            "several targets of which none differs for certain",
            lambda: evidence(baseline="a", targets=tuple("abc"), cases=("randread",), blocks=3, noise=0.3),
            "No certain difference from a: both comparisons are undecided after 3 blocks",
            never=("No difference from", "faster than", "slower than"),
        ),
        of_evidence(
            "several targets that are all the same",
            lambda: evidence(
                baseline="a", targets=tuple("abc"), cases=("seqread",), blocks=8, noise=0.003, block_noise=0.003
            ),
            "No difference from a: both comparisons are the same",
            never=("No certain difference", "faster than", "slower than"),
        ),
        of_evidence(
            "scores that are unstable",
            lambda: evidence(targets=("a",), cases=("randread",), blocks=4, noise=0.4),
            "1 score is unstable: runs differ a lot",
        ),
        of_evidence(
            "scores that are not",
            lambda: evidence(targets=("a",), cases=("seqread",), blocks=4, noise=0.01),
            "a reaches",
            never=("runs differ a lot",),
        ),
        of_evidence(
            "one target with a latency and a rate",
            lambda: evidence(targets=("a",), cases=("ping", "randread"), blocks=3, noise=0.01),
            "a takes ",
            "in ping and reaches ",
        ),
        of_evidence(
            "one target with a rate",
            lambda: evidence(targets=("a",), cases=("randread",), blocks=3, noise=0.01),
            "a reaches ",
            never=("a takes ",),
        ),
        of_evidence(
            "targets in two groups",
            _in_groups,
            "2 targets have no single score in randread (IOPS): a ",
            "(two groups)",
            never=("fell in", "rose in"),
        ),
        of_evidence(
            "one target in two groups",
            lambda: _in_groups("a"),
            "a has no single score in randread (IOPS): ",
            never=("rose",),
        ),
        of_evidence(
            "many tests", _many_tests, "but neither is significant after the correction", never=("Of 20 targets",)
        ),
        of_evidence(
            "a difference that the correction takes",
            lambda: evidence(baseline="a", targets=("a", "b"), cases=PAIR, blocks=4, ratios={"b": 1.2}, noise=0.08),
            "b seems faster than a on",
            "×, but not significant after the correction for 4 comparisons)",
            "A ratio after “?”: not significant after correction.",
            "by itself is wrong with probability at most 5 %",
            never=("1 not significant", "b is faster than a on"),
        ),
        of_evidence(
            "one difference of two that the correction takes",
            lambda: evidence(baseline="a", targets=("a", "b"), cases=PAIR, blocks=4, ratios={"b": 2.0}, noise=0.1),
            "b is faster than a on 2 of 2 tests",
            "×, but 1 is not significant after the correction for 4 comparisons)",
            never=("×, but not significant", "b seems faster than a on"),
        ),
        of_evidence(
            "one test whose difference the correction takes",
            lambda: evidence(
                baseline="a", targets=("a", "b"), cases=("randread",), blocks=4, ratios={"b": 1.2}, noise=0.06, seed=2
            ),
            "in randread (IOPS), but not significant after the correction for 2 comparisons",
            never=("b seems faster than a on",),
        ),
        of_evidence(
            "one test that is the same until the correction",
            lambda: evidence(baseline="a", targets=tuple("abc"), cases=("seqread",), blocks=5, noise=0.05, seed=1),
            "comparisons are the same, but not significant after the correction for 2 comparisons, 1 undecided",
            "c seems to perform the same as a (seqread, throughput).",
            "? same",
            never=("c performs the same as a", "after “?”:"),
        ),
        of_evidence(
            "tests that are the same, of which the correction takes one",
            lambda: evidence(baseline="a", targets=("a", "b"), cases=("randread", "seqread"), blocks=5, noise=0.03),
            "No difference from a: both comparisons are the same, but 1 is not significant after the correction for 3 "
            "comparisons",
            never=("seems to perform the same",),
        ),
        of_evidence(
            "one target that is the same on tests of which the correction leaves none",
            lambda: evidence(baseline="a", targets=tuple("abc"), cases=("randread", "seqread"), blocks=5, noise=0.03),
            "2 of 4 comparisons are the same, but neither is significant after the correction for 6 comparisons",
            "b seems to perform the same as a on 2 of 2 tests (randread, seqread).",
            never=("b performs the same",),
        ),
        of_evidence(
            "many targets that are the same, of which the correction takes some",
            lambda: evidence(baseline="a", targets=tuple("abcdefg"), cases=("seqread",), blocks=5, noise=0.04),
            "4 of 6 comparisons are the same, but 2 are not significant after the correction for 6 comparisons, 2 "
            "undecided after 5 blocks",
            "in seqread: 4 the same (b, d, f and 1 more), 2 undecided (c, e).",
            "“Same” after “?”: not significant after correction.",
        ),
        of_evidence(
            "one disk at two depths",
            lambda: _set({"deep": {"depth": 64}, "alone": {"depth": 16}}),
            "deep and alone are one place with other settings: depth 64 against 16.",
            never=("in randread,", "not set"),
        ),
        of_evidence(
            "two disks at two depths",
            lambda: _set({"deep": {"depth": 64}, "alone": {"depth": 16}}, where="/mnt/{}"),
            "deep",
            never=("are one place",),
        ),
        of_evidence(
            "one disk with the same settings twice",
            lambda: _set({"deep": {}, "alone": {}}),
            "deep",
            never=("are one place",),
        ),
        of_evidence(
            "one disk with three settings, in one of two tests",
            lambda: _set(
                {"a": {"depth": 1}, "b": {"depth": 2, "threads": 2}, "c": {"depth": 4}},
                ("randread", "seqread"),
                "seqread",
            ),
            "a, b and c are one place with other settings: depth 1, 2 and 4, threads 1, 2 and 1, in seqread.",
        ),
        of_evidence(
            "one disk with as many settings as no sentence holds",
            lambda: _set({f"t{depth}": {"depth": depth} for depth in range(1, 9)}),
            "8 targets are one place with other settings: depth of 8 values.",
            never=("t1 and",),
        ),
        of_evidence(
            "one disk whose settings differ from test to test",
            _set_by_test,
            "deep and alone are one place with other settings: depth 64 against 16 in randread; depth 32 against 16 in "
            "seqread.",
        ),
        of_evidence(
            "processors and a disk that others used in most runs",
            lambda: _disturbed(client_cpu=8, foreign_io=4),
            "Do not rely on the scores: other programs kept the processors busy in all 8 runs and used the disk in "
            "4 of 8 runs. The verdicts allow for such noise",
            never=("Do not rely on this", "Repeat it on a quiet machine"),
        ),
        of_evidence(
            "one target on a machine that others used in most runs",
            lambda: _disturbed(targets=("a",), client_cpu=4),
            "Do not rely on this: other programs kept the processors busy in all 4 runs. Repeat it on a quiet machine",
            never=("Do not rely on the scores", "The verdicts allow for such noise"),
        ),
        of_evidence(
            "sets measured apart, both on a machine that others used",
            lambda: _apart(_disturbed(client_cpu=8)),
            "Do not rely on this: other programs kept the processors busy in all 8 runs. Repeat it on a quiet machine",
            never=("Do not rely on the scores", "The verdicts allow for such noise"),
        ),
        of_evidence(
            "processors that the test itself kept busy",
            lambda: _disturbed("the test kept all processors busy 100 % of the time", client_cpu=8),
            "The test kept all processors busy",
            never=("Do not rely on",),
        ),
        of_evidence(
            "a disk that others used in few runs",
            lambda: _disturbed(foreign_io=4),
            "Other programs kept all processors busy",
            never=("Do not rely on",),
        ),
        of_evidence(
            "a virtual machine that got too little of its host",
            lambda: _disturbed(steal=5, db_foreign=6),
            "other programs worked on the machine in 6 of 8 runs, and other guests of the host took processor time "
            "from the virtual machine in 5 of 8 runs",
            never=("used the disk in",),
        ),
        of_evidence(
            "many targets",
            _many_targets,
            "Of 6 targets compared with a, in randread: 2 faster (b, c), 1 slower (d)",
            "The best score is that of c; verdicts are against a only",
            never=("on most tests",),
        ),
        of_evidence(
            "several targets on several tests",
            _several,
            "Best scores on the 3 tests that differ: c on 2, b on 1; verdicts are against a only",
            never=("The best score is that of",),
        ),
        of_evidence(
            "several targets alike",
            lambda: evidence(baseline="a", targets=tuple("abc"), cases=("seqread",), blocks=8, noise=0.005),
            "performs the same",
            never=("best score", "Best scores"),
        ),
    ]


def _apart(found: Evidence) -> Evidence:
    """The same runs as two sets that were not interleaved: no run of one has the number of one of the other."""
    [session] = found.sessions
    study = {**session.study, "interleaved": False}
    runs = [run.model_copy(update={"block": run.block + 100 * (run.target.name == "b")}) for run in found.runs]
    return Evidence([session.model_copy(update={"study": study})], runs, found.baseline, found.band)


def _set(
    settings: Mapping[str, Mapping[str, int]],
    cases: Sequence[str] = ("randread",),
    only: str = "",
    where: str = "/mnt/disk",
) -> Evidence:
    """Targets with these parameters, in one test or in all, at one place or at places of their own."""
    found = evidence(targets=tuple(settings), cases=cases, blocks=4, ratios=dict.fromkeys(settings, 1.5))

    def placed(run: Run) -> Run:
        own = settings[run.target.name] if only in ("", run.plan.case) else {}
        plan = run.plan.having({**run.plan.parameters, **own})
        target = run.target.model_copy(update={"where": where.format(run.target.name)})
        return run.model_copy(update={"plan": plan, "target": target})

    return with_runs(found, [placed(run) for run in found.runs])


def _set_by_test() -> Evidence:
    found = _set({"deep": {"depth": 64}, "alone": {"depth": 16}}, ("randread", "seqread"))

    def changed(run: Run) -> Run:
        if (run.plan.case, run.target.name) != ("seqread", "deep"):
            return run
        return run.model_copy(update={"plan": run.plan.having({**run.plan.parameters, "depth": 32})})

    return with_runs(found, [changed(run) for run in found.runs])


def _disturbed(
    message: str = "other programs kept all processors busy 100 % of the time",
    targets: tuple[str, ...] = ("a", "b"),
    **runs: int,
) -> Evidence:
    """Targets in 4 blocks; so many of the runs, 8 of two targets, with a warning of each of these guards."""
    found = evidence(baseline="a", targets=targets, cases=("randread",), blocks=4, ratios={"b": 2.0}, noise=0.005)
    told = {guard: Finding(guard=guard, level=Level.WARN, message=message, advice="wait") for guard in runs}

    def warned(place: int, run: Run) -> Run:
        return run.model_copy(update={"findings": tuple(told[guard] for guard in runs if place < runs[guard])})

    return with_runs(found, [warned(place, run) for place, run in enumerate(found.runs)])


def _several() -> Evidence:
    """Two targets that are the best in different tests; in the last test nobody differs."""
    ratios = {("b", "randread"): 2.0, ("c", "randread"): 3.0, ("c", "seqread"): 2.0, ("b", "ping"): 2.0}
    cases = ("randread", "seqread", "ping", "commit")
    return evidence(baseline="a", targets=tuple("abc"), cases=cases, blocks=6, ratios=ratios, noise=0.005)


def _in_groups(names: str = "ab") -> Evidence:
    """Runs that are either fast or slow, in no order."""
    found = evidence(baseline="a", targets=("a", "b"), cases=("randread",), blocks=24, noise=0.005)
    slow = {2, 3, 5, 8, 11, 12, 16, 17, 21}
    return _with(found, [run for run in found.runs if run.target.name in names and run.block in slow], 0.5)


def _multiplied(names: Sequence[str], factor: float) -> Evidence:
    """Targets of which these are so many times as fast after the 24th run."""
    found = evidence(baseline="a", targets=("a", *names), cases=("randread",), blocks=40, noise=0.005)
    return _with(found, [run for run in found.runs if run.target.name in names and run.block >= 24], factor)


def _with(found: Evidence, runs: Sequence[Run], factor: float) -> Evidence:
    chosen = {run.id for run in runs}
    return with_runs(found, [times(run, factor) if run.id in chosen else run for run in found.runs])


SITUATIONS = _answers()
