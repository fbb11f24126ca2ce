"""Holds the statistics against simulated truth and prints a table: `make validate`.

Every line is an acceptance rule; the exit code is 1 if one fails. Takes a few minutes on one core; `--reps` shortens
it (the bounds then get wider, so fewer than 5,000 may fail by chance), `--only load_lines` runs one part alone.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import beta

from plimsoll.stats.carryover import drift as carryover_drift
from plimsoll.stats.carryover import order_effect
from plimsoll.stats.critical_values import boundaries
from plimsoll.stats.policy import ALPHA, PLAN, looks_until
from plimsoll.stats.products import Allocation, spread_of
from plimsoll.stats.repeats import PatternKind, patterns
from plimsoll.stats.simulation import (
    SCENARIOS,
    TRUE_LEVELS,
    Random,
    Scenario,
    differences,
    extended,
    normal,
    ordered_differences,
    rates,
    scores,
    sequential,
)
from plimsoll.stats.steady import Shape, classify
from plimsoll.stats.summary import split
from plimsoll.stats.unpaired import judge_apart
from plimsoll.stats.verdict import Answer, Verdict

BAND = math.log(1.10)
TRUTHS = (1.0, 1.03, 1.10, 1.20, 2.0)
LARGEST_FALSE = 0.055
LEAST_COVERAGE = 0.95


@dataclass(frozen=True)
class Check:
    rule: str
    subject: str
    found: str
    limit: str
    passed: bool


def upper_bound(hits: int, count: int) -> float:
    """Upper end of the 95 % interval of Clopper & Pearson (1934)."""
    return 1.0 if hits == count else float(beta.ppf(0.975, hits + 1, count - hits))


def lower_bound(hits: int, count: int) -> float:
    """Lower end of the same interval."""
    return 0.0 if hits == 0 else float(beta.ppf(0.025, hits, count - hits + 1))


def false_verdicts(reps: int, random: Random) -> Iterator[Check]:
    """(1) and (2): false verdicts and coverage at the stop, each noise with each true ratio."""
    for scenario in SCENARIOS:
        for truth in TRUTHS:
            outcomes = sequential(differences(scenario, math.log(truth), reps, random), BAND)
            hits = int(outcomes.false(math.log(truth), BAND).sum())
            covered = int(outcomes.covers(math.log(truth)).sum())
            subject = f"{scenario.name}, ratio {truth:.2f}"
            runs = f"{2 * outcomes.blocks.mean():.1f} runs, {outcomes.decided.mean():.0%} decided"
            bound = upper_bound(hits, reps)
            found = f"{hits / reps:.2%} ≤ {bound:.2%}; {runs}"
            yield Check("false verdicts", subject, found, "≤ 5.5 %", bound <= LARGEST_FALSE)
            # The claim fails only if the data contradict it: the upper end of the interval is below 95 %.
            reach = upper_bound(covered, reps)
            yield Check("coverage", subject, f"{covered / reps:.2%}", "≥ 95 %", reach >= LEAST_COVERAGE)


EXTENSIONS = ((6, 20, 72, 160), (12, 32, 108, 240), (20, 48, 160, 360))
"""Where a session ends (quick, standard, publish), and where its extensions do."""


def extensions(reps: int, random: Random) -> Iterator[Check]:
    """(11): the same for sessions that are extended up to three times, each time because they are undecided."""
    count = max(1000, reps // 5)
    noises = (*SCENARIOS, Scenario("normal 40 %", normal(0.40)), Scenario("normal 100 %", normal(1.00)))
    for scenario in noises:
        for truth in (1.0, 1.07, 1.10, 1.20):
            paths = differences(scenario, math.log(truth), count, random, EXTENSIONS[-1][-1])
            for caps in EXTENSIONS:
                outcomes = extended(paths, BAND, caps)
                before = extended(paths, BAND, caps[:1])
                hits = int(outcomes.false(math.log(truth), BAND).sum())
                reach = upper_bound(int(outcomes.covers(math.log(truth)).sum()), count)
                bound = upper_bound(hits, count)
                subject = f"{scenario.name}, ratio {truth:.2f}, from {caps[0]}"
                told = f"{before.decided.mean():.0%} decided, then {outcomes.decided.mean():.0%}"
                found = f"{hits / count:.2%} ≤ {bound:.2%}; covered ≤ {reach:.1%}; {told}"
                # The claim fails only if the data contradict it: the lower end of the interval is above 5 %.
                holds = lower_bound(hits, count) <= ALPHA and reach >= LEAST_COVERAGE
                yield Check("false, extended", subject, found, "≤ 5 %", holds)


def power(reps: int, random: Random) -> Iterator[Check]:
    """(3): clear differences are found within 8 blocks."""
    for deviation in (0.02, 0.05):
        for truth in (1.2, 1.5, 2.0):
            paths = differences(Scenario("", normal(deviation)), math.log(truth), reps, random)
            found = float((sequential(paths, BAND, looks_until(8)).sign == 1).mean())
            subject = f"CV {deviation:.0%}, ratio {truth:.1f}"
            yield Check("found by 8 blocks", subject, f"{found:.2%}", "≥ 99 %", found >= 0.99)


def cost(reps: int, random: Random) -> Iterator[Check]:
    """(4): not more runs than "3 to 12 runs per side until the deviation is below 3 %", on a mix of cases."""
    ours, theirs = [], []
    for deviation in (0.02, 0.05, 0.10):
        for truth in (1.0, 1.03, 1.2, 1.5, 2.0):
            paths = differences(Scenario("", normal(deviation)), math.log(truth), reps, random)
            ours.append(2 * float(sequential(paths, BAND).blocks.mean()))
            theirs.append(2 * dynamic_runs(deviation, reps, random))
    found = f"{np.mean(ours):.1f} against {np.mean(theirs):.1f}"
    yield Check("runs per comparison", "CV 2/5/10 %, ratio 1…2", found, "not more", np.mean(ours) <= np.mean(theirs))


def common_rules(reps: int, random: Random) -> Iterator[str]:
    """For comparison: how often three common rules are wrong in the same noise, at their worst over the ratios."""
    for scenario in SCENARIOS:
        three, bars, peeking = [], 0.0, []
        for truth in TRUTHS:
            log_truth = math.log(truth)
            baseline, other = (np.exp(each) for each in scores(scenario, log_truth, reps, random))
            ours, theirs = baseline[:, :3], other[:, 3:6]
            ratio = np.log(theirs.mean(axis=1) / ours.mean(axis=1))
            if truth != 1.10:  # on the edge of the band this rule is wrong half of the time by construction
                three.append(float(((ratio > BAND) != (log_truth > BAND)).mean() + (ratio < -BAND).mean()))
            if truth == 1.0:
                reach = (ours.std(axis=1, ddof=1) + theirs.std(axis=1, ddof=1)) / math.sqrt(3)
                bars = float((np.abs(theirs.mean(axis=1) - ours.mean(axis=1)) > reach).mean())
            paths = differences(scenario, log_truth, reps, random)
            outcomes = sequential(paths, BAND, boundaries(0.05, 0.05))
            peeking.append(float(outcomes.false(log_truth, BAND).mean()))
        rules = {"3 runs, 10 % rule": max(three), "error bars apart": bars, "p < 5 % at every look": max(peeking)}
        yield "; ".join(f"{rule} {share:.0%}" for rule, share in rules.items())


def dynamic_runs(deviation: float, reps: int, random: Random) -> float:
    """Mean runs per side of the common rule: at least 3, at most 12, until the relative deviation is below 3 %."""
    scores = np.exp(deviation * random.standard_normal((reps, 12)))
    runs = np.full(reps, 12)
    for count in range(11, 2, -1):
        part = scores[:, :count]
        runs[part.std(axis=1, ddof=1) / part.mean(axis=1) < 0.03] = count
    return float(runs.mean())


def carry_over(reps: int, random: Random) -> Iterator[Check]:
    """(5): a difference that drifts because runs act on later ones is reported; a steady one is not."""
    count = min(reps, 2000)
    for slope, rule, limit in ((-0.02, "drift reported", 0.95), (0.0, "no drift: silent", 0.98)):
        paths = differences(Scenario("", normal(0.02)), 0.3, count, random)[:, :12] + slope * np.arange(12)
        seen = float(np.mean([(carryover_drift(path.tolist()) is not None) == (slope != 0) for path in paths]))
        subject = f"CV 2 %, {slope:+.0%} per block, 12 blocks"
        yield Check(rule, subject, f"{seen:.1%}", f"≥ {limit:.0%}", seen >= limit)
    for scenario in SCENARIOS:
        paths, first = (each[:, :12].tolist() for each in ordered_differences(scenario, 0.3, count, random))
        drifts = float(np.mean([carryover_drift(path) is not None for path in paths]))
        orders = float(np.mean([order_effect(*each) is not None for each in zip(paths, first, strict=True)]))
        found = f"drift {drifts:.1%}, order {orders:.1%}"
        yield Check("no carry-over: silent", scenario.name, found, "≤ 2 %", max(drifts, orders) <= 0.02)


def repeats(reps: int, random: Random) -> Iterator[Check]:
    """(8): honest series of 12 runs are seldom called a trend, a step, groups or dependent; broken ones are."""
    count = min(reps, 4000)
    laws = {
        "normal": random.standard_normal,
        "uniform": random.random,
        "Student t, 3 d.f.": partial(random.standard_t, 3),
    }
    for name, law in laws.items():
        found = [{each.kind for each in patterns(row)} for row in np.exp(0.1 * law(size=(count, 12))).tolist()]
        shares = {
            kind: sum(kind in each for each in found) / count for kind in PatternKind if kind is not PatternKind.FIRST
        }
        told = ", ".join(f"{kind.value} {share:.1%}" for kind, share in shares.items())
        yield Check("honest repeats: silent", f"{name}, 12 runs", told, "≤ 1.5 %", max(shares.values()) <= 0.015)
    noise = 0.02 * random.standard_normal((count, 12))
    step, groups = np.where(np.arange(12) < 7, 0.0, -0.2), np.where(random.random((count, 12)) < 0.4, -0.2, 0.0)
    for kind, shape in (
        (PatternKind.STEP, step),
        (PatternKind.TREND, -0.02 * np.arange(12)),
        (PatternKind.GROUPS, groups),
    ):
        seen = [any(each.kind is kind for each in patterns(row)) for row in np.exp(noise + shape).tolist()]
        # Two runs of twelve are too few for a group, and groups may stand in order by chance.
        least = 0.85 if kind is PatternKind.GROUPS else 0.99
        yield Check(
            "seen",
            f"{kind.value} of 20 %, CV 2 %, 12 runs",
            f"{np.mean(seen):.1%}",
            f"≥ {least:.0%}",
            np.mean(seen) >= least,
        )


STEPS = (
    # runs, runs before the step, size of the step, noise, least share given as two levels, least at the very run
    (12, 6, -0.20, 0.02, 0.99, 0.99),
    (12, 9, -0.20, 0.02, 0.99, 0.99),
    (12, 6, -0.10, 0.02, 0.95, 0.90),
    (12, 6, -0.20, 0.05, 0.85, 0.85),
    (8, 4, -0.20, 0.02, 0.95, 0.95),
    (40, 33, -0.97, 0.02, 0.99, 0.99),
    # Twice the noise: it is seen, but where it is can be told to a run or two only.
    (40, 20, -0.10, 0.05, 0.90, 0.55),
)
HONEST = {"normal": (0.025, 0.04), "uniform": (0.025, 0.04), "Student t, 3 d.f.": (0.05, 0.07)}
"""Most honest series with two levels, and with no common score for any reason.

