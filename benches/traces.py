"""How fast traces are read, how long an advice takes, and what a recording costs beside `blktrace`, in turns.

    python benches/traces.py [--part read|advise|observe …] [--directory DIR] [--rounds 3] [--day 100000000] [--json]

read      our own format in events per second and the text of other tools in MB/s, each on one core; the most memory
advise    a day with so many I/Os over the whole catalog: seconds, the most memory
observe   a device with 50,000 reads a second: recorded by nobody, by `plimsoll observe` and by `blktrace`: the rate
          that is left, the rate without a bound, and processor time of the recorder. Needs root, tracefs, debugfs, fio
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from plimsoll.traces import core, merge

LINES = 500_000
"""I/Os of the text that all else is made of."""
TEXTS, COPIES = 4, 4
"""Different loads, and how often each is in a trace: more of the same would pack better than any real trace."""
DAY_TEXTS = DAY_COPIES = 8
RATE, SECONDS = 50_000, 10
DAY_S = 86_400

Found = dict[str, float]


def blkparse(path: Path, count: int, seconds: float, seed: int = 1) -> None:
    """So many reads and writes, at random times and places."""
    draw = random.Random(seed)
    times = sorted(draw.random() * seconds for _ in range(count))
    with path.open("w") as file:
        for number, at_s in enumerate(times):
            kind, place = draw.choice("RRW"), draw.randrange(1 << 22) * 8
            file.write(f"8,0    1 {number:8} {at_s:14.9f}  4711  Q  {kind} {place} + 8 [postgres]\n")
            file.write(f"8,0    1 {number:8} {at_s + 0.0004:14.9f}  4711  C  {kind} {place} + 8 [0]\n")


def alibaba(path: Path, count: int, seconds: float, seed: int) -> None:
    """The same in the table of Alibaba, which has one line for each."""
    draw = random.Random(seed)
    times = sorted(round(draw.random() * seconds * 1e6) for _ in range(count))
    rows = (f"0,{draw.choice('RRW')},{draw.randrange(1 << 22) * 4096},4096,{at_us}\n" for at_us in times)
    path.write_text("".join(rows))


def fio_log(path: Path, count: int) -> None:
    """A log of fio, version 3."""
    draw, rows = random.Random(2), ["fio version 3 iolog", "0 /dev/sda add", "0 /dev/sda open"]
    rows += [f"{20 * number} /dev/sda read {draw.randrange(1 << 22) * 4096} 4096" for number in range(count)]
    path.write_text("\n".join([*rows, ""]))


def msr(path: Path, count: int) -> None:
    """The table of MSR Cambridge."""
    draw = random.Random(3)
    rows = (
        f"{128_166_372_000_000_000 + 2000 * number},hm,0,Read,{draw.randrange(1 << 22) * 4096},4096,4000"
        for number in range(count)
    )
    path.write_text("\n".join([*rows, ""]))


def many(folder: Path, texts: list[Path], copies: int) -> Path:
    """The I/Os of all of them so many times, in our own format."""
    parts = [text.with_suffix(".trace") for text in texts]
    for text, part in zip(texts, parts, strict=True):
        part.write_bytes(b"".join(core.converted(text)))
    own = folder / f"own-{len(texts)}-{copies}.trace"
    merge.merged(merge.placed(parts * copies, None)).path.replace(own)
    return own


def surveyed(path: Path) -> tuple[float, int]:
    """Seconds of processor time to read all of it, and its I/Os."""
    reader = core.opened_as(path, None, core.Survey)
    before = time.process_time()
    for chunk in core.chunks(path):
        reader.feed(chunk)
    found = json.loads(reader.finish())
    return time.process_time() - before, sum(kind["events"] for kind in found["totals"]["kinds"])


def read(folder: Path, asked: argparse.Namespace) -> Iterator[tuple[str, Found]]:
    """Reading, in turns."""
    makers: dict[str, Callable[[Path], None]] = {
        "blkparse": lambda path: blkparse(path, LINES, 500),
        "fio log": lambda path: fio_log(path, LINES * 3),
        "MSR": lambda path: msr(path, LINES * 3),
    }
    files = {name: folder / f"{name.replace(' ', '-')}.txt" for name in makers}
    for name, make in makers.items():
        make(files[name])
    texts = [folder / f"text-{seed}.txt" for seed in range(TEXTS)]
    for seed, text in enumerate(texts):
        blkparse(text, LINES, 500, seed)
    files["own"] = many(folder, texts, COPIES)
    rounds: dict[str, list[Found]] = {name: [] for name in files}
    for _ in range(asked.rounds):
        for name, path in files.items():
            took_s, count = surveyed(path)
            rounds[name].append({"million_per_s": count / took_s / 1e6, "MB_per_s": path.stat().st_size / took_s / 1e6})
    for name, rows in rounds.items():
        yield f"read {name}", medians(rows)
    bytes_each = texts[0].with_suffix(".trace").stat().st_size / LINES
    yield "own file", {"MB_per_100_million": bytes_each * 100}
    for name in ("own", "blkparse"):
        _, peak, _ = timed([*plimsoll("profile"), str(files[name]), "--json"])
        yield f"profile {name}", {"peak_MiB": peak}


def advise(folder: Path, asked: argparse.Namespace) -> Iterator[tuple[str, Found]]:
    """A day over the whole catalog."""
    texts = [folder / f"day-{seed}.csv" for seed in range(DAY_TEXTS)]
    for seed, text in enumerate(texts):
        alibaba(text, asked.day // (DAY_TEXTS * DAY_COPIES), DAY_S, seed)
    trace = many(folder, texts, DAY_COPIES)
    took_s, peak, cpu_s = timed([*plimsoll("advise"), str(trace), "--size", "500GiB", "--slo", "p99<10ms", "--json"])
    yield "advise a day", {"million": asked.day / 1e6, "seconds": took_s, "cpu_s": cpu_s, "peak_MiB": peak}


def observe(folder: Path, asked: argparse.Namespace) -> Iterator[tuple[str, Found]]:
    """Recorders of one device, in turns."""
    recorders: dict[str, list[str]] = {
        "nobody": [],
        "plimsoll": [*plimsoll("observe"), "DEVICE", "-o", str(folder / "seen.trace"), "--force", "--quiet"],
        "blktrace": ["blktrace", "-d", "DEVICE", "-D", str(folder), "-o", "seen"],
    }
    rounds: dict[str, list[Found]] = {name: [] for name in recorders}
    with loop_device() as device:
        for name in [name for name, words in recorders.items() if words and not works(words, device)]:
            print(f"{name} cannot record on this machine, and is left out", file=sys.stderr)
            del recorders[name], rounds[name]
        for number in range(asked.rounds):
            order = list(recorders) if number % 2 == 0 else list(reversed(recorders))
            for name in order:
                words = [word.replace("DEVICE", device) for word in recorders[name]]
                rounds[name].append(observed(words, device))
    for name, rows in rounds.items():
        yield f"recorded by {name}", medians(rows)


def works(words: list[str], device: str) -> bool:
    """Whether a recorder goes on recording: a locked kernel opens nothing in debugfs, for instance."""
    started = subprocess.Popen(
        [word.replace("DEVICE", device) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(2)
    if started.poll() is not None:
        return False
    started.send_signal(signal.SIGINT)
    return started.wait(timeout=60) == 0


def observed(words: list[str], device: str) -> Found:
    """What fio gets while somebody records."""
    recorder = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if words else None
    time.sleep(1.5)
    before = used(recorder)
    bounded = fio(device, f"--rate_iops={RATE}")
    cpu_s = used(recorder) - before
    unbounded = fio(device)
    if recorder is not None:
        recorder.send_signal(signal.SIGINT)
        recorder.wait(timeout=60)
    return {"iops": bounded, "unbounded_iops": unbounded, "core_percent": cpu_s / SECONDS * 100}


def used(recorder: subprocess.Popen[bytes] | None) -> float:
    """Processor time of a recorder so far, in seconds."""
    if recorder is None:
        return 0.0
    times = psutil.Process(recorder.pid).cpu_times()
    return float(times.user + times.system)


def fio(device: str, *more: str) -> float:
    """Reads per second."""
    words = ["fio", "--name=r", f"--filename={device}", "--rw=randread", "--bs=4k", "--ioengine=libaio", "--direct=1"]
    words += ["--iodepth=16", "--time_based", f"--runtime={SECONDS}", "--output-format=json", *more]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]["read"]["iops"])


@contextmanager
def loop_device() -> Iterator[str]:
    """A device whose bytes are in memory."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        file = Path(memory) / "disk"
        file.write_bytes(random.Random(1).randbytes(1 << 20) * 256)
        made = subprocess.run(["losetup", "-f", "--show", str(file)], capture_output=True, text=True, check=True)
        device = made.stdout.strip()
        try:
            yield device
        finally:
            subprocess.run(["losetup", "-d", device], check=True)


