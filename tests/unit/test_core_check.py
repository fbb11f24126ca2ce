"""Requests that no target can make possible are refused with a sentence, before anything is opened."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from plimsoll import _core

SECOND = 1_000_000_000

Changes = Mapping[str, Any]

RATE = {"per_second": 100.0, "unit": "operations", "arrival": "even"}


def request_on(path: Path, **changes: Any) -> dict[str, Any]:
    return {
        "path": str(path),
        "engine": "psync",
        "mode": "randrw",
        "read_share": 0.5,
        "block_sizes": [{"size": 4096, "weight": 1.0}],
        "depth": 1,
        "threads": 1,
        "offset": 0,
        "size": 1 << 20,
        "direct": False,
        "sync": {"kind": "none", "every": 0, "at_end": False},
        "limit": {"runtime_ns": SECOND, "bytes": None, "operations": 10},
        "warmup_ns": 0,
        "rate": None,
        "think": None,
        "distribution": {"kind": "once"},
        "random_share": 1.0,
        "seed": 1,
        "content": {"zero": False, "compressible": 0.0},
        "layout": "fill",
        "drop_cache": False,
        "verify": False,
        "cpus": [],
        "count_errors": False,
        "interval_ns": SECOND,
        "sqpoll": False,
        "iopoll": False,
        **changes,
    }


def zipf(theta: float) -> Changes:
    return {"distribution": {"kind": "zipf", "theta": theta}}


def rate(per_second: float) -> Changes:
    return {"rate": {**RATE, "per_second": per_second}}


def weight(value: float) -> Changes:
    return {"block_sizes": [{"size": 4096, "weight": value}]}


def limit(**values: int) -> Changes:
    return {"limit": {"runtime_ns": SECOND, "bytes": None, "operations": None, **values}}


IMPOSSIBLE: list[tuple[Changes, str]] = [
    ({"engine": "aio"}, "no engine"),
    ({"depth": 0}, "depth 0"),
    ({"depth": 2}, "at most 1 operations in flight"),
    ({"engine": "null", "depth": 100_000}, "depth 100000"),
    ({"threads": 0}, "0 threads"),
    ({"threads": 2000}, "2000 threads"),
    ({"threads": 300, "mode": "write", **limit()}, "fewer threads"),
    ({"cpus": [1_000_000]}, "no CPU 1000000"),
    ({"engine": "mmap", "direct": True}, "page cache"),
    ({"engine": "mmap", "sync": {"kind": "dsync", "every": 0, "at_end": False}}, "O_DSYNC"),
    ({"engine": "libaio", "mode": "randtrim"}, "cannot trim"),
    ({"sqpoll": True}, "sqpoll"),
    ({"engine": "null", "verify": True}, "nothing to verify"),
    ({"verify": True, "mode": "read"}, "mode that writes"),
    ({"verify": True, "content": {"zero": True, "compressible": 0.0}}, "own content"),
    ({"block_sizes": []}, "no block size"),
    ({"size": 4095}, "less than one block"),
    ({"offset": 2**64 - 1}, "beyond what a file can hold"),
    (weight(0.0), "weights"),
    (weight(math.nan), "weight is NaN"),
    (weight(-math.inf), "weight is -Infinity"),
    ({"block_sizes": [{"size": 4096, "weight": 1e308}, {"size": 8192, "weight": 1e308}]}, "sum must be finite"),
    ({"read_share": 1.5}, "read_share"),
    ({"read_share": math.nan}, "read_share is NaN"),
    ({"random_share": math.inf}, "random_share is Infinity"),
    ({"content": {"zero": False, "compressible": math.nan}}, "compressible is NaN"),
    (zipf(1.0), "zipf theta 1"),
    (zipf(-0.5), "zipf theta -0.5"),
    (zipf(math.nan), "theta is NaN"),
    (zipf(math.inf), "theta is Infinity"),
    ({"distribution": {"kind": "pareto", "h": 1.0}}, "pareto h 1"),
    ({"distribution": {"kind": "pareto", "h": math.nan}}, "h is NaN"),
    (rate(0.0), "a rate of 0"),
    (rate(math.nan), "per_second is NaN"),
    (rate(math.inf), "per_second is Infinity"),
    ({"rate": RATE, "think": {"time_ns": 1, "every": 1}}, "exclude each other"),
    ({"think": {"time_ns": 1, "every": 0}}, "every 0 operations"),
    (limit(runtime_ns=0), "limit of 0"),
    (limit(runtime_ns=100_001 * SECOND), "100000 intervals"),
    ({"sync": {"kind": "fsync", "every": 0, "at_end": False}}, "every 0 writes"),
    ({"mode": "read", "sync": {"kind": "none", "every": 0, "at_end": True}}, "mode that writes"),
    ({"path": ""}, "no path"),
    ({"path": "a\0b"}, "null character"),
]


@pytest.mark.parametrize(("changes", "words"), IMPOSSIBLE)
def test_an_impossible_request_gets_a_sentence_and_no_file(changes: Changes, words: str, tmp_path: Path) -> None:
    reason = _core.check(json.dumps({**request_on(tmp_path / "file"), **changes}))
    assert reason is not None
    assert words in reason
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("engine", [entry["name"] for entry in json.loads(_core.engines()) if entry["available"]])
def test_a_possible_request_gets_none_and_no_file(engine: str, tmp_path: Path) -> None:
    # What only sets the length of a file has nothing to read.
    mode = "randwrite" if engine == "ftruncate" else "randrw"
    assert _core.check(json.dumps(request_on(tmp_path / "file", engine=engine, mode=mode, cpus=[]))) is None
    assert list(tmp_path.iterdir()) == []


def test_the_target_is_not_looked_at(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "such" / "directory" / "file"):
        assert _core.check(json.dumps(request_on(path))) is None


def test_words_in_strings_are_not_numbers(tmp_path: Path) -> None:
    odd = tmp_path / 'Infinity "NaN\\'
    assert _core.check(json.dumps(request_on(odd))) is None
    assert "theta is NaN" in str(_core.check(json.dumps(request_on(odd, **zipf(math.nan)))))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "NaN", '{"depth": NaN}', json.dumps(request_on(Path("f"), sede=1)), json.dumps({"path": "f"})],
)
def test_text_that_is_no_request_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="not a job spec"):
        _core.check(text)


def test_the_job_itself_gives_the_same_reason(tmp_path: Path) -> None:
    for changes in ({"depth": 2}, zipf(1.0), {"engine": "aio"}):
        text = json.dumps(request_on(tmp_path / "file", **changes))
        result = _core.start(text).result()
        assert result is not None
        assert json.loads(result)["error"]["message"] == _core.check(text)
    assert list(tmp_path.iterdir()) == []
