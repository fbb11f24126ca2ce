"""The records that everything passes around. Frozen; base units only (ns, bytes, operations, 1/s).

A session has runs; a run is one execution of one plan on one target. Statistics, store and report read these and
nothing else. Times are ns since 1970 (UTC). Maps keyed by *kind* use the operation kinds read, write, trim, sync,
commit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field

RENTED = "rented"
"""Kind of a target that is rented for the session, and the fact of its place that says what was rented for it."""
BASELINE_TAG = "baseline:"
"""What tags begin with that make a session the baseline of that name."""
POLICY_VERSION = 4
"""Version of the rules that turn runs into verdicts; kept with each session so that it can be recomputed."""

Direction = Literal["higher", "lower"]
Unit = Literal["1/s", "B/s", "ns", "B", "1"]
Values = TypeVar("Values")


class Record(BaseModel):
    """A frozen record that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings", defer_build=True)


class Level(StrEnum):
    """What a guard says of a run."""

    OK = "ok"
    WARN = "warn"
    INVALID = "invalid"


class RunStatus(StrEnum):
    """How a run ended. Failed, absent and zero are three different things."""

    OK = "ok"
    FAILED = "failed"
    INVALID = "invalid"
    PARTIAL = "partial"
    SKIPPED = "skipped"


class SessionState(StrEnum):
    """Where a session stands."""

    RUNNING = "running"
    DONE = "done"
    INTERRUPTED = "interrupted"


class Target(Record):
    """A named place under test and the options that override test parameters there."""

    name: str
    kind: str = "directory"
    where: str
    options: dict[str, str] = Field(default_factory=dict)
    facts: dict[str, Any] = Field(default_factory=dict)


class Plan(Record):
    """A test with every value filled in. Its hash is what makes two runs comparable."""

    test: str
    case: str
    """Label of the test with the overrides of its suite or study line, such as `randread depth=1`."""
    workload: str
    parameters: Mapping[str, object]
    """By name, in base units, as the record of the workload in `declared.py` has them."""
    metrics: tuple[str, ...]
    """Metrics to be judged; the first decides when a session may stop."""

    def values(self, record: type[Values]) -> Values:  # noqa: ARG002 (the type checker reads it)
        """The parameters as the record of the plan's workload, or as that of its kind."""
        return cast(Values, self.parameters)

    def having(self, parameters: Mapping[str, object]) -> Plan:
        """The plan with other parameters."""
        return self.model_copy(update={"parameters": parameters})

    @property
    def hash(self) -> str:
        """16 hex digits over workload and parameters; names and labels do not count."""
        body = json.dumps({"workload": self.workload, "parameters": self.parameters}, sort_keys=True)
        return hashlib.sha256(body.encode()).hexdigest()[:16]


class Score(Record):
    """One number of one run."""

    metric: str
    value: float
    unit: Unit
    direction: Direction


class IntervalOperations(Record):
    """One operation kind in one interval."""

    operations: int
    bytes: int
    p50_ns: int
    p99_ns: int
    max_ns: int


class Interval(Record):
    """About one second of a run. `start_ns` counts from the start of the measured part."""

    start_ns: int
    duration_ns: int
    errors: int
    operations: dict[str, IntervalOperations]
    device: dict[str, float] = Field(default_factory=dict)
    """Change of the device counters in this interval (`read_bytes`, `write_bytes`, …), where they could be read.

    Of an emulated volume also `waited_ns.BUCKET`: time in which I/Os waited for that limit.
    """
    cpu: dict[str, float] = Field(default_factory=dict)
    """Shares of all CPU time in this interval: `busy`, `steal`."""


class Finding(Record):
    """What one guard says of one run: a sentence, and what to do."""

    guard: str
    level: Level
    message: str
    advice: str = ""
    values: dict[str, float] = Field(default_factory=dict)


class Artefact(Record):
    """A raw file kept with a run."""

    name: str
    sha256: str
    content: bytes


class Run(Record):
    """One execution of one plan on one target."""

    id: str
    session_id: str
    block: int
    """Number of the block within its case, from 0."""
    order: int
    """Position within the block, from 0."""
    attempt: int = 0
    """1 for the one repetition of an invalid block."""
    target: Target
    plan: Plan
    started_ns: int
    ended_ns: int
    status: RunStatus
    reason: str = ""
    scores: tuple[Score, ...] = ()
    histograms: dict[str, bytes] = Field(default_factory=dict)
    """HdrHistogram V2, deflate, one per operation kind, ns; the bytes as they are stored."""
    intervals: tuple[Interval, ...] = ()
    findings: tuple[Finding, ...] = ()
    facts: dict[str, Any] = Field(default_factory=dict)
    """Totals, CPU time, segments and everything else that was measured once per run."""
    artefacts: tuple[Artefact, ...] = ()

    @property
    def in_slices(self) -> bool:
        """Whether it alternated with the other runs of its block, several times a second."""
        return isinstance(self.facts.get("slices"), dict)

    @property
    def at_once(self) -> bool:
        """Whether it ran at the same time as the other runs of its block."""
        return isinstance(self.facts.get("parallel"), dict)

    @property
    def spent_ns(self) -> int:
        """What it cost of the session's time: runs in slices or at once share that of their block."""
        together = self.facts["slices"] if self.in_slices else self.facts["parallel"] if self.at_once else {}
        shared_by = together.get("shared_by")
        # A result file may hold anything.
        return (self.ended_ns - self.started_ns) // (shared_by if isinstance(shared_by, int) and shared_by > 0 else 1)


class Session(Record):
    """One invocation: its blocks, host facts and the study that repeats it."""

    id: str
    title: str
    started_ns: int
    ended_ns: int | None = None
    state: SessionState = SessionState.RUNNING
    host: dict[str, Any] = Field(default_factory=dict)
    study: dict[str, Any] = Field(default_factory=dict)
    """The study as in a study file: title, targets, tests, mode, band, budget, seed."""
    plimsoll_version: str
    policy_version: int = POLICY_VERSION
    tags: tuple[str, ...] = ()
    """Words that users put to it later, sorted; in lower case, without spaces."""
    note: str = ""
    edited: dict[str, int] = Field(default_factory=dict)
    """When a user last changed `title`, `note` or a tag (`tag NAME`, also of one that was taken away)."""

    @property
    def interleaved(self) -> bool:
        """Whether its runs were interleaved; those of an imported file were not."""
        return self.study.get("interleaved", True) is not False

    @property
    def target_names(self) -> tuple[str, ...]:
        """Names of the targets in the order of the study; empty if the session came without one."""
        targets = self.study.get("targets")
        tables = [each for each in targets if isinstance(each, dict)] if isinstance(targets, list) else []
        return tuple(str(each["name"]) for each in tables if "name" in each)