def plimsoll(command: str) -> list[str]:
    """The command line."""
    return [sys.executable, "-m", "plimsoll", command]


TIMED = """
import json, os, subprocess, sys, time
begun = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(json.dumps([time.monotonic() - begun, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime, status]))
"""
"""Run by a small process: what a program took at most counts from the memory of the one that started it."""


def timed(words: list[str]) -> tuple[float, float, float]:
    """Seconds, most memory in MiB and processor time of a program."""
    done = subprocess.run([sys.executable, "-c", TIMED, *words], stdout=subprocess.PIPE, text=True, check=True)
    took_s, peak, cpu_s, status = json.loads(done.stdout)
    if status:
        sys.exit(f"{' '.join(words)} failed")
    return took_s, peak, cpu_s


def medians(rows: list[Found]) -> Found:
    """Of each figure the median, the least and the largest."""
    found: Found = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        found |= {name: statistics.median(values), f"{name}_least": min(values), f"{name}_largest": max(values)}
    return found


PARTS = {"read": read, "advise": advise, "observe": observe}


def main() -> None:
    """Measures the parts that are asked for, and prints them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=list(PARTS))
    parser.add_argument("--directory", default=".")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--day", type=int, default=100_000_000)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.directory) as name:
        os.environ["PLIMSOLL_HOME"] = str(Path(name) / "home")
        for part in asked.part or PARTS:
            busy = os.getloadavg()[0]
            for what, row in PARTS[part](Path(name), asked):
                if asked.json:
                    print(json.dumps({"what": what, "load_average": busy, **row}), flush=True)
                else:
                    figures = "  ".join(f"{key} {value:,.4g}" for key, value in row.items())
                    print(f"{what:22} {figures}  (load {busy:.1f})", flush=True)


if __name__ == "__main__":
    main()
