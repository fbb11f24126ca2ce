"""One measurement: a session of Plimsoll, or a series of fio's runs on both sides."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benches.rules.questions import Question
from benches.rules.results import DECIDED, Result

PLIMSOLL = str(Path(sys.executable).parent / "plimsoll")
RUNS, BY_HAND, ENOUGH = 12, 5, 0.035
AS_BEFORE: Mapping[str, Sequence[str]] = {
    "blocks": ("--interleave", "blocks", "--set", "runtime=1s", "--set", "warmup=500ms"),
    "long": ("--interleave", "blocks"),
}
"""What is added to a command that measures one target after the other."""
NAMES = ("a", "b")
ON, MOST = "-on", "5m"
"""What a way ends with whose sessions are extended until there is an answer, and for how long at most."""


class Failed(Exception):
    """A program did not do what it was asked for."""


@contextmanager
def places(question: Question, directory: Path) -> Iterator[tuple[Path, Sequence[Path]]]:
    """A state folder of its own for Plimsoll, and the directory of each side."""
    with tempfile.TemporaryDirectory(dir=directory, prefix="rules-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        if not question.slower:
            work = Path(folder) / "work"
            work.mkdir()
            yield home, (work, work)
            return
        try:
            yield home, [_volume(home, *each) for each in zip(NAMES, question.slower, strict=True)]
        finally:
            _plimsoll(home, "volume", "delete", "--all", "--force")


def _volume(home: Path, name: str, factor: float) -> Path:
    """Where a served volume is mounted that is never at its limit; its bytes are on the disk of `home`."""
    kind = ("--type", "instance-store", "--instance", "m5d.large", "--size", "2GiB")
    _plimsoll(home, "volume", "create", name, *kind, "--fs", "ext4")
    _plimsoll(home, "volume", "fault", name, "slow", "--factor", f"{factor:g}")
    return home / "volumes" / name / "mount"


def _plimsoll(home: Path, *words: str) -> str:
    """What it prints; only what cannot be used for an answer is a failure."""
    environment = {**os.environ, "PLIMSOLL_HOME": str(home)}
    for elsewhere in ("PLIMSOLL_STORE", "PLIMSOLL_SERVER"):
        environment.pop(elsewhere, None)
    return _output([PLIMSOLL, *words], environment)


def _output(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["it said nothing"]
        raise Failed(f"{Path(command[0]).name} {command[1]}: exit code {done.returncode}: {last[0]}")
    return done.stdout


def by_plimsoll(question: Question, directory: Path, way: str, rule: str) -> list[Result]:
    """What one session says of the second side's IOPS."""
    with places(question, directory) as (home, sides):
        words = ["run", question.test, "--mode", question.mode, "--band", f"{question.band:.0%}", "--noisy-host", "-q"]
        for number, (name, where) in enumerate(zip(NAMES, sides, strict=True)):
            options = "".join(f",{key}={value}" for key, value in question.parameters(number).items())
            words += ["--on", f"{name}={where}{options}"]
        words += ["--same-place"] if question.truth == "same" else []
        # Nobody but us knows that a served volume's limit is far away, so it is said; see METHODOLOGY.
        asked = ["--interleave", "slices"] if question.slower else []
        began = time.monotonic()
        _plimsoll(home, *words, *AS_BEFORE.get(way.removesuffix(ON), asked))
        seconds = time.monotonic() - began
        found = _answer(home)
        if way.endswith(ON) and found["answer"] not in DECIDED:
            began = time.monotonic()
            _plimsoll(home, "extend", "--until", "verdict", "--for", MOST, "-q")
            seconds += time.monotonic() - began
            found = _answer(home)
    return [
        Result(
            question.name,
            way,
            rule,
            str(found["answer"]),
            round(seconds, 2),
            found["ratio"],
            found["ratio_low"],
            found["ratio_high"],
            found["blocks"],
        )
    ]


def _answer(home: Path) -> Mapping[str, Any]:
    """What the session says of IOPS."""
    rows = {row["metric"]: row for row in json.loads(_plimsoll(home, "compare", "--json"))}
    if "iops" not in rows:
        raise Failed("plimsoll compare: no valid pair of runs")
    return dict(rows["iops"])


def by_slices(question: Question, directory: Path) -> list[Result]:
    """As it comes."""
    return by_plimsoll(question, directory, "slices", "Plimsoll")


def by_blocks(question: Question, directory: Path) -> list[Result]:
    """As it was before there were slices."""
    return by_plimsoll(question, directory, "blocks", "Plimsoll, blocks")


