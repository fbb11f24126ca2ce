"""Synthetic sessions and runs with known true ratios, for tests of everything that reads results.

`make_study` draws what a real session would have stored: interleaved blocks, noise per run and per block, latency
histograms, intervals, findings, failed and invalid runs. The same seed gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import math
import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

from hdrh.histogram import HdrHistogram

from plimsoll import parameters
from plimsoll.model import (
    Artefact,
    Finding,
    Interval,
    IntervalOperations,
    Level,
    Plan,
    Run,
    RunStatus,
    Score,
    Session,
    SessionState,
    Target,
)
from plimsoll.units import SECOND

START_NS = 1_795_000_000 * SECOND
HIGHEST_LATENCY_NS = 3_600 * SECOND
LATENCY_SIGMA = 0.35
RUNTIME_NS = 10 * SECOND


@dataclass(frozen=True)
class Shape:
    """What a test does on the first target: share of each operation kind, and mean latency at the plan's depth."""

    shares: Mapping[str, float]
    latency_ns: float
    values: Mapping[str, Any]
    metrics: tuple[str, ...]


SHAPES = {
    "ping": Shape({"read": 1}, 90e3, {"mode": "randread", "depth": 1}, ("read_p50", "read_p99", "iops")),
    "randread": Shape({"read": 1}, 320e3, {"mode": "randread", "depth": 32}, ("iops", "read_p99")),
    "randwrite": Shape({"write": 1}, 640e3, {"mode": "randwrite", "depth": 32}, ("iops", "write_p99")),
    "randrw": Shape(
        {"read": 0.75, "write": 0.25},
        900e3,
        {"mode": "randrw", "depth": 64, "read_share": 0.75},
        ("iops", "read_p99", "write_p99"),
    ),
    "seqread": Shape({"read": 1}, 4e6, {"mode": "read", "depth": 8, "block_size": "1MiB"}, ("throughput",)),
    "seqwrite": Shape({"write": 1}, 6e6, {"mode": "write", "depth": 8, "block_size": "1MiB"}, ("throughput",)),
    "commit": Shape(
        {"write": 1, "sync": 1, "commit": 1},
        1.2e6,
        {"engine": "psync", "mode": "write", "sync": "fdatasync"},
        ("commit_rate", "commit_p99"),
    ),
}


