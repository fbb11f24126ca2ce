"""Words that the field does not use have been replaced by those that it does, and stay away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = ("python/**/*.py", "python/**/*.toml", "python/**/*.html", "tests/**/*.py", "benches/**/*.py", "tools/*.py")
PAGES = ("*.md", "docs/**/*.md", "docs/**/*.toml")
RUST = ("crates/**/*.rs",)

NAMES = {
    "ServerConfig": r"class Ground\b|: Ground\b",
    "VolumeRequest, Requirement": r"\bWish\b",
    "SessionRunner": r"\bConduct\b",
    "RunRequest": r"class Order\b|: Order\b",
    "PreparedTargets": r"\bOpened(?:Here)?\b(?=[\]:(])",
    "UploadService": r"\bDesk\b",
    "SecurityMiddleware": r"\bShield\b",
    "LruCache, IoLogWriter": r"class Kept\b|: Kept\b",
    "LoadLineSearch": r"\bSearchedTarget\b",
    "Column, FittedColumn": r"\bLane\b",
    "PatternKind, EventKind, LogFormat": r"class Kind\b|^Kind = ",
}
"""What stands for a thing now in Python, and what it was called."""

RUST_NAMES = {
    "WorkerContext": r"\bHand\b",
    "PhaseContext": r"\bBench\b",
    "scratch_dir, FileState": r"\b(?:enum|struct) Room\b",
    "Pool": r"\bCrew\b",
    "OnceValue": r"\bPromise\b",
    "FilePool, ensure_open": r"\bShelf\b|\bshelve\b",
    "Finished": r"\bShut\b",
    "on_timer": r"\bfn (?:ring|alarm)\b",
    "Result": r"\bStep<",
    "Event, Operation": r"\bTurn\b",
    "completion": r"\bturn_over\b",
    "WakeEvent": r"\bBell\b",
    "Outstanding": r"\bDesk\b",
    "FileCreator, generator": r"\bMaker\b",
    "throughput_unit_bytes": r"\bmega\b",
    "validate, validate_target, take": r"\badmit\b",
    "Pacing": r"\bLane\b",
    "SlicePhase": r"\b(?:enum|struct) Stage\b",
    "OpKind": r"\b(?:struct|enum|type|trait) Kind\b",
}
"""The same in Rust."""

CONSTANTS = r"\b_?(?:[A-Z]+_)?(?:GLANCE|NUDGE|PATIENCE|RARE)(?:_[A-Z]+)*\b"
"""What a time-out, an interval or an optional field was called."""

MODULES = {"conduct", "words", "_words", "narrow", "searched", "hangup", "copies", "ground", "_ground", "desk",
           "shield", "lives", "maker", "over", "alarm", "shelf"}  # fmt: skip

EMPTY = re.compile(r'(?:"""|///? )(?:Here it is|Exact|Ignore|Which|For messages|For programs|As it is)\.')
"""Documentation that does not say what it is about."""

ONE_NAME = re.compile(r"\bI/Os (?:per|a) second|\bI/Os?/s\b")


def files(*patterns: str) -> Iterator[Path]:
    return (path for pattern in patterns for path in sorted(ROOT.glob(pattern)) if path != Path(__file__))


def found(pattern: str | re.Pattern[str], *patterns: str) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files(*patterns)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]


@pytest.mark.parametrize("now", NAMES)
def test_old_names_are_gone(now: str) -> None:
    assert found(NAMES[now], *TEXT) == []


@pytest.mark.parametrize("now", RUST_NAMES)
def test_old_names_are_gone_from_rust(now: str) -> None:
    assert found(RUST_NAMES[now], *RUST) == []


def test_constants_are_named_for_what_they_bound() -> None:
    assert found(CONSTANTS, *TEXT, *RUST) == []


def test_modules_are_named_for_what_they_hold() -> None:
    assert [str(path) for path in files("python/**/*.py", "benches/**/*.py", *RUST) if path.stem in MODULES] == []


def test_documentation_says_what_it_is_about() -> None:
    assert found(EMPTY, *TEXT, *RUST) == []


def test_rates_of_io_are_called_iops() -> None:
    assert found(ONE_NAME, *TEXT, *PAGES, *RUST) == []
