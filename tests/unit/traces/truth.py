"""Loads whose right volume is known: by hand (`right`, with the reason), and by trying all volumes (exhaustive.py)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.unit.traces.loads import Part, load

from plimsoll.report.labels import percent_text
from plimsoll.traces.series import Series

KIB = 1024
MINUTE, HOUR, DAY = 60, 3600, 86_400


@dataclass(frozen=True)
class Case:
    """One load and the cheapest volume of a family that carries it; None where none does."""

    name: str
    family: str
    parts: tuple[Part, ...]
    gib: int
    right: str | None
    because: str
    size: int = 16 * KIB
    slo: str = "p99<10ms"
    within: float = 0.0
    """Share by which IOPS may differ where the right ones are no whole number of anything."""


@dataclass(frozen=True)
class Censored:
    """What was asked of a device that does no more than `limit` a second, and what its counters showed."""

    name: str
    gib: int
    limit: int
    parts: tuple[Part, ...]

    @property
    def _seconds(self) -> Iterator[tuple[int, int]]:
        """I/Os that were done in each second, and how many waited at its end."""
        waiting = 0.0
        for part in self.parts:
            for _ in range(part.seconds):
                waiting += part.per_second
                done = min(waiting, self.limit)
                waiting -= done
                yield round(done), round(waiting)

    @property
    def share_words(self) -> str:
        """Of the time that it was saturated: the queue divided by what is left over, and the time that it grew."""
        held = sum(waiting > 0 for _, waiting in self._seconds)
        return percent_text(round(held / sum(part.seconds for part in self.parts), 3))

    def seen(self) -> Series:
        """The counters: I/Os that wait do so for what is before them."""
        parts = [Part(1, done) for done, _ in self._seconds]
        return load(parts, latency_s=[0.001 + waiting / self.limit for _, waiting in self._seconds])


def _constant(per_second: float, seconds: int = 20) -> tuple[Part, ...]:
    return (Part(seconds, per_second),)


def _gp3() -> list[Case]:
    included = "3,000 IOPS and 125 MiB/s come with every gp3"
    above = "gp3 sells IOPS one by one"
    ratio = "500 IOPS per GiB ask for more GiB"
    return [
        Case("gp3 at 100", "gp3", _constant(100), 500, "500 GiB, 3000 IOPS, 125 MiB/s", included),
        Case("gp3 at 2,900", "gp3", _constant(2900), 500, "500 GiB, 3000 IOPS, 125 MiB/s", included),
        Case("gp3 at 3,000", "gp3", _constant(3000), 500, "500 GiB, 3000 IOPS, 125 MiB/s", included),
        Case("gp3 at 3,001", "gp3", _constant(3001), 500, "500 GiB, 3001 IOPS, 125 MiB/s", above),
        Case("gp3 at 3,100", "gp3", _constant(3100), 500, "500 GiB, 3100 IOPS, 125 MiB/s", above),
        Case("gp3 at 5,000", "gp3", _constant(5000), 500, "500 GiB, 5000 IOPS, 125 MiB/s", above),
        Case(
            "gp3 at 8,000 of 16 KiB",
            "gp3",
            _constant(8000),
            500,
            "500 GiB, 8000 IOPS, 125 MiB/s",
            "8,000 × 16 KiB = 125 MiB/s",
        ),
        Case(
            "gp3 at 16,000 of 4 KiB",
            "gp3",
            _constant(16_000, 10),
            500,
            "500 GiB, 16000 IOPS, 125 MiB/s",
            above,
            4 * KIB,
        ),
        Case(
            "gp3 at 20,000 in 30 GiB", "gp3", _constant(20_000, 10), 30, "40 GiB, 20000 IOPS, 125 MiB/s", ratio, 4 * KIB
        ),
        Case("gp3 at 112 MiB/s", "gp3", _constant(900), 500, "500 GiB, 3000 IOPS, 125 MiB/s", included, 128 * KIB),
        Case(
            "gp3 at 137.5 MiB/s",
            "gp3",
            _constant(1100),
            500,
            "500 GiB, 3000 IOPS, 138 MiB/s",
            "whole MiB/s are sold",
            128 * KIB,
        ),
        Case(
            "gp3 at 250 MiB/s",
            "gp3",
            _constant(1000),
            500,
            "500 GiB, 3000 IOPS, 250 MiB/s",
            "3,000 IOPS allow 750 MiB/s",
            256 * KIB,
        ),
        Case(
            "gp3 at 300 MiB/s of 1 MiB",
            "gp3",
            _constant(300),
            500,
            "500 GiB, 3000 IOPS, 300 MiB/s",
            "1 MiB counts as four I/Os: 1,200",
            1024 * KIB,
        ),
        Case(
            "gp3 at 1,000 MiB/s of 1 MiB",
            "gp3",
            _constant(1000),
            500,
            "500 GiB, 4000 IOPS, 1000 MiB/s",
            "1 MiB counts as four I/Os: 4,000",
            1024 * KIB,
        ),
    ]


def _gp2() -> list[Case]:
    by_size = "3 IOPS per GiB must last; credits end"
    return [
        Case("gp2 at 100", "gp2", _constant(100), 8, "8 GiB", "100 IOPS are the least of every gp2"),
        Case("gp2 at 102", "gp2", _constant(102), 8, "34 GiB", by_size),
        Case("gp2 at 300", "gp2", _constant(300), 8, "100 GiB", by_size),
        Case("gp2 at 1,500", "gp2", _constant(1500), 100, "500 GiB", by_size),
        Case("gp2 at 2,900", "gp2", _constant(2900), 500, "967 GiB", by_size),
        Case("gp2 at 3,000", "gp2", _constant(3000), 500, "1000 GiB", by_size),
        Case("gp2 at 3,100", "gp2", _constant(3100), 500, "1034 GiB", by_size),
        Case("gp2 at 15,999", "gp2", _constant(15_999, 10), 500, "5333 GiB", by_size, 4 * KIB),
        Case("gp2 at 16,100", "gp2", _constant(16_100, 10), 500, None, "16,000 IOPS are the most", 4 * KIB),
        Case(
            "gp2 at 130 MiB/s",
            "gp2",
            _constant(520),
            100,
            "174 GiB",
            "above 128 MiB/s from 171 GiB on, and 520 IOPS",
            256 * KIB,
        ),
        Case(
            "gp2 at 240 MiB/s of 1 MiB",
            "gp2",
            _constant(240),
            100,
            "320 GiB",
            "1 MiB counts as four I/Os: 960",
            1024 * KIB,
        ),
        Case("gp2 at 251 MiB/s", "gp2", _constant(1004), 100, None, "250 MiB/s are the most", 256 * KIB),
    ]


def _bursts() -> list[Case]:
    """Days on gp2: at 3,000 the credits of 5.4 million go at 3,000 less the baseline."""
    exact = "p99.99<20ms"
    hours = tuple(part for _ in range(12) for part in (Part(HOUR // 6, 600), Part(5 * HOUR // 6, 0)))
    return [
        Case(
            "30 min a day at 3,000",
            "gp2",
            (Part(1800, 3000), Part(DAY - 1800, 0)),
            8,
            "8 GiB",
            "1,800 s × 2,900 = 5.22 million credits",
            slo=exact,
        ),
        Case(
            "31 min a day at 3,000: just",
            "gp2",
            (Part(1860, 3000), Part(DAY - 1860, 0)),
            8,
            "8 GiB",
            "1,860 s × 2,900 = 5.39 million credits",
            slo=exact,
        ),
        Case(
            "32 min a day at 3,000: just not",
            "gp2",
            (Part(1920, 3000), Part(DAY - 1920, 0)),
            8,
            "63 GiB",
            "1,920 s × (3,000 − 187.5) = 5.4 million credits",
            slo=exact,
        ),
        Case(
            "10 min an hour at 600", "gp2", hours, 8, "8 GiB", "the mean is 100, and 600 s × 500 = 0.3 million credits"
        ),
        Case("5 min in 10 at 900", "gp2", (Part(300, 900), Part(300, 0)), 8, "150 GiB", "the mean is 450"),
        Case("a minute in two at 2,000", "gp2", (Part(60, 2000), Part(60, 500)), 8, "417 GiB", "the mean is 1,250"),
    ]


def _seconds() -> list[Case]:
    """A load whose worst second, not its mean, decides: a second of the rate is stored."""
    minute = (Part(20, 500), Part(1, 9000), Part(39, 500))
    below = (Part(20, 500), Part(1, 5900), Part(39, 500))
    # A second of the rate is stored, so that R carries 2 R in that second. Of a minute's 38,500 I/Os 38 may be late:
    # the last 4.2 ms of the second, in which the wait grows by 4.3 ms. So (9,000 − 2 R) / R may be 10 + 4.3 − 0.9 ms.
    slo = "p99.9<10ms"
    rule = "R = 9,000 / 2.0134 = 4,470"
    size = 4 * KIB
    return [
        Case("a second of 9,000", "gp3", minute, 500, "500 GiB, 4470 IOPS, 125 MiB/s", rule, size, slo, within=0.005),
        Case("a second of 9,000, io2", "io2", minute, 500, "500 GiB, 4470 IOPS", rule, size, slo, within=0.005),
        Case("a second of 5,900", "gp3", below, 500, "500 GiB, 3000 IOPS, 125 MiB/s", "below twice 3,000", size, slo),
    ]


def _provisioned() -> list[Case]:
    return [
        Case("io1 at 2,900", "io1", _constant(2900), 500, "500 GiB, 2900 IOPS", "IOPS are sold one by one"),
        Case("io1 at 2,900 in 50 GiB", "io1", _constant(2900), 50, "58 GiB, 2900 IOPS", "50 IOPS per GiB"),
        Case(
            "io1 at 100 MiB/s", "io1", _constant(400), 100, "100 GiB, 400 IOPS", "400 IOPS allow 100 MiB/s", 256 * KIB
        ),
        Case(
            "io2 at 2,900 in 1 GiB",
            "io2",
            _constant(2900),
            1,
            "4 GiB, 2900 IOPS",
            "1,000 IOPS per GiB, and 4 GiB at the least",
        ),
        Case("io2 at 10,000", "io2", _constant(10_000, 10), 500, "500 GiB, 10000 IOPS", "IOPS are sold one by one"),
    ]


def _streams() -> list[Case]:
    slo = "p99<100ms"
    return [
        Case("st1 at 20 MiB/s", "st1", _constant(20, 60), 125, "512 GiB", "40 MiB/s per TiB last", 1024 * KIB, slo),
        Case("st1 at 40 MiB/s", "st1", _constant(40, 60), 125, "1024 GiB", "40 MiB/s per TiB last", 1024 * KIB, slo),
        Case("st1 at 300 MiB/s", "st1", _constant(300, 60), 125, "7680 GiB", "40 MiB/s per TiB last", 1024 * KIB, slo),
        Case("st1 at 510 MiB/s", "st1", _constant(510, 60), 125, None, "500 MiB/s are the most", 1024 * KIB, slo),
        Case(
            "st1 with small I/Os",
            "st1",
            _constant(20, 60),
            125,
            "512 GiB",
            "a random I/O counts as 1 MiB, however small",
            4 * KIB,
            slo,
        ),
        Case("sc1 at 6 MiB/s", "sc1", _constant(6, 60), 125, "512 GiB", "12 MiB/s per TiB last", 1024 * KIB, slo),
        Case("sc1 at 200 MiB/s", "sc1", _constant(200, 60), 125, None, "16 TiB have 192 MiB/s", 1024 * KIB, slo),
        Case(
            "st1, half an hour of a scan",
            "st1",
            (Part(1800, 100), Part(DAY - 1800, 0)),
            500,
            "500 GiB",
            "1,800 s × 80.5 MiB are 141 GiB of the credits of 500",
            1024 * KIB,
            slo,
        ),
    ]


CASES = [*_gp3(), *_gp2(), *_bursts(), *_seconds(), *_provisioned(), *_streams()]