def make_id(rng: random.Random, time_ns: int) -> str:
    """A UUIDv7 of `time_ns` with seeded random bits."""
    bits = (time_ns // 1_000_000) << 80 | 7 << 76 | rng.getrandbits(12) << 64 | 2 << 62 | rng.getrandbits(62)
    return str(uuid.UUID(int=bits))


def make_histogram(mean_ns: float, operations: int) -> bytes:
    """HdrHistogram V2 (deflate) of `operations` log-normal latencies around `mean_ns` with a slow tail."""
    return _histogram(mean_ns, operations)[0]


@lru_cache(maxsize=4096)
def _histogram(mean_ns: float, operations: int) -> tuple[bytes, int, int, int, int]:
    """The bytes, p50, p99, p99.9 and maximum."""
    median = mean_ns * math.exp(-(LATENCY_SIGMA**2) / 2)
    histogram = HdrHistogram(1, HIGHEST_LATENCY_NS, 3)
    edges = [i / 100 for i in range(100)] + [0.992, 0.995, 0.998, 0.999, 0.9995, 0.9999, 1]
    given = 0
    reached: dict[int, int] = {}
    for low, high in itertools.pairwise(edges):
        count = round(operations * high) - given
        middle = (low + high) / 2
        tail = 1 + 4 * max(0.0, middle - 0.99) / 0.01
        value = round(median * math.exp(NormalDist(0, LATENCY_SIGMA).inv_cdf(middle)) * tail)
        given += count
        if count:
            histogram.record_value(value, count)
            reached[given] = histogram.get_highest_equivalent_value(value)
    # Asking the histogram itself takes 10 ms each, in pure Python.
    p50, p99, p999 = (next(v for n, v in reached.items() if n >= operations * share) for share in (0.5, 0.99, 0.999))
    return base64.b64decode(histogram.encode()), p50, p99, p999, histogram.get_max_value()


def make_plan(case: str) -> Plan:
    """The plan of a case such as `randread` or `randread depth=1`; the test must be one of SHAPES."""
    test, *words = case.split()
    given = dict(word.split("=", 1) for word in words)
    values = parameters.read_values("io", {"block_size": "4KiB", **SHAPES[test].values, **given}, case)
    filled = {**parameters.defaults("io"), "runtime": RUNTIME_NS, **values}
    return Plan(test=test, case=case, workload="io", parameters=filled, metrics=SHAPES[test].metrics)


def make_target(name: str) -> Target:
    """A directory target with the facts of an NVMe drive."""
    return Target(
        name=name,
        where=f"/mnt/{name}",
        facts={
            "filesystem": "ext4",
            "mount_options": ["rw", "noatime"],
            "device": f"nvme-{name}",
            "model": f"Synthetic {name}",
            "logical_block_bytes": 512,
            "size_bytes": 2**40,
            "free_bytes": 2**39,
            "rotational": False,
        },
    )


def make_session(
    rng: random.Random, title: str, targets: Sequence[str], cases: Sequence[str], **fields: Any
) -> Session:
    """A finished session; `fields` replace the defaults."""
    started_ns = fields.pop("started_ns", START_NS)
    values: dict[str, Any] = {
        "id": make_id(rng, started_ns),
        "title": title,
        "started_ns": started_ns,
        "ended_ns": started_ns + 60 * SECOND,
        "state": SessionState.DONE,
        "host": {
            "name": "bench-1",
            "kernel": "6.12.0",
            "cpu_model": "Synthetic",
            "cpus": 8,
            "ram_bytes": 2**35,
        },
        "study": {
            "title": title,
            "mode": "standard",
            "band": "10%",
            "seed": 1,
            "targets": [{"name": name, "where": f"/mnt/{name}"} for name in targets],
            "tests": [
                {"test": test, **dict(word.split("=", 1) for word in words)} for test, *words in map(str.split, cases)
            ],
        },
        "plimsoll_version": "0.1.0",
    }
    return Session(**values | fields)


def _operations(shape: Shape, ratio: float, depth: int) -> tuple[dict[str, int], dict[str, float]]:
    """Operations in RUNTIME_NS and mean latency per kind, so that Little's law holds at `depth`.

    The ratio is rounded to about 2 %, so that thousands of runs share some hundred histograms.
    """
    mean_ns = shape.latency_ns * math.exp(-round(math.log(ratio) * 50) / 50)
    parts = {"write": 0.1, "sync": 0.9, "commit": 1.0} if "commit" in shape.shares else dict.fromkeys(shape.shares, 1.0)
    total = depth * RUNTIME_NS / mean_ns
    counts = {kind: max(1, round(total * share)) for kind, share in shape.shares.items()}
    return counts, {kind: mean_ns * part for kind, part in parts.items()}


def _scores(
    plan: Plan, exact_total: float, counts: Mapping[str, int], percentiles: Mapping[str, Sequence[float]]
) -> tuple[Score, ...]:
    scores = []
    block_bytes = plan.parameters["block_size"][0][0]
    if "commit" in counts:
        scores.append(Score(metric="commit_rate", value=exact_total, unit="1/s", direction="higher"))
    else:
        scores.append(Score(metric="iops", value=exact_total, unit="1/s", direction="higher"))
        scores.append(Score(metric="throughput", value=exact_total * block_bytes, unit="B/s", direction="higher"))
    for kind, values in percentiles.items():
        for name, value in zip(("p50", "p99", "p999"), values, strict=True):
            scores.append(Score(metric=f"{kind}_{name}", value=value, unit="ns", direction="lower"))
    return tuple(scores)


def _intervals(
    rng: random.Random, number: int, counts: Mapping[str, int], block_bytes: int, latencies: Mapping[str, Sequence[int]]
) -> tuple[Interval, ...]:
    intervals = []
    duration_ns = RUNTIME_NS // max(1, number)
    for index in range(number):
        operations = {}
        for kind, count in counts.items():
            wobble = rng.gauss(1, 0.02)
            done = round(count / number * wobble)
            moved = 0 if kind == "sync" else done * block_bytes
            p50, p99, _, top = latencies[kind]
            operations[kind] = IntervalOperations(
                operations=done, bytes=moved, p50_ns=round(p50 / wobble), p99_ns=round(p99 / wobble), max_ns=top
            )
        read, write = (float(operations[kind].bytes) if kind in operations else 0.0 for kind in ("read", "write"))
        intervals.append(
            Interval(
                start_ns=index * duration_ns,
                duration_ns=duration_ns,
                errors=0,
                operations=operations,
                device={"read_bytes": read, "write_bytes": write},
                cpu={"busy": 0.1 + 0.05 * rng.random(), "steal": 0.0},
            )
        )
    return tuple(intervals)


def make_run(
    rng: random.Random,
    session_id: str,
    target: Target,
    plan: Plan,
    *,
    ratio: float = 1.0,
    status: RunStatus = RunStatus.OK,
    intervals: int = 10,
    artefacts: bool = False,
    **fields: Any,
) -> Run:
    """One run that is `ratio` times as fast as the shape of its test; `fields` are block, order, started_ns, ...."""
    shape = SHAPES[plan.test]
    started_ns = fields.pop("started_ns", START_NS)
    base: dict[str, Any] = {
        "id": make_id(rng, started_ns),
        "session_id": session_id,
        "block": 0,
        "order": 0,
        "target": target,
        "plan": plan,
        "started_ns": started_ns,
        "ended_ns": started_ns + RUNTIME_NS,
        "status": status,
    }
    if status in (RunStatus.FAILED, RunStatus.SKIPPED):
        reason = "read at offset 40960 failed: Input/output error" if status is RunStatus.FAILED else "no free space"
        return Run(**base | {"reason": reason, "ended_ns": started_ns + SECOND} | fields)
    depth = plan.parameters["depth"]
    counts, means = _operations(shape, ratio, depth)
    made = {kind: _histogram(means[kind], count) for kind, count in counts.items()}
    rate = depth * SECOND / (shape.latency_ns / ratio)
    latency_noise = rng.gauss(0, 0.03)
    percentiles = {kind: [value * math.exp(latency_noise) for value in made[kind][1:4]] for kind in made}
    block_bytes = plan.parameters["block_size"][0][0]
    findings = [Finding(guard="device", level=Level.OK, message="the device moved what the test moved")]
    if status is RunStatus.INVALID:
        findings.append(
            Finding(
                guard="page_cache",
                level=Level.INVALID,
                message="83 % of the reads came from the page cache",
                advice="use direct I/O or a larger file",
                values={"hit_share": 0.83},
            )
        )
    elif rng.random() < 0.1:
        findings.append(Finding(guard="steal", level=Level.WARN, message="the host took 3 % of the CPU time"))
    content = b'{"job": "synthetic"}'
    return Run(
        **base
        | {
            "reason": findings[-1].message if status is RunStatus.INVALID else "",
            "scores": _scores(plan, rate, counts, percentiles),
            "histograms": {kind: values[0] for kind, values in made.items()},
            "intervals": _intervals(rng, intervals, counts, block_bytes, {k: v[1:] for k, v in made.items()}),
            "findings": tuple(findings),
            "facts": {
                "operations": {
                    kind: {"operations": count, "bytes": 0 if kind == "sync" else count * block_bytes, "errors": 0}
                    for kind, count in counts.items()
                },
                "cpu": {
                    "user_ns": SECOND // 10,
                    "system_ns": SECOND // 2,
                    "busiest_thread": 0.06,
                    "all_processors": 0.03,
                },
                "mean_in_flight": float(depth),
                "clock": "tsc",
            },
            "artefacts": (Artefact(name="job.json", sha256=hashlib.sha256(content).hexdigest(), content=content),)
            if artefacts
            else (),
        }
        | fields
    )


Ratios = Mapping[str, float] | Mapping[tuple[str, str], float]


def make_study(
    targets: Sequence[str] = ("a", "b"),
    cases: Sequence[str] = ("randread",),
    blocks: int = 4,
    ratios: Ratios | None = None,
    seed: int = 0,
    *,
    noise: float = 0.03,
    block_noise: float = 0.05,
    failed: int = 0,
    invalid: int = 0,
    intervals: int = 10,
    artefacts: bool = False,
    title: str = "synthetic study",
    **session_fields: Any,
) -> tuple[Session, list[Run]]:
    """A finished session and its runs in the order in which they ran.

    `ratios` is the true speed of a target against the shape of the test, by target or by (target, case); 1 where
    absent. `noise` and `block_noise` are standard deviations of ln(speed) per run and per block (common to all
    targets of a block). `failed` runs have no scores; `invalid` runs are followed by one repetition of their block.
    """
    rng = random.Random(f"{seed} {title}")
    session = make_session(rng, title, targets, cases, **session_fields)
    places = {name: make_target(name) for name in targets}
    plans = {case: make_plan(case) for case in cases}
    slots = [(block, case, name) for block in range(blocks) for case in cases for name in targets]
    chosen = rng.sample(slots, min(failed + invalid, len(slots)))
    broken = dict.fromkeys(chosen[:failed], RunStatus.FAILED) | dict.fromkeys(chosen[failed:], RunStatus.INVALID)
    now_ns = session.started_ns
    runs: list[Run] = []

    def add_block(block: int, case: str, attempt: int) -> None:
        nonlocal now_ns
        shift = rng.gauss(0, block_noise)
        for order, name in enumerate(rng.sample(list(targets), len(targets))):
            known: Mapping[Any, float] = ratios or {}
            true = known.get((name, case), known.get(name, 1.0))
            status = RunStatus.OK if attempt else broken.get((block, case, name), RunStatus.OK)
            speed = true * math.exp(shift + rng.gauss(0, noise))
            place: dict[str, Any] = {"block": block, "order": order, "attempt": attempt, "started_ns": now_ns}
            how: dict[str, Any] = {"ratio": speed, "status": status, "intervals": intervals, "artefacts": artefacts}
            runs.append(make_run(rng, session.id, places[name], plans[case], **how, **place))
            now_ns = runs[-1].ended_ns + SECOND

    for block in range(blocks):
        for case in cases:
            add_block(block, case, 0)
            if any(broken.get((block, case, name)) is RunStatus.INVALID for name in targets):
                add_block(block, case, 1)
    if session.ended_ns is not None and "ended_ns" not in session_fields:
        session = session.model_copy(update={"ended_ns": now_ns})
    return session, runs


def many_cases(number: int) -> tuple[str, ...]:
    """`number` different cases: the seven tests, then the same with other depths and sizes."""
    tests = list(SHAPES)
    return tuple(
        tests[index % len(tests)] + (f" size={256 * (index // len(tests))}MiB" if index >= len(tests) else "")
        for index in range(number)
    )


__all__ = [
    "SHAPES",
    "START_NS",
    "make_histogram",
    "make_id",
    "make_plan",
    "make_run",
    "make_session",
    "make_study",
    "make_target",
    "many_cases",
]