A step and a first run unlike the others are two levels. The prediction interval of the first run is that of a normal
law: heavy tails exceed it more often.
"""


def steps(reps: int, random: Random) -> Iterator[Check]:
    """(10): a step is given as two levels, at the run where it is; an honest series has one score."""
    count = min(reps, 4000)
    for size, before, change, deviation, least, exact in STEPS:
        shape = np.where(np.arange(size) < before, 0.0, math.log1p(change))
        rows = np.exp(deviation * random.standard_normal((count, size)) + shape).tolist()
        found = [split(row) for row in rows]
        told = [each for each in found if each is not None and each.kind is PatternKind.STEP]
        share = len(told) / count
        place = np.abs([each.levels[1].first - before for each in told])
        at, near = float(np.mean(place == 0)), float(np.mean(place <= 1))
        ratio = np.array([each.levels[1].value / each.levels[0].value for each in told])
        bias = float(np.median(ratio)) / (1 + change) - 1
        subject = f"{change:+.0%} after {before} of {size} runs, CV {deviation:.0%}"
        text = f"{share:.1%}; at that run {at:.1%}, within one {near:.1%}; ratio off by {bias:+.1%}"
        limit = f"≥ {least:.0%}; ≥ {exact:.0%}"
        yield Check("two levels", subject, text, limit, share >= least and at >= exact and abs(bias) <= 0.01)
    laws = {
        "normal": random.standard_normal,
        "uniform": random.random,
        "Student t, 3 d.f.": partial(random.standard_t, 3),
    }
    for name, law in laws.items():
        for size in (6, 12, 40):
            kinds = [each.kind for row in np.exp(0.05 * law(size=(count, size))).tolist() if (each := split(row))]
            levels = sum(kind in (PatternKind.STEP, PatternKind.FIRST) for kind in kinds) / count
            stepped = sum(kind is PatternKind.STEP for kind in kinds) / count
            text = f"two levels {levels:.1%} (step {stepped:.1%}), no common score {len(kinds) / count:.1%}"
            most, any_kind = HONEST[name]
            holds = levels <= most and len(kinds) / count <= any_kind
            limit = f"≤ {most:.1%}; ≤ {any_kind:.0%}"
            yield Check("honest: one score", f"{name}, {size} runs", text, limit, holds)


def measured_apart(reps: int, random: Random) -> Iterator[Check]:
    """(9): sets that were not interleaved, with nothing changing between them."""
    count = max(500, reps // 5)
    cases = (("CV 5 %", 0.05, 0.05, False), ("CV 2 and 10 %", 0.02, 0.10, False), ("Student t, 5 %", 0.05, 0.05, True))
    for name, ours, theirs, heavy in cases:
        for sizes in ((3, 3), (5, 5), (3, 10), (10, 10)):
            for truth in (1.0, 1.10):
                share, decided = _apart(count, sizes, truth, (ours, theirs), heavy, 0.0, random)
                bound = upper_bound(round(share * count), count)
                subject = f"{name}, {sizes[0]} and {sizes[1]} runs, ratio {truth:.2f}"
                found = f"{share:.1%} ≤ {bound:.1%}; {decided:.0%} decided"
                yield Check("false, measured apart", subject, found, "≤ 5.5 %", bound <= LARGEST_FALSE)


def drifting_apart(reps: int, random: Random) -> Iterator[str]:
    """For comparison: the same while the machine slows by 15 % over both sets, which nothing can cancel."""
    for size in (3, 5, 10):
        share, _ = _apart(max(500, reps // 5), (size, size), 1.0, (0.02, 0.02), False, math.log(0.85), random)
        yield f"{size} and {size} runs, CV 2 %: {share:.0%} false"


def _apart(
    count: int,
    sizes: tuple[int, int],
    truth: float,
    noise: tuple[float, float],
    heavy: bool,
    drift: float,
    random: Random,
) -> tuple[float, float]:
    """Shares of false and of decided comparisons."""
    wrong = decided = 0
    for _ in range(count):
        drawn = random.standard_t(3, sum(sizes)) / math.sqrt(3) if heavy else random.standard_normal(sum(sizes))
        logs = drawn * np.repeat(noise, sizes) + np.linspace(0, drift, sum(sizes))
        a, b = np.exp(logs[: sizes[0]]), truth * np.exp(logs[sizes[0] :])
        answer = judge_apart(a.tolist(), b.tolist(), band=0.10, direction="higher")[0].answer
        decided += answer is not Answer.UNKNOWN
        wrong += answer is Answer.WORSE or answer is (Answer.BETTER if truth == 1.0 else Answer.SAME)
    return wrong / count, decided / count


def steady_state(reps: int, random: Random) -> Iterator[Check]:
    """(7): 600-s runs; the shape is recognised, and the score is near the truth."""
    count = max(100, min(1000, reps // 20))
    expected = {"flat": (Shape.FLAT,), "burst": (Shape.STEP_DOWN,), "drift": (Shape.DRIFT,), "cycles": (Shape.CYCLIC,)}
    expected |= {"warm-up": (Shape.WARMUP,), "fresh flash": (Shape.DECAY,)}
    for name, shapes in expected.items():
        regimes = [classify(rates(name, 600, random).tolist()) for _ in range(count)]
        named = sum(regime.shape in shapes for regime in regimes) / count
        yield Check("recognised", f"{name}, 600 s", f"{named:.1%}", "≥ 95 %", named >= 0.95)
        accepted = [
            regime.score / 1000 / TRUE_LEVELS[name] - 1 for regime in regimes if regime.accepted and name != "drift"
        ]
        if name == "drift":
            refused = sum(not regime.accepted for regime in regimes) / count
            yield Check("refused", f"{name}, 600 s", f"{refused:.1%}", "≥ 95 %", refused >= 0.95)
        else:
            bias = float(np.quantile(np.abs(accepted), 0.95))
            found = f"95 % within {bias:.1%}, {len(accepted) / count:.0%} accepted"
            yield Check("bias of the score", f"{name}, 600 s", found, "≤ 2.5 %", bias <= 0.025)


def load_lines(reps: int, random: Random) -> Iterator[Check]:  # noqa: ARG001
    """(10): the knee of volumes and queues of known capacity, from searches as `plimsoll knee` makes them."""
    # The simulated places are those of the tests, which are no installed package.
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from benches.load_lines import PLACES, search

    count = max(4, math.ceil(min(reps, 20_000) / 2000))
    everything = []
    for place in PLACES:
        found = [search(place, seed) for seed in range(count)]
        everything += found
        covered, told = sum(each.covers for each in found), sum(each.told for each in found)
        off, runs = max(abs(each.off) for each in found), np.mean([each.runs for each in found])
        words = f"{covered} of {count} covered, {told} told, ≤ {off:.1%} off, {runs:.0f} runs"
        yield Check("knee in its interval", place.name, words, "≥ 80 %", covered >= 0.8 * count)
        level = max(each.knee_above_kept for each in found)
        yield Check("knee was carried", place.name, f"{level:+.1%}", "≤ 0 %", level <= 0)
    covered, missed = sum(each.covers for each in everything), [each for each in everything if not each.covers]
    share = covered / len(everything)
    yield Check("all together", f"{len(everything)} searches", f"{share:.1%}", "≥ 93 %", share >= 0.93)
    # An interval that misses is wide, or none is told; and no search is sure of what is not so.
    sure = [each for each in missed if each.told and each.half_width < 0.10]
    yield Check(
        "sure of a wrong knee", f"{len(missed)} missed", f"{len(sure)}", "≤ 2 %", len(sure) <= 0.02 * len(everything)
    )
    short = [
        search(place, seed, runtime_s=1.0) for place in PLACES if place.name == "gp3, rate" for seed in range(count)
    ]
    told = sum(each.told for each in short)
    yield Check("runs too short: none told", "gp3, rate, runs of 1 s", f"{told} of {count}", "0", told == 0)


def in_slices(reps: int, random: Random) -> Iterator[Check]:
    """(12): false verdicts where targets alternate, in weather of every kind and with what they leave each other."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from benches.slices import PLACES, verdict

    count = max(200, min(2000, reps // 20))
    for place in PLACES:
        for truth in (1.0, 1.10, 1 / 1.10, 1.20):
            ends = [verdict(place, math.log(truth), random) for _ in range(count)]
            hits = sum(_false(end, truth) for end in ends)
            decided = sum(end.decided for end in ends) / count
            found = f"{hits / count:.1%} ≥ {lower_bound(hits, count):.1%}; {decided:.0%} decided, "
            found += f"{np.mean([end.blocks_used for end in ends]):.1f} blocks"
            # The claim fails only if the data contradict it: the lower end of the interval is above 5 %.
            holds = lower_bound(hits, count) <= ALPHA
            yield Check("false, in slices", f"{place.name}, ratio {truth:.2f}", found, "≤ 5 %", holds)


def unguarded(reps: int, random: Random) -> Iterator[str]:
    """For comparison: the same carry-over if nobody looked at whose slice was before."""
    from benches.slices import PLACES, verdict

    count = max(200, reps // 100)
    for place in PLACES:
        if place.lost[0] != place.lost[1]:
            wrong = sum(_false(verdict(place, math.log(1.1), random, after_own=False), 1.1) for _ in range(count))
            yield f"{place.name}, ratio 1.10: {wrong / count:.0%} false"


def allocations(reps: int, random: Random) -> Iterator[Check]:
    """(13): false verdicts on products, and how often the interval of the spread has the true one.

    Whole sessions are drawn: the ratio of an allocation scatters by `between`, its blocks by `within` around that.
    """
    count = max(500, reps // 4)
    for between in (0.0, 0.02, 0.05, 0.10, 0.15):
        for within in (0.02, 0.05, 0.10):
            blocks = 3
            shape = (count, 20)
            noise = within / math.sqrt(blocks)
            for truth in (1.0, 1.10, 1.20):
                paths = math.log(truth) + random.normal(0, between, shape) + random.normal(0, noise, shape)
                outcomes = sequential(paths, BAND)
                hits = int(outcomes.false(math.log(truth), BAND).sum())
                found = f"{hits / count:.2%} ≥ {lower_bound(hits, count):.2%}; {outcomes.decided.mean():.0%} decided, "
                found += f"{outcomes.blocks.mean():.1f} allocations"
                subject = f"between {between:.0%}, within {within:.0%}, ratio {truth:.2f}"
                yield Check("false, products", subject, found, "≤ 5 %", lower_bound(hits, count) <= ALPHA)
    for between in (0.02, 0.05, 0.15):
        for size in (3, 5, 12):
            held = sum(_holds_spread(between, 0.05, size, random) for _ in range(count))
            reach = upper_bound(held, count)
            subject = f"between {between:.0%}, within 5%, {size} allocations"
            yield Check("spread covered", subject, f"{held / count:.1%}", "≥ 95 %", reach >= LEAST_COVERAGE)


def _holds_spread(between: float, within: float, size: int, random: Random) -> bool:
    """Whether the interval of the spread of so many allocations of four blocks has the true spread."""
    drawn = [random.normal(random.normal(0, between), within, 4) for _ in range(size)]
    found = [Allocation((), float(each.mean()), 4, float(each.var(ddof=1))) for each in drawn]
    spread = spread_of(found)
    return spread is not None and spread.low <= between <= spread.high


def _false(end: Verdict, truth: float) -> bool:
    """Whether a verdict says something that is not so; a truth on the edge of the band is not the same."""
    if end.answer is Answer.SAME:
        return abs(math.log(truth)) >= BAND - 1e-12
    return end.ahead * math.log(truth) <= 0 and end.decided


PARTS = (
    false_verdicts,
    extensions,
    power,
    cost,
    carry_over,
    repeats,
    steps,
    measured_apart,
    steady_state,
    load_lines,
    in_slices,
    allocations,
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reps", type=int, default=20_000, help="repetitions per cell")
    parser.add_argument("--seed", type=int, default=20_261_121)
    parser.add_argument("--only", choices=[part.__name__ for part in PARTS], help="one part alone")
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    began, failed, count = time.monotonic(), 0, 0
    for part in (part for part in PARTS if arguments.only in (None, part.__name__)):
        for check in part(arguments.reps, random):
            count += 1
            failed += not check.passed
            state = "ok  " if check.passed else "FAIL"
            print(f"{state} {check.rule:<20} {check.subject:<42} {check.found:<48} {check.limit}", flush=True)
    if arguments.only is None:
        for scenario, line in zip(SCENARIOS, common_rules(arguments.reps, random), strict=True):
            print(f"info {'false by common rules':<20} {scenario.name:<42} {line}", flush=True)
        for line in drifting_apart(arguments.reps, random):
            print(f"info {'drift, measured apart':<20} {line}", flush=True)
        for line in unguarded(arguments.reps, random):
            print(f"info {'slices, unguarded':<20} {line}", flush=True)
    print(f"{count - failed} of {count} hold; looks {[b.blocks for b in PLAN]}; {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
