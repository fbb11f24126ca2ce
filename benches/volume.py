"""Emulated volumes against their own numbers, measured with Debian's fio on the served block device.

    python benches/volume.py [ROW…] [--seconds N] [--writes N] [--cycles N] [--json]

Rows: rates, throughput, depth, credits, latency, unthrottled, idle, simulation, day, integrity, power. Needs root,
FUSE, loop devices and fio; makes its volumes in memory, in a state folder of its own, and removes them. A rate counts
from when the bucket of its first second is empty; the expected latency comes from the same model in virtual time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from plimsoll.units import GIB, KIB, MIB, SECOND
from plimsoll.volumes import changes, control, core, lifecycle, registry
from plimsoll.volumes.registry import Volume

BLOCK = 4 * KIB


@dataclass(frozen=True)
class Result:
    """One figure beside its goal."""

    row: str
    measured: float
    unit: str
    goal: str
    met: bool


@contextmanager
def volume(**options: str) -> Iterator[Volume]:
    """A volume for one row."""
    made = lifecycle.create(lifecycle.VolumeRequest(name="bench", options=options, backing="memory"))
    try:
        # Memory is given at the first write, which is the host's time, not the volume's.
        control.ask(made.folder, {"command": "bypass", "on": True})
        fio(made.device, "--rw=write", "--bs=1m", "--size=1g", "--iodepth=8")
        control.ask(made.folder, {"command": "bypass", "on": False})
        yield made
    finally:
        lifecycle.delete("bench", force=True)


def fio(device: str, *job: str) -> dict[str, Any]:
    """What one job measured."""
    fixed = ["--name=job", f"--filename={device}", "--ioengine=libaio", "--direct=1", "--randrepeat=0"]
    words = ["fio", *fixed, "--verify_state_save=0", "--output-format=json", *job]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=os.environ["PLIMSOLL_HOME"])
    if done.returncode:
        sys.exit(f"fio: {done.stderr or done.stdout}")
    found: dict[str, Any] = json.loads(done.stdout)["jobs"][0]
    return found


def both(job: dict[str, Any], key: str) -> float:
    """Reads and writes together."""
    return float(job["read"][key] + job["write"][key])


def near(row: str, measured: float, unit: str, wanted: float, share: float) -> Result:
    """A figure that shall be within a share of another."""
    return Result(row, measured, unit, f"{wanted:,.6g} ± {share:.0%}", abs(measured / wanted - 1) <= share)


SHAPES = {
    3000: {"type": "gp3", "size": "10GiB"},
    16000: {"type": "gp3", "size": "40GiB", "iops": "16000", "throughput": "1000"},
    64000: {"type": "io2", "size": "100GiB", "iops": "64000"},
}


def rates(given: argparse.Namespace) -> Iterator[Result]:
    """Provisioned IOPS, each for as long as asked, after the bucket of the first second is empty.

    A machine whose loop device can hardly do 64,000 hardly empties that bucket; its served file can do more.
    """
    mixes = {
        "reads": ["--rw=randread"],
        "writes": ["--rw=randwrite"],
        "70/30": ["--rw=randrw", "--rwmixread=70"],
    }
    timed = ["--bs=4k", "--size=1g", "--time_based", f"--runtime={given.seconds}", "--iodepth=32", "--ramp_time=2"]
    for iops in (3000, 16000):
        for name, words in mixes.items():
            with volume(**SHAPES[iops]) as made:
                yield near(f"{iops:,} IOPS, {name}", both(fio(made.device, *timed, *words), "iops"), "1/s", iops, 0.01)
    for name, words in mixes.items():
        with volume(**SHAPES[64000]) as made:
            for place in (str(made.file), made.device):
                row = f"64,000 IOPS, {name}, {'file' if place == str(made.file) else 'loop device'}"
                yield near(row, _sustained(place, 64000, given.seconds, words), "1/s", 64000, 0.01)


def _sustained(place: str, iops: int, seconds: int, words: list[str]) -> float:
    """Mean over the seconds after the one in which the bucket, a second of the rate, ran out; over all if it never did.

    Not with a ramp: a machine that cannot keep up for a moment fills the bucket again, however long the ramp was.
    """
    log = Path(os.environ["PLIMSOLL_HOME"]) / "rate_iops.log"
    # What was measured before has left the bucket empty.
    time.sleep(2)
    # fio adds to a log that is there.
    log.unlink(missing_ok=True)
    logged = ["--write_iops_log=rate", "--log_avg_msec=1000", "--per_job_logs=0"]
    fio(place, "--bs=4k", "--size=1g", "--time_based", f"--runtime={seconds + 5}", "--iodepth=64", *logged, *words)
    found: dict[int, float] = {}
    for line in log.read_text().splitlines():
        time_ms, value = line.split(",")[:2]
        second = round(int(time_ms) / 1000)
        found[second] = found.get(second, 0.0) + float(value)
    left = float(iops)
    for second in sorted(found):
        left = min(float(iops), left - (found[second] - iops))
        if left < iops / 50:
            return statistics.mean([rate for later, rate in found.items() if later > second])
    return statistics.mean(found.values())


def throughput(given: argparse.Namespace) -> Iterator[Result]:
    """Provisioned bytes per second."""
    timed = ["--bs=256k", "--size=1g", "--iodepth=8", "--time_based", "--ramp_time=2", f"--runtime={given.seconds}"]
    for mib, shape in {125: SHAPES[3000], 500: {**SHAPES[16000], "throughput": "500"}}.items():
        with volume(**shape) as made:
            found = both(fio(made.device, *timed, "--rw=randread"), "bw_bytes") / MIB
            yield near(f"{mib} MiB/s", found, "MiB/s", mib, 0.01)


def depth(given: argparse.Namespace) -> Iterator[Result]:
    """What an idle volume gives at once: one second of its rate."""
    del given
    with volume(**SHAPES[3000]) as made:
        job = fio(made.device, "--rw=randread", "--bs=4k", "--size=1g", "--iodepth=32", "--time_based", "--runtime=4")
        found = job["read"]["total_ios"] / 3000 - job["read"]["runtime"] / 1000
        yield near("bucket depth", found, "s", 1.0, 0.05)


def credits(given: argparse.Namespace) -> Iterator[Result]:
    """gp2 credits after a known use, in a time a hundred times shorter."""
    del given
    scale, base = 100, 300
    with volume(type="gp2", size="100GiB", time_scale=str(scale)) as made:
        started = time.monotonic()
        job = fio(made.device, "--rw=randread", "--bs=4k", "--size=1g", "--iodepth=32", "--time_based", "--runtime=10")
        page = changes.statistics("bench")
        ended = time.monotonic()
        # Nothing is earned while the bucket is full: before the first I/O, for as long as fio takes to start.
        busy = ended - started - (ended - started - job["read"]["runtime"] / 1000) / 2
        used = scale * (job["read"]["total_ios"] - base * busy)
        left = next(each["tokens"] for each in page["plimsoll"]["buckets"] if each["name"] == "volume.iops_credits")
        yield near("gp2 credits used", 5.4e6 - left, "I/Os", used, 0.01)


def latency(given: argparse.Namespace) -> Iterator[Result]:
    """Depth 1 against the model in virtual time, reads and writes of gp3 and io2."""
    for name, shape in {"gp3": SHAPES[3000], "io2": SHAPES[64000]}.items():
        with volume(**shape) as made:
            spec = json.loads((made.folder / "spec.json").read_text())
            for side in ("read", "write"):
                expected = _model_percentiles(spec, side)
                words = ["--bs=4k", "--size=1g", "--iodepth=1", "--time_based", f"--runtime={given.seconds}"]
                job = fio(made.device, f"--rw=rand{side}", "--percentile_list=50:99", *words)
                found = job[side]["clat_ns"]["percentile"]
                for percentile, model_ns in expected.items():
                    bound_ns = model_ns * 1.1 + 60_000
                    measured_ns = found[f"{percentile:.6f}"]
                    goal = f"≤ {bound_ns / 1000:.0f} (model {model_ns / 1000:.0f})"
                    yield Result(
                        f"{name} {side} p{percentile}", measured_ns / 1000, "µs", goal, measured_ns <= bound_ns
                    )


def _model_percentiles(spec: dict[str, Any], side: str) -> dict[int, int]:
    workload = {
        "block_bytes": BLOCK,
        "depth": 1,
        "read_share": 1.0 if side == "read" else 0.0,
        "pattern": "random",
        "region_bytes": GIB,
        "duration_ns": 60 * SECOND,
        "seed": 7,
    }
    series = core.simulate({"volume": spec, "workload": workload})["series"]
    histogram = HdrHistogram.decode(series[f"{side}_latency"])
    return {percentile: histogram.get_value_at_percentile(percentile) for percentile in (50, 99)}


def unthrottled(given: argparse.Namespace) -> Iterator[Result]:
    """The model without limits and without latency, on memory: the served file, its loop device, and, where they are
    installed, nbdkit and nbdfuse serving a file in tmpfs. In turns, because the machine's speed drifts."""
    rounds = 5
    timed = ["--rw=randread", "--bs=4k", "--size=1g", "--iodepth=32", "--time_based", "--ramp_time=1"]
    timed.append(f"--runtime={-(-given.seconds // rounds)}")
    with volume(**SHAPES[3000]) as made, _nbdfuse() as peer:
        free = {"median_ns": 0}
        chosen = {"size": made.size_bytes, "queue": "fifo", "seed": 1, "time_scale": 1.0}
        spec = {**chosen, "read_latency": free, "write_latency": free}
        control.ask(made.folder, {"command": "set", "spec": spec})
        places = [str(made.file), made.device, *([peer] if peer else [])]
        found = [[fio(place, *timed)["read"]["iops"] for place in places] for _ in range(rounds)]
    served, looped, *others = (statistics.median(column) for column in zip(*found, strict=True))
    yield Result("reads without limits", served, "1/s", "≥ 80,000", served >= 80_000)
    yield Result("the same through loop", looped, "1/s", "≥ 80,000", looped >= 80_000)
    for other in others:
        yield Result("ratio to nbdfuse", served / other, f"× of {other:,.0f}", "≥ 1.9", served / other >= 1.9)