def by_slices_on(question: Question, directory: Path) -> list[Result]:
    """Until there is an answer."""
    return by_plimsoll(question, directory, f"slices{ON}", "Plimsoll, extended")


def by_blocks_on(question: Question, directory: Path) -> list[Result]:
    """As it was before there were slices, until there is an answer."""
    return by_plimsoll(question, directory, f"blocks{ON}", "Plimsoll, blocks, extended")


def by_long_on(question: Question, directory: Path) -> list[Result]:
    """As the same words were carried out before there were slices, until there is an answer."""
    return by_plimsoll(question, directory, f"long{ON}", "Plimsoll, long blocks, extended")


def fio(file: Path, question: Question, side: int) -> tuple[float, float]:
    """Operations per second of one run, and how long it took."""
    asked = {"depth": "64", "engine": "io_uring", "size": "1g", **question.parameters(side)}
    words = ["--name=x", f"--filename={file}", f"--rw={question.test}", "--bs=4k", f"--iodepth={asked['depth']}"]
    words += [f"--ioengine={asked['engine']}", "--direct=1", f"--size={asked['size'].removesuffix('iB').lower()}"]
    words += ["--time_based", "--runtime=2", "--output-format=json", "--randrepeat=0"]
    words += ["--rwmixread=75"] if question.test == "randrw" else []
    began = time.monotonic()
    (job,) = json.loads(_output(["fio", *words]))["jobs"]
    return job["read"]["iops"] + job["write"]["iops"], time.monotonic() - began


def by_hand(runs: Sequence[float]) -> int:
    """Five, whatever they are."""
    return min(BY_HAND, len(runs))


def by_deviation(runs: Sequence[float]) -> int:
    """As many as it takes until the relative standard deviation is small; one more than there are if it is not yet."""
    for count in range(3, len(runs) + 1):
        if statistics.stdev(runs[:count]) / statistics.mean(runs[:count]) < ENOUGH:
            return count
    return len(runs) + 1


RULES: Mapping[str, Callable[[Sequence[float]], int]] = {
    "fio, five runs each": by_hand,
    "fio, PTS's rule": by_deviation,
}


def by_fio(question: Question, directory: Path) -> list[Result]:
    """What both rules say of one series of each side."""
    sides: list[list[tuple[float, float]]] = [[], []]
    with places(question, directory) as (_, folders):
        files = [folder / "fio" for folder in folders]
        for number, file in enumerate(files):
            if not file.exists():
                fio(file, question, number)
        for number, side in enumerate(sides):
            while len(side) < RUNS and (len(side) < BY_HAND or by_deviation([rate for rate, _ in side]) > len(side)):
                side.append(fio(files[number], question, number))
    return [_conclusion(question, name, sides) for name in RULES]


def _conclusion(question: Question, name: str, sides: Sequence[Sequence[tuple[float, float]]]) -> Result:
    used = [side[: RULES[name]([rate for rate, _ in side])] for side in sides]
    one, other = (statistics.mean(rate for rate, _ in side) for side in used)
    ratio, edge = other / one, 1 + question.band
    answer = "better" if ratio > edge else "worse" if ratio < 1 / edge else "same"
    seconds = round(sum(seconds for side in used for _, seconds in side), 2)
    return Result(question.name, "fio", name, answer, seconds, ratio, blocks=sum(len(side) for side in used))


WAYS: Mapping[str, Callable[[Question, Path], list[Result]]] = {
    "slices": by_slices,
    "blocks": by_blocks,
    "fio": by_fio,
    f"slices{ON}": by_slices_on,
    f"blocks{ON}": by_blocks_on,
    f"long{ON}": by_long_on,
}
NAMED = {"slices": "Plimsoll", "blocks": "Plimsoll, blocks", "long": "Plimsoll, long blocks"}


def measured(question: Question, way: str, directory: Path) -> list[Result]:
    """The results of one measurement; one that failed is a result, too."""
    when = datetime.now(UTC).isoformat(timespec="seconds")
    began = time.monotonic()
    try:
        found = WAYS[way](question, directory)
    except (Failed, OSError, ValueError) as error:
        extended = ", extended" if way.endswith(ON) else ""
        rules = list(RULES) if way == "fio" else [NAMED[way.removesuffix(ON)] + extended]
        lost = round(time.monotonic() - began, 2)
        found = [Result(question.name, way, rule, "failed", lost, error=str(error)) for rule in rules]
    return [Result(**{**vars(each), "when": when}) for each in found]
