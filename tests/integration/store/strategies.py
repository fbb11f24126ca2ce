"""Hypothesis strategies for records that a store must hold, far odder than any real one."""

from __future__ import annotations

import hashlib
from typing import Any, get_args

from hypothesis import strategies as st
from tests.factories import make_histogram

from plimsoll.model import (
    Artefact,
    Direction,
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
    Unit,
)
from plimsoll.store.codec import MAX_COUNT, MAX_INTEGER, MAX_TIME_NS

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
TIMES = st.integers(0, MAX_TIME_NS)
COUNTS = st.integers(0, MAX_COUNT)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
IDS = st.uuids().map(str)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | FLOATS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXTS, JSON, max_size=3)
NUMBERS = st.dictionaries(TEXTS, FLOATS, max_size=2)
HISTOGRAMS = st.dictionaries(
    TEXTS, st.sampled_from([make_histogram(1e5, 1000), make_histogram(3e6, 7), make_histogram(1e9, 1)]), max_size=2
)


def _artefact(name: str, content: bytes) -> Artefact:
    return Artefact(name=name, sha256=hashlib.sha256(content).hexdigest(), content=content)


OPERATIONS = st.builds(
    IntervalOperations, operations=TIMES, bytes=TIMES, p50_ns=TIMES, p99_ns=TIMES, max_ns=st.integers(0, MAX_INTEGER)
)
INTERVALS = st.builds(
    Interval,
    start_ns=TIMES,
    duration_ns=TIMES,
    errors=COUNTS,
    operations=st.dictionaries(TEXTS, OPERATIONS, max_size=2),
    device=NUMBERS,
    cpu=NUMBERS,
)
SCORES = st.builds(
    Score,
    metric=TEXTS,
    value=FLOATS,
    unit=st.sampled_from(get_args(Unit)),
    direction=st.sampled_from(get_args(Direction)),
)
FINDINGS = st.builds(Finding, guard=TEXTS, level=st.sampled_from(Level), message=TEXTS, advice=TEXTS, values=NUMBERS)
TARGETS = st.builds(
    Target, name=TEXTS, kind=TEXTS, where=TEXTS, options=st.dictionaries(TEXTS, TEXTS, max_size=2), facts=OBJECTS
)
PLANS = st.builds(
    Plan, test=TEXTS, case=TEXTS, workload=TEXTS, parameters=OBJECTS, metrics=st.lists(TEXTS, max_size=2).map(tuple)
)
TAGS = st.lists(st.sampled_from(["base", "nvme-1", "größe", "a:b", "50%", "_"]), unique=True).map(
    lambda tags: tuple(sorted(tags))
)
SESSIONS = st.builds(
    Session,
    id=IDS,
    title=TEXTS,
    started_ns=TIMES,
    ended_ns=st.none() | TIMES,
    state=st.sampled_from(SessionState),
    host=OBJECTS,
    study=OBJECTS,
    plimsoll_version=TEXTS,
    policy_version=COUNTS,
    tags=TAGS,
    note=TEXTS,
    edited=st.dictionaries(TEXTS, TIMES, max_size=2),
)
RUNS = st.builds(
    Run,
    id=IDS,
    session_id=IDS,
    block=COUNTS,
    order=COUNTS,
    attempt=COUNTS,
    target=TARGETS,
    plan=PLANS,
    started_ns=TIMES,
    ended_ns=TIMES,
    status=st.sampled_from(RunStatus),
    reason=TEXTS,
    scores=st.lists(SCORES, max_size=3).map(tuple),
    histograms=HISTOGRAMS,
    intervals=st.lists(INTERVALS, max_size=2).map(tuple),
    findings=st.lists(FINDINGS, max_size=2).map(tuple),
    facts=OBJECTS,
    artefacts=st.lists(st.builds(_artefact, TEXTS, st.binary(max_size=20)), max_size=2).map(tuple),
)