@contextmanager
def _nbdfuse() -> Iterator[str | None]:
    """A file in tmpfs, served by nbdkit through nbdfuse; None where these are missing."""
    if not (shutil.which("nbdfuse") and shutil.which("nbdkit")):
        yield None
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        backing, served = Path(folder) / "backing", Path(folder) / "served"
        fio(str(backing), "--rw=write", "--bs=1m", "--size=1g", "--direct=0")
        served.touch()
        words = [
            "nbdfuse",
            "-C",
            "4",
            str(served),
            "--socket-activation",
            "nbdkit",
            "--threads=16",
            "file",
            str(backing),
        ]
        server = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        try:
            while served.stat().st_size == 0 and server.poll() is None:
                time.sleep(0.05)
            yield str(served)
        finally:
            server.terminate()
            server.wait()


def idle(given: argparse.Namespace) -> Iterator[Result]:
    """CPU time of a server that nobody uses."""
    with volume(**SHAPES[3000]) as made:
        server = registry.server(made.folder)
        assert server is not None
        before = _cpu_s(server.pid)
        time.sleep(given.seconds)
        share = (_cpu_s(server.pid) - before) / given.seconds
        yield Result("CPU of an idle volume", share * 100, "%", "≤ 0.1", share <= 0.001)


def _cpu_s(pid: int) -> float:
    numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


