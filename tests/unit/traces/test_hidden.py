"""Saturation is found where I/Os waited for a limit, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests.unit.traces.loads import Part, load

from plimsoll.catalog.shape import VolumeShape, options_from, volume_shape
from plimsoll.traces.advice.hidden import Hidden, hidden
from plimsoll.traces.demand import even
from plimsoll.traces.series import Series

GP3 = "type=gp3,size=500GiB"
GP2 = "type=gp2,size=500GiB"
"""1,500/s for ever, 3,000/s while it has credits."""
SMALL_GP2 = "type=gp2,size=100GiB"
"""300/s for ever."""


def shape(words: str) -> VolumeShape:
    return volume_shape(options_from(words, "--current"), "--current")


def found(series: Series, current: str | None = None) -> Hidden | None:
    return hidden(series, even(series), None if current is None else shape(current))


def made(*parts: tuple[int, float, float], size: int = 16_384) -> Series:
    """Stretches: seconds, IOPS, latency in milliseconds."""
    return load(
        [Part(seconds, rate) for seconds, rate, _ in parts],
        latency_s=[latency / 1000 for *_, latency in parts],
        size=size,
    )


SATURATED: dict[str, tuple[Series, str | None, float, str]] = {
    "a plateau at the highest rate": (made((60, 400, 1), (60, 1500, 8)), None, 0.5, "1,500/s with 8 times"),
    "a stored second first": (made((10, 0, 0), (1, 6000, 1), (59, 3000, 100)), None, 59 / 70, "3,000/s with 100 times"),
    "credits that are used up": (made((1800, 3000, 1), (7200, 300, 100)), None, 0.8, "300/s with 100 times"),
    "a plateau of bytes": (
        load(
            [Part(60, 50), *(Part(1, each) for each in (200, 210, 190, 205, 195) * 4)],
            latency_s=[0.001] + [0.05] * 20,
        ),
        None,
        0.25,
        "MiB/s",
    ),
    "the baseline of gp2": (made((60, 400, 1), (60, 1500, 8)), GP2, 0.5, "of 1,500/s, credits used up"),
    "the credits of a small gp2": (made((1800, 3000, 1), (7200, 300, 100)), SMALL_GP2, 0.8, "of 300/s"),
    "all the time at the limit, and slow": (made((60, 3000, 50)), GP3, 1.0, "of 3,000/s"),
    "a limit without latencies": (load([Part(60, 100), Part(60, 3000)]), GP3, 0.5, "of 3,000/s"),
}


@pytest.mark.parametrize("name", SATURATED)
def test_saturation_is_found(name: str) -> None:
    series, current, share, by = SATURATED[name]
    if name == "a plateau of bytes":
        # I/Os of different sizes: as many bytes in each second, and never as many I/Os.
        busy = series.operations > 100
        series.read_bytes[busy] = series.write_bytes[busy] = 64 * 2**20
    seen = found(series, current)
    assert seen is not None
    assert seen.share == pytest.approx(share, abs=0.01)
    assert by in seen.by


def _ramp() -> Series:
    """The more, the slower, without an end: a disk that is busy, and does what is asked of it."""
    return made(*((1, 100 + 10 * i, 1 + 0.1 * i) for i in range(100)))


def _noisy(slow: Sequence[int]) -> Series:
    """The same 200/s all the time; some seconds happen to be slow."""
    return made(*((1, 200, 10 if i in slow else 1) for i in range(100)))


def _random() -> Series:
    """10,000/s as they come, of which one second in five is four times as quick."""
    rates = np.random.default_rng(7).poisson(10_000, 100)
    return made(*((1, float(rate), 0.2 if i % 5 == 0 else 1) for i, rate in enumerate(rates)))


FREE: dict[str, tuple[Series, str | None]] = {
    "near the limit all the time, at once": (made((60, 2950, 1)), GP3),
    "at the limit for a while, at once": (made((60, 100, 1), (60, 3000, 1)), GP3),
    "at the baseline between idle times": (made((60, 1500, 1), (140, 0, 0)), GP2),
    "all the time at the baseline, at once": (made((60, 1500, 1)), GP2),
    "two seconds without latencies": (load([Part(60, 100), Part(2, 3000)]), GP3),
    "even and quick": (made((60, 2950, 1)), None),
    "even, and sometimes slow": (_noisy(range(0, 100, 3)), None),
    "even, and mostly slow": (_noisy([i for i in range(100) if i % 5]), None),
    "random, and mostly slow": (_random(), None),
    "slower with each I/O more": (_ramp(), None),
    "one slow write a second while idle": (made((60, 1, 20), (20, 2000, 0.2), (60, 1, 20)), None),
    "two slow seconds": (made((60, 400, 1), (2, 1500, 8)), None),
}


@pytest.mark.parametrize("name", FREE)
def test_saturation_is_not_claimed(name: str) -> None:
    series, current = FREE[name]
    assert found(series, current) is None
