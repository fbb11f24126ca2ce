"""Requests that no target can make possible are refused with a sentence, before anything is opened."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from plimsoll import _core
from plimsoll.parameters import defaults

SECOND = 1_000_000_000

Changes = Mapping[str, Any]

RATE = {"per_second": 100.0, "unit": "operations"}


def request_on(path: Path, **changes: Any) -> dict[str, Any]:
    return {
        **defaults("io"),
        "path": str(path),
        "engine": "psync",
        "mode": "randrw",
        "size": 1 << 20,
        "direct": False,
        "runtime": SECOND,
        "max_operations": 10,
        "warmup": 0,
        "drop_cache": False,
        **changes,
    }


def zipf(theta: float) -> Changes:
    return {"distribution": {"kind": "zipf", "theta": theta}}


def rate(per_second: float) -> Changes:
    return {"rate": {**RATE, "per_second": per_second}}


def weight(value: float) -> Changes:
    return {"block_size": [[4096, value]]}


IMPOSSIBLE: list[tuple[Changes, str]] = [
    ({"engine": "aio"}, "use one of cpuio, falloc"),
    ({"depth": 0}, "depth is 0: use 1 to 16384"),
    ({"depth": 2}, "at most 1 operation in flight"),
    ({"engine": "null", "depth": 100_000}, "depth is 100000"),
    ({"threads": 0}, "threads is 0: use 1 to 1024"),
    ({"threads": 2000}, "threads is 2000"),
    ({"threads": 300, "mode": "write", "max_operations": None}, "fewer threads"),
    ({"cpus": [1_000_000]}, "no CPU 1000000"),
    ({"engine": "mmap", "direct": True}, "page cache"),
    ({"engine": "mmap", "sync": "dsync"}, "O_DSYNC"),
    ({"engine": "libaio", "mode": "randtrim"}, "cannot trim"),
    ({"sqpoll": True}, "sqpoll"),
    ({"engine": "null", "verify": True}, "nothing to verify"),
    ({"verify": True, "mode": "read"}, "mode that writes"),
    ({"verify": True, "content": "zero"}, "own content"),
    ({"block_size": []}, "block_size is []: use one or more"),
    ({"size": 4095}, "less than one block"),
    ({"offset": 2**64 - 1}, "beyond what a file can hold"),
    (weight(0.0), "weights"),
    (weight(math.nan), "block_size is NaN"),
    (weight(-math.inf), "block_size is -Infinity"),
    ({"block_size": [[4096, 1e308], [8192, 1e308]]}, "sum must be finite"),
    ({"read_share": 1.5}, "read_share"),
    ({"read_share": math.nan}, "read_share is NaN"),
    ({"random_share": math.inf}, "random_share is Infinity"),
    ({"compressible": math.nan}, "compressible is NaN"),
    (zipf(1.0), "zipf theta 1"),
    (zipf(-0.5), "zipf theta -0.5"),
    (zipf(math.nan), "theta is NaN"),
    (zipf(math.inf), "theta is Infinity"),
    ({"distribution": {"kind": "pareto", "h": 1.0}}, "pareto h 1"),
    ({"distribution": {"kind": "pareto", "h": math.nan}}, "h is NaN"),
    (rate(0.0), "a rate of 0"),
    (rate(math.nan), "per_second is NaN"),
    (rate(math.inf), "per_second is Infinity"),
    ({"rate": RATE, "think_time": 1}, "cannot be combined"),
    ({"think_every": 0}, "think_every is 0: use 1 or more"),
    ({"runtime": 0}, "runtime is 0: use 1 or more"),
    ({"runtime": 100_001 * SECOND, "interval": SECOND}, "100000 intervals"),
    ({"sync": "fsync", "sync_every": 0}, "sync_every is 0: use 1 or more"),
    ({"mode": "read", "sync_at_end": True}, "mode that writes"),
    ({"path": ""}, "no path"),
    ({"path": "a\0b"}, "null character"),
]


@pytest.mark.parametrize(("changes", "words"), IMPOSSIBLE)
def test_an_impossible_request_gets_a_sentence_and_no_file(changes: Changes, words: str, tmp_path: Path) -> None:
    reason = _core.validate(json.dumps({**request_on(tmp_path / "file"), **changes}))
    assert reason is not None
    assert words in reason
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("engine", [entry["name"] for entry in json.loads(_core.engines()) if entry["available"]])
def test_a_possible_request_gets_none_and_no_file(engine: str, tmp_path: Path) -> None:
    # What only sets the length of a file has nothing to read.
    mode = "randwrite" if engine == "ftruncate" else "randrw"
    assert _core.validate(json.dumps(request_on(tmp_path / "file", engine=engine, mode=mode, cpus=[]))) is None
    assert list(tmp_path.iterdir()) == []


def test_the_target_is_not_looked_at(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "such" / "directory" / "file"):
        assert _core.validate(json.dumps(request_on(path))) is None


def test_words_in_strings_are_not_numbers(tmp_path: Path) -> None:
    odd = tmp_path / 'Infinity "NaN\\'
    assert _core.validate(json.dumps(request_on(odd))) is None
    assert "theta is NaN" in str(_core.validate(json.dumps(request_on(odd, **zipf(math.nan)))))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "NaN", '{"depth": NaN}', json.dumps(request_on(Path("f"), sede=1)), json.dumps({"path": "f"})],
)
def test_text_that_is_no_request_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="not a job spec"):
        _core.validate(text)


def test_the_job_itself_gives_the_same_reason(tmp_path: Path) -> None:
    for changes in ({"depth": 2}, zipf(1.0), {"engine": "aio"}):
        text = json.dumps(request_on(tmp_path / "file", **changes))
        result = _core.start(text).result()
        assert result is not None
        assert json.loads(result)["error"]["message"] == _core.validate(text)
    assert list(tmp_path.iterdir()) == []