def simulation(given: argparse.Namespace) -> Iterator[Result]:
    """IOPS of one core in virtual time."""
    del given
    seconds, operations = _simulated(2 * 3600)
    yield Result("simulation", operations / seconds / 1e6, "million/s", "≥ 10", operations / seconds >= 10e6)


def day(given: argparse.Namespace) -> Iterator[Result]:
    """A day of a volume with 16,000 IOPS."""
    del given
    seconds, _ = _simulated(24 * 3600)
    yield Result("a day of 16,000 IOPS", seconds, "s", "≤ 180", seconds <= 180)


def _simulated(length_s: int) -> tuple[float, int]:
    """CPU seconds and operations."""
    from plimsoll.catalog.shape import volume_shape

    workload = {
        "block_bytes": BLOCK,
        "depth": 32,
        "read_share": 1.0,
        "pattern": "random",
        "duration_ns": length_s * SECOND,
        "interval_ns": 60 * SECOND,
        "seed": 7,
    }
    request = {"volume": volume_shape(SHAPES[16000], "bench").spec, "workload": workload}
    started = time.process_time()
    found = core.simulate(request)
    return time.process_time() - started, found["statistics"]["total_read_ops"]


def integrity(given: argparse.Namespace) -> Iterator[Result]:
    """Random writes, each read back and compared."""
    blocks = GIB // BLOCK
    with volume(**SHAPES[3000]) as made:
        control.ask(made.folder, {"command": "bypass", "on": True})
        written = 0
        for seed in range(-(-given.writes // blocks)):
            words = ["--rw=randwrite", "--bs=4k", "--size=1g", "--iodepth=32", f"--randseed={seed}"]
            fio(made.device, *words, "--verify=crc32c", "--verify_fatal=1", f"--verify_pattern=0x{seed + 1:x}")
            written += blocks
        yield Result(
            "verified random writes",
            written / 1e6,
            "million",
            f"≥ {given.writes / 1e6:g}",
            written >= given.writes,
        )


def power(given: argparse.Namespace) -> Iterator[Result]:
    """Power losses with writes in the cache: every block is what it was at the last flush."""
    import mmap

    blocks, seed = 4096, random.Random(7)
    memory = mmap.mmap(-1, BLOCK)
    request = lifecycle.VolumeRequest("bench", SHAPES[64000], backing="memory", write_cache_bytes=64 * MIB)
    made = lifecycle.create(request)
    descriptor = os.open(made.device, os.O_RDWR | os.O_DIRECT)
    flushed, wrong, lost_bytes = [0] * blocks, 0, 0
    try:
        for cycle in range(given.cycles):
            now = list(flushed)
            for number in range(500):
                block = seed.randrange(blocks)
                now[block] = cycle * 500 + number + 1
                memory.seek(0)
                memory.write(now[block].to_bytes(8, "little") * (BLOCK // 8))
                os.pwritev(descriptor, [memory], block * BLOCK)
                if seed.random() < 0.005:
                    os.fsync(descriptor)
                    flushed = list(now)
            lost_bytes += changes.inject("bench", changes.fault("power-loss", {})) or 0
            for block, expected in enumerate(flushed):
                os.preadv(descriptor, [memory], block * BLOCK)
                wrong += memory[:BLOCK] != expected.to_bytes(8, "little") * (BLOCK // 8)
    finally:
        os.close(descriptor)
        lifecycle.delete("bench", force=True)
    yield Result(f"wrong blocks after {given.cycles} power losses", wrong, "blocks", "0", wrong == 0)
    yield Result("dropped by them", lost_bytes / MIB, "MiB", "> 0", lost_bytes > 0)


ROWS: dict[str, Callable[[argparse.Namespace], Iterator[Result]]] = {
    row.__name__: row
    for row in (
        rates, throughput, depth, credits, latency, unthrottled, idle, simulation, day, integrity, power,
    )
}  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; default: all")
    parser.add_argument("--seconds", type=int, default=20, help="of each timed run")
    parser.add_argument("--writes", type=int, default=10_000_000, help="to verify")
    parser.add_argument("--cycles", type=int, default=50, help="power losses")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if strange := [row for row in given.rows if row not in ROWS]:
        parser.error(f"no row named {', '.join(strange)}; there are {', '.join(ROWS)}")
    results = []
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as home:
        os.environ["PLIMSOLL_HOME"] = home
        for name in given.rows or ROWS:
            for result in ROWS[name](given):
                results.append(result)
                if not given.json:
                    verdict = "met" if result.met else "MISSED"
                    sys.stdout.write(
                        f"{result.row:36} {result.measured:12,.6g} {result.unit:10} {result.goal:24} {verdict}\n"
                    )
                    sys.stdout.flush()
    if given.json:
        json.dump([asdict(result) for result in results], sys.stdout, indent=2)


if __name__ == "__main__":
    main()
