"""fio's own example job files through fio and through `plimsoll fio`, side by side: which do the same.

python -m benches.parity.fio_examples FOLDER [NAME…]

FOLDER holds the examples that come with fio 3.33 (Debian: package fio-examples); they are not part of this tree. Each
is made small as `benches.parity._fio_table` says, run by both in folders of their own, and what came of it compared:
jobs, groups and errors, operations and bytes where they are certain, shares and rates where the time ends a job, and
the places of all operations where both leave a log of them. Needs root where an example wants a full file system.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.parity._commands import PLIMSOLL
from benches.parity._fio_table import EXAMPLES, Example

from plimsoll.units import MIB

KINDS = ("read", "write", "trim")
WITHIN = 0.15
"""Rates that are limited, and shares of what the time ends, may differ by this much."""
TIMEOUT_S = 60
HANGS = -1


@dataclass(frozen=True)
class Outcome:
    """What one program did."""

    code: int
    said: str
    jobs: Sequence[Mapping[str, Any]]
    places: Mapping[str, Sequence[tuple[str, ...]]]
    """By log, the operations in their order: direction, length, offset."""

    @property
    def refused(self) -> bool:
        """Whether nothing was run."""
        return self.code != 0 and not self.jobs


def main(words: Sequence[str]) -> None:
    """One line per example, and the counts."""
    folder, *names = words
    counts: Counter[str] = Counter()
    for name in names or EXAMPLES:
        verdict, why = judge(Path(folder) / f"{name}.fio", EXAMPLES[name])
        counts[verdict] += 1
        print(f"{verdict:9} {name:28} {why}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))


def judge(path: Path, example: Example) -> tuple[str, str]:
    """`right`, `refused` or `different`, and what there is to say about it."""
    text = adapted(path.read_text(), example)
    theirs, ours = (_run(text, path.stem, example, side) for side in ("fio", "plimsoll"))
    if theirs.code == HANGS and ours.code == 0:
        return "right", f"ends here; fio {theirs.said}"
    if ours.refused:
        reason = ours.said.splitlines()[-1] if ours.said else f"exit code {ours.code}"
        return ("right", f"both refuse: {reason}") if theirs.refused else ("refused", reason)
    if theirs.refused:
        return "different", f"fio refuses: {theirs.said.splitlines()[-1] if theirs.said else theirs.code}"
    found = list(differences(theirs, ours, example))
    return ("different", "; ".join(found)) if found else ("right", _likeness(theirs, ours))


def adapted(text: str, example: Example) -> str:
    """The job file with the values of the table in place of its own; options that no section has come first."""
    lines, used = [], set[str]()
    for line in text.splitlines():
        name = re.split(r"[=;#\s]", line.strip(), maxsplit=1)[0]
        if name in example.values and not line.startswith("["):
            used.add(name)
            value = example.values[name]
            old = re.split(r"[;#]", line.partition("=")[2], maxsplit=1)[0].strip()
            line = "" if value is None else f"{name}={value(old) if callable(value) else value}"
        lines.append(line)
    first = [f"{name}={value}" for name, value in example.values.items() if name not in used and isinstance(value, str)]
    logged = ["write_lat_log=places", "log_offset=1"] if example.places else []
    return "\n".join(["[global]", *first, *logged, *lines, ""])


def _run(text: str, name: str, example: Example, side: str) -> Outcome:
    with _folder(example) as folder:
        (folder / f"{name}.fio").write_text(text)
        for file, size in example.files.items():
            with (folder / file).open("wb") as made:
                made.write(os.urandom(size))
        for made_folder in example.folders:
            (folder / made_folder).mkdir()
        command = ["fio"] if side == "fio" else [str(PLIMSOLL), "fio"]
        # Only our own front end asks before it writes over a file that somebody else made.
        extra = [] if side == "fio" else [f"--destroy={file}" for file in example.files]
        words = [*command, "--output-format=json", "--output=../out.json", *extra, f"{name}.fio"]
        state = folder.parent / "state"
        own = {**os.environ, "PLIMSOLL_HOME": str(state), "PLIMSOLL_STORE": str(state / "store.db")}
        with subprocess.Popen(
            words, cwd=folder, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
        ) as running:
            try:
                out, err = running.communicate(timeout=TIMEOUT_S)
            except subprocess.TimeoutExpired:
                # With the processes of its jobs.
                os.killpg(running.pid, signal.SIGKILL)
                return Outcome(HANGS, f"still runs after {TIMEOUT_S} s", (), {})
        done = subprocess.CompletedProcess(words, running.returncode, out, err)
        return Outcome(done.returncode, _said(folder, done), _jobs(folder.parent / "out.json"), _places(folder))


def _said(folder: Path, done: subprocess.CompletedProcess[str]) -> str:
    """Standard error, where there is none what stands in front of the JSON."""
    output = folder.parent / "out.json"
    before = output.read_text().partition("{")[0] if output.exists() else ""
    return (done.stderr or before or done.stdout).strip()


def _jobs(output: Path) -> list[dict[str, Any]]:
    text = output.read_text() if output.exists() else ""
    if "{" not in text:
        return []
    # fio writes what it has to say in front of the JSON.
    document = json.JSONDecoder().raw_decode(text[text.index("{\n") :])[0]
    return [job for job in document["jobs"] if "jobname" in job]


def _places(folder: Path) -> dict[str, list[tuple[str, ...]]]:
    """Of the logs of whole latencies: what, how much, where."""
    found = {}
    for path in sorted(folder.glob("places_lat.*.log")):
        rows = [re.split(r",\s*", line.strip()) for line in path.read_text().splitlines()]
        found[path.name] = [(row[2], row[3], row[4]) for row in rows if len(row) > 4]
    return found


@contextmanager
def _folder(example: Example) -> Iterator[Path]:
    """A new folder, on a small file system of its own where the example fills one."""
    with tempfile.TemporaryDirectory(dir=".", prefix="parity-") as made:
        folder = Path(made).resolve()
        image, mount = folder / "image", folder / "mount"
        if not example.file_system_mib:
            mount.mkdir()
            yield mount
            return
        with image.open("wb") as file:
            file.truncate(example.file_system_mib * MIB)
        mount.mkdir()
        subprocess.run(["mkfs.ext4", "-q", str(image)], check=True)
        subprocess.run(["mount", "-o", "loop", str(image), str(mount)], check=True)
        try:
            yield mount
        finally:
            subprocess.run(["umount", str(mount)], check=True)


def differences(theirs: Outcome, ours: Outcome, example: Example) -> Iterator[str]:
    """What is not the same, in words."""
    if (theirs.code == 0) != (ours.code == 0):
        yield f"exit code {ours.code}, fio's is {theirs.code} ({ours.said[-200:]})"
    shapes = [[(job["jobname"], job["groupid"], job["error"]) for job in side.jobs] for side in (theirs, ours)]
    if shapes[0] != shapes[1]:
        yield f"jobs, groups, errors {shapes[1]}, fio's {shapes[0]}"
        return
    for their, our in zip(theirs.jobs, ours.jobs, strict=True):
        for name, compared in (("counts", _counts), ("shares", _shares), ("rates", _rates)):
            if example.compare == name:
                yield from (f"{their['jobname']}: {each}" for each in compared(their, our))
        if bool(their["usr_cpu"] + their["sys_cpu"] > 20) != bool(our["usr_cpu"] + our["sys_cpu"] > 20) and (
            example.processor
        ):
            yield f"{their['jobname']}: {our['usr_cpu']:.0f} % of a processor, fio {their['usr_cpu']:.0f} %"
    if example.places and example.compare == "counts":
        for log in theirs.places:
            if _sizes(theirs.places[log]) != _sizes(ours.places.get(log, ())):
                yield f"{log}: sizes {_first(ours.places.get(log, ()))}, fio's {_first(theirs.places[log])}"


def _counts(their: Mapping[str, Any], our: Mapping[str, Any]) -> Iterator[str]:
    for kind in KINDS:
        for field in ("total_ios", "io_bytes"):
            if their[kind][field] != our[kind][field]:
                yield f"{kind} {field} {our[kind][field]}, fio's {their[kind][field]}"
        if bool(their[kind]["clat_ns"]["N"]) != bool(our[kind]["clat_ns"]["N"]):
            yield f"{kind} {our[kind]['clat_ns']['N']} latencies, fio {their[kind]['clat_ns']['N']}"


def _shares(their: Mapping[str, Any], our: Mapping[str, Any]) -> Iterator[str]:
    """Of the operations, and the mean size of one."""
    totals = [sum(job[kind]["total_ios"] for kind in KINDS) for job in (their, our)]
    for kind in KINDS:
        counts = [job[kind]["total_ios"] for job in (their, our)]
        if bool(counts[0]) != bool(counts[1]):
            yield f"{kind} {counts[1]} operations, fio's {counts[0]}"
            continue
        if not counts[0]:
            continue
        shares = [count / total for count, total in zip(counts, totals, strict=True)]
        if abs(shares[0] - shares[1]) > WITHIN:
            yield f"{kind} {shares[1]:.0%} of operations, fio's {shares[0]:.0%}"
        means = [job[kind]["io_bytes"] / count for job, count in zip((their, our), counts, strict=True)]
        if abs(means[0] - means[1]) > WITHIN * means[0]:
            yield f"{kind} {means[1]:.0f} bytes an operation, fio's {means[0]:.0f}"


def _rates(their: Mapping[str, Any], our: Mapping[str, Any]) -> Iterator[str]:
    for kind in KINDS:
        rates = [job[kind]["iops"] for job in (their, our)]
        if abs(rates[0] - rates[1]) > WITHIN * max(rates):
            yield f"{kind} {rates[1]:.1f} IOPS, fio's {rates[0]:.1f}"


def _sizes(rows: Sequence[tuple[str, ...]]) -> Counter[tuple[str, str]]:
    return Counter((row[0], row[1]) for row in rows)


def _first(rows: Sequence[tuple[str, ...]]) -> str:
    return " ".join(f"{'RWT'[int(kind)]}{length}×{count}" for (kind, length), count in _sizes(rows).most_common(6))


def _likeness(theirs: Outcome, ours: Outcome) -> str:
    """How far the places of the operations agree."""
    if not theirs.places:
        return ""
    if theirs.places == ours.places:
        return "the same places in the same order"
    if all(sorted(rows) == sorted(ours.places.get(log, ())) for log, rows in theirs.places.items()):
        return "the same places"
    return "as many of each kind and size"


if __name__ == "__main__":
    if not shutil.which("fio"):
        sys.exit("fio is not installed")
    main(sys.argv[1:])
