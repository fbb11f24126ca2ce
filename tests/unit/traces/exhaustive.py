"""The cheapest volume of a family by trying all of them, with token buckets of its own, step by step.

Written from the providers' texts, not from the program: tokens come at a rate up to a depth, I/Os take them and queue
where there are none. Prices and limits are the rules of 2026 for us-east-1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tests.unit.traces.loads import Part

GP2_CREDITS = 5_400_000
STEPS = 50
"""Per second, where seconds differ much."""
LONG_STEP_S = 10.0
"""Loads of minutes and hours are looked at in steps of so many seconds, of which all their parts are multiples."""
AT_ONCE = 500


@dataclass(frozen=True)
class Candidate:
    """One volume: I/Os and MiB per second, each with what lasts and what is stored."""

    words: str
    usd: float
    iops: float
    base_iops: float
    credits: float
    mib: float
    base_mib: float = math.inf
    mib_credits: float = 0.0


def candidates(family: str, gib: int, iops_up_to: int = 20_000) -> list[Candidate]:
    return {"gp2": _gp2, "gp3": _gp3, "io1": _io1, "io2": _io2, "st1": _hdd, "sc1": _hdd}[family](
        family, gib, iops_up_to
    )


def _gp2(_: str, gib: int, __: int) -> list[Candidate]:
    found = []
    for size in range(gib, 16_385):
        base = min(16_000, max(100, 3 * size))
        mib = 128 if size <= 170 else 250
        credits = GP2_CREDITS if base < 3000 else 0
        found.append(Candidate(f"{size} GiB", size * 0.10, max(base, 3000), base, credits, mib))
    return found


def _gp3(_: str, gib: int, iops_up_to: int) -> list[Candidate]:
    found = []
    for iops in range(3000, iops_up_to + 1):
        size = gib if iops == 3000 else max(gib, math.ceil(iops / 500))
        # Throughput matters where IOPS do not: every MiB/s with the fewest IOPS that it is sold with.
        for mib in (125, *range(126, 751)) if iops == 3000 else (125, iops // 4):
            usd = size * 0.08 + (iops - 3000) * 0.005 + (mib - 125) * 0.04
            found.append(Candidate(f"{size} GiB, {iops} IOPS, {mib} MiB/s", usd, iops, iops, 0, mib))
    return found


def _io1(_: str, gib: int, iops_up_to: int) -> list[Candidate]:
    return [
        Candidate(f"{size} GiB, {iops} IOPS", size * 0.125 + iops * 0.065, iops, iops, 0, min(500, iops / 4))
        for iops in range(100, iops_up_to + 1)
        for size in [max(gib, 4, math.ceil(iops / 50))]
    ]


def _io2(_: str, gib: int, iops_up_to: int) -> list[Candidate]:
    return [
        Candidate(f"{size} GiB, {iops} IOPS", size * 0.125 + iops * 0.065, iops, iops, 0, min(4000, iops / 4))
        for iops in range(100, iops_up_to + 1)
        for size in [max(gib, 4, math.ceil(iops / 1000))]
    ]


def _hdd(family: str, gib: int, _: int) -> list[Candidate]:
    base, burst, most, usd, ios = (40, 250, 500, 0.045, 500) if family == "st1" else (12, 80, 250, 0.015, 250)
    found = []
    for size in range(max(125, gib), 16_385):
        tib = size / 1024
        lasting, quick = min(most, base * tib), min(most, burst * tib)
        stored = size * 1024 if quick > lasting else 0
        found.append(Candidate(f"{size} GiB", size * usd, ios, ios, 0, quick, lasting, stored))
    return found


def cheapest(
    family: str, parts: Sequence[Part], *, gib: int, size: int, allowed: float, slack_s: float, iops_up_to: int = 20_000
) -> Candidate | None:
    """The cheapest of all that carry the load turn after turn, with `allowed` of the I/Os later than `slack_s`."""
    # By price: the first that is enough is the cheapest, and nobody has to look at dearer ones.
    every = sorted(candidates(family, gib, iops_up_to), key=lambda each: each.usd)
    hdd = family in ("st1", "sc1")
    unit = 1024 * 1024 if hdd else 256 * 1024
    ios = math.ceil(size / unit)
    mib = (ios * unit if hdd else size) / 2**20
    total = sum(each.seconds * each.per_second for each in parts)
    for first in range(0, len(every), AT_ONCE):
        some = every[first : first + AT_ONCE]
        late = _late(some, parts, ios, mib, slack_s)
        enough = [each for each, count in zip(some, late, strict=True) if count <= allowed * total]
        if enough:
            return enough[0]
    return None


def _late(every: Sequence[Candidate], parts: Sequence[Part], ios: float, mib: float, slack_s: float) -> np.ndarray:
    """I/Os of the second turn that wait longer; infinite where the queue or the credits do not come back."""
    steady = len({each.per_second for each in parts}) == 1
    step = 1.0 if steady else 1 / STEPS
    step = LONG_STEP_S if all(each.seconds % LONG_STEP_S == 0 for each in parts) and not steady else step

    def column(name: str) -> np.ndarray:
        return np.array([getattr(each, name) for each in every], dtype=float)

    rate, base, credits = column("iops"), column("base_iops"), column("credits")
    most, lasting, stored = column("mib"), column("base_mib"), column("mib_credits")
    second, held = rate.copy(), credits.copy()
    second_mib, held_mib = most.copy(), stored.copy()
    queue = np.zeros(len(every))
    late = np.zeros(len(every))
    start = np.zeros(len(every))
    for turn in range(2):
        late[:] = 0
        start = held / np.maximum(credits, 1) + held_mib / np.maximum(stored, 1)
        for part in parts:
            for _ in range(round(part.seconds / step)):
                queue += part.per_second * step
                # What is stored, and what comes in this step.
                can = np.minimum((second + rate * step) / ios, (second_mib + most * step) / mib)
                with_credits = np.where(credits > 0, (held + base * step) / ios, np.inf)
                with_mib = np.where(stored > 0, (held_mib + lasting * step) / mib, np.inf)
                can = np.minimum(can, np.minimum(with_credits, with_mib))
                done = np.minimum(queue, np.maximum(can, 0))
                queue -= done
                second = np.minimum(rate, second + rate * step - done * ios)
                second_mib = np.minimum(most, second_mib + most * step - done * mib)
                held = np.where(credits > 0, np.minimum(credits, held + base * step - done * ios), 0)
                kept = np.minimum(stored, held_mib + np.where(stored > 0, lasting, 0) * step - done * mib)
                held_mib = np.where(stored > 0, kept, 0)
                pace = np.minimum(rate / ios, most / mib)
                late += np.where(queue > slack_s * pace + 1e-6, np.minimum(part.per_second * step, queue), 0)
        if turn == 1:
            end = held / np.maximum(credits, 1) + held_mib / np.maximum(stored, 1)
            late[(queue > rate) | (end < start - 1e-9)] = np.inf
    # For ever: what is stored, seconds or credits, runs out under a mean above what comes in.
    mean = sum(each.seconds * each.per_second for each in parts) / sum(each.seconds for each in parts)
    lasts = np.minimum(np.where(credits > 0, base, rate) / ios, np.where(stored > 0, lasting, most) / mib)
    late[mean > lasts * (1 + 1e-9)] = np.inf
    return late
