"""Recordings of real devices: what fio issued is in the trace, with its latencies, however the recording ends."""

from __future__ import annotations

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import need, need_program, need_root, until

from plimsoll.traces import core
from plimsoll.traces.seconds import from_trace
from plimsoll.traces.tracefs import NoTracing, tracing_folder
from plimsoll.volumes import lifecycle, registry
from plimsoll.volumes.removal import remove

INSTANCES = "instances"
Row = tuple[int, int | None, int | None, int, int, int, int, int]


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Path]:
    """A loop device on a file."""
    need_root()
    file = tmp_path / "disk"
    with file.open("wb") as disk:
        disk.truncate(128 << 20)
    made = subprocess.run(["losetup", "-f", "--show", file], capture_output=True, text=True, check=False)
    need(made.returncode == 0, "loop devices")
    device = Path(made.stdout.strip())
    yield device
    subprocess.run(["losetup", "-d", device], check=True)


@pytest.fixture
def served() -> Iterator[Path]:
    """A volume whose latency is that of a model, not of this machine."""
    need_root()
    need(Path("/dev/fuse").exists(), "/dev/fuse")
    request = lifecycle.VolumeRequest(name="observed", options={"type": "gp3", "size": "1GiB"}, backing="memory")
    volume = lifecycle.create(request)
    yield Path(volume.device)
    with registry.changes():
        remove(volume.folder, force=True)


@pytest.fixture
def instances() -> Path:
    """The folder of the instances of the kernel's tracing."""
    need_root()
    try:
        found = tracing_folder() / INSTANCES
    except NoTracing:
        found = Path("/none")
    need(found.is_dir(), "tracing of the kernel: mount -t tracefs nodev /sys/kernel/tracing")
    return found


def started(tmp_path: Path, *words: str) -> subprocess.Popen[str]:
    """`plimsoll observe …`, recording."""
    command = [sys.executable, "-m", "plimsoll", "observe", *words, "-o", str(tmp_path / "load.trace")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: (tmp_path / "load.trace").exists() and (tmp_path / "load.trace").stat().st_size, "it records")
    # The tracepoints are on a moment after the file has begun.
    time.sleep(0.3)
    return process


def fio(device: Path, *options: str) -> dict[str, Any]:
    need_program("fio")
    job = ["--name=job", f"--filename={device}", "--direct=1", "--ioengine=libaio", "--output-format=json", *options]
    done = subprocess.run(["fio", *job], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)["jobs"][0]
    return found


def rows(path: Path) -> list[Row]:
    reader, found = core.opened(path), []
    for chunk in core.chunks(path):
        reader.feed(chunk)
        found += reader.events()
    reader.finish()
    return found + reader.events()


def by(name: str, path: Path) -> list[Row]:
    """The I/Os of one process."""
    processes = core.contents(path).header["processes"]
    return [row for row in rows(path) if row[7] == processes.index(name)]


def left_by(process: subprocess.Popen[str], instances: Path) -> list[Path]:
    """The instances of one recording: tests of documents record beside these, in instances of their own."""
    return list(instances.glob(f"plimsoll-{process.pid}-*"))


def interrupted(process: subprocess.Popen[str]) -> tuple[str, str]:
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err, err
    return out, err


def test_what_was_issued_is_in_the_trace(device: Path, instances: Path, tmp_path: Path) -> None:
    process = started(tmp_path, str(device))
    assert left_by(process, instances), "while it records"
    job = fio(device, "--rw=randrw", "--bs=4k", "--iodepth=8", "--number_ios=4000", "--size=100M", "--fsync=100")
    out, err = interrupted(process)
    assert process.returncode == 0, err
    trace = tmp_path / "load.trace"
    found = by("fio", trace)
    for kind, name in enumerate(("read", "write")):
        mine = [row for row in found if row[3] == kind]
        assert len(mine) == job[name]["total_ios"]
        assert sum(row[5] for row in mine) == job[name]["io_bytes"]
    assert len([row for row in found if row[3] == 3]) == job["sync"]["total_ios"]
    assert all(row[2] is not None and row[1] is not None and row[1] <= row[2] for row in found)
    assert "the devices' own counters agree" in err
    assert "warning" not in err
    assert f"next: plimsoll profile {trace}" in err
    assert "nothing came meanwhile" not in err
    assert f"of {device.name} in" in out
    assert not core.contents(trace).totals["cut"]
    assert left_by(process, instances) == []


@pytest.mark.parametrize("words", [[], ["--counters"]])
@pytest.mark.usefixtures("instances")
def test_a_device_that_was_idle_is_said_to_be(words: list[str], device: Path, tmp_path: Path) -> None:
    process = started(tmp_path, str(device), "--for", "1s", *words)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.startswith("0 ")
    assert "nothing came meanwhile, so there is no load to look at" in err
    assert "next:" not in err


@pytest.mark.usefixtures("instances")
def test_latencies_are_those_of_the_volume(served: Path, tmp_path: Path) -> None:
    """Of 32 reads at once of 3,000 IOPS: the device's own sum of latencies, and what the program saw at the most."""
    process = started(tmp_path, str(served))
    job = fio(served, "--rw=randread", "--bs=4k", "--iodepth=32", "--number_ios=9000", "--size=100M")
    interrupted(process)
    trace = tmp_path / "load.trace"
    edges = core.contents(trace).totals["counters"][0]
    counted_ns = edges["after"]["latency_ns"][0] - edges["before"]["latency_ns"][0]
    found = [row for row in rows(trace) if row[3] == 0]
    assert len(by("fio", trace)) == 9000
    assert sum(row[2] or 0 for row in found) == pytest.approx(counted_ns, rel=0.02)
    assert statistics.fmean(row[2] or 0 for row in by("fio", trace)) < 1.02 * job["read"]["lat_ns"]["mean"]


@pytest.mark.usefixtures("instances")
def test_large_ios_that_the_kernel_splits_are_one_each(device: Path, tmp_path: Path) -> None:
    process = started(tmp_path, str(device))
    job = fio(device, "--rw=write", "--bs=4M", "--iodepth=2", "--size=64M")
    _, err = interrupted(process)
    mine = by("fio", tmp_path / "load.trace")
    assert sum(row[5] for row in mine) == job["write"]["io_bytes"]
    assert all(row[2] is not None for row in mine)
    assert "the devices' own counters agree" in err


def test_a_recording_that_was_killed_is_readable_and_swept(device: Path, instances: Path, tmp_path: Path) -> None:
    process = started(tmp_path, str(device))
    fio(device, "--rw=randread", "--bs=4k", "--iodepth=1", "--number_ios=1000", "--size=100M")
    until(lambda: core.contents(tmp_path / "load.trace").events == 1000, "what was recorded is on the disk")
    process.kill()
    process.communicate()
    found = core.contents(tmp_path / "load.trace")
    assert found.totals["cut"]
    assert found.events == 1000
    left = left_by(process, instances)
    assert len(left) == 1
    again = started(tmp_path, str(device), "--for", "1s", "--force")
    _, err = again.communicate(timeout=60)
    assert again.returncode == 0, err
    assert not left[0].exists()


@pytest.mark.parametrize("words", [[], ["--counters"], ["--max-size", "64MiB", "--ring"]])
def test_however_often_the_end_is_asked_for_the_trace_is_whole(
    words: list[str], device: Path, instances: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "plimsoll", "observe", str(device), *words, "-o", str(tmp_path / "load.trace")]
    load = ["fio", "--name=job", f"--filename={device}", "--direct=1", "--ioengine=libaio", "--rw=randread", "--bs=4k"]
    nothing = subprocess.DEVNULL
    fio = subprocess.Popen([*load, "--iodepth=8", "--time_based", "--runtime=60", "--rate_iops=5000"], stdout=nothing)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    trace = tmp_path / "load.trace"
    try:
        until(lambda: any(file.stat().st_size for file in tmp_path.glob("load.trace*")), "it records")
        time.sleep(1.2)
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP] * 100:
            process.send_signal(number)
            time.sleep(0.0005)
        _, err = process.communicate(timeout=60)
    finally:
        fio.kill()
        fio.wait()
    assert "Traceback" not in err, err
    found = core.contents(trace)
    assert not found.totals["cut"]
    assert left_by(process, instances) == []
    if words != ["--counters"]:
        assert found.events > 1000
        assert "warning" not in err
    assert sorted(path.name for path in tmp_path.glob("load*")) == ["load.trace"]


@pytest.fixture
def counted_group(device: Path) -> Iterator[Path]:
    """A cgroup of which the kernel counts the I/O on the device: one of version 1 that has a limit there."""
    above = Path("/sys/fs/cgroup/blkio")
    need((above / "blkio.throttle.read_bps_device").exists(), "a blkio cgroup")
    folder = above / f"plimsoll-test-{os.getpid()}"
    folder.mkdir()
    number = (Path("/sys/block") / device.name / "dev").read_text().strip()
    (folder / "blkio.throttle.read_bps_device").write_text(f"{number} {1 << 40}")
    yield folder
    until(lambda: not (folder / "cgroup.procs").read_text(), "its processes have ended")
    folder.rmdir()


def has_open(pid: int, device: Path) -> bool:
    """Whether a process has a device open; a descriptor may be closed between the list and the look at it."""
    with suppress(FileNotFoundError):
        return any(os.readlink(fd) == str(device) for fd in Path(f"/proc/{pid}/fd").iterdir())
    return False


@pytest.mark.parametrize("others", [False, True])
def test_counters_say_how_much_was_of_others(others: bool, device: Path, counted_group: Path, tmp_path: Path) -> None:
    """Two equal loads, one of them in the cgroup of the process that was named."""
    load = f"exec fio --name=job --filename={device} --direct=1 --rw=randread --bs=4k --rate_iops=500 --time_based"
    load += " --runtime=60 --thread"
    inside = subprocess.Popen(
        ["sh", "-c", f"echo $$ > {counted_group}/cgroup.procs; {load}"], stdout=subprocess.DEVNULL
    )
    loads = [inside]
    if others:
        loads.append(subprocess.Popen(["sh", "-c", load], stdout=subprocess.DEVNULL))
    try:
        until(lambda: "fio" in Path(f"/proc/{inside.pid}/comm").read_text(), "fio has begun")
        until(lambda: has_open(inside.pid, device), "fio has opened the device")
        process = started(tmp_path, str(inside.pid), "--counters", "--for", "3s")
        _, err = process.communicate(timeout=60)
    finally:
        for each in loads:
            each.kill()
            each.wait()
    assert process.returncode == 0, err
    said = re.search(rf"I/Os of {device.name} that are not of process {inside.pid} .*: (\d+) % of the bytes read", err)
    if others:
        assert said is not None, err
        assert 40 <= int(said[1]) <= 60, err
        assert str(said[0]) in str(core.contents(tmp_path / "load.trace").totals["left_out"])
    else:
        assert said is None, err


@pytest.mark.usefixtures("instances")
def test_names_are_left_out_where_asked(device: Path, tmp_path: Path) -> None:
    process = started(tmp_path, str(device), "--anonymous")
    fio(device, "--rw=randread", "--bs=4k", "--number_ios=50", "--size=10M")
    interrupted(process)
    found = core.contents(tmp_path / "load.trace")
    assert found.header["processes"] == [""]
    assert "the names of processes were left out (--anonymous)" in found.header["notes"]
    assert found.events >= 50
    assert b"fio" not in (tmp_path / "load.trace").read_bytes()


def test_counters_need_no_rights(device: Path, tmp_path: Path) -> None:
    process = started(tmp_path, str(device), "--counters", "--json")
    fio(device, "--rw=randread", "--bs=4k", "--number_ios=500", "--size=10M")
    time.sleep(1.2)
    out, err = interrupted(process)
    told = json.loads(out)
    assert told["content"] == "samples"
    assert told["ios"] >= 500
    assert "no percentiles" in err
    path = tmp_path / "load.trace"
    reader = core.opened(path)
    for chunk in core.chunks(path):
        reader.feed(chunk)
    samples = json.loads(reader.samples())
    assert sum(sample["grown"]["requests"][0] for sample in samples) >= 500
    assert json.loads(reader.finish())["recorded_ns"] == sum(sample["interval_ns"] for sample in samples)
    # And they can be advised on.
    series = from_trace(path)
    assert series.source == "counters (observe)"
    assert series.reads.sum() == sum(sample["grown"]["requests"][0] for sample in samples)
    assert series.read_bytes.sum() == sum(sample["grown"]["bytes"][0] for sample in samples)


@pytest.mark.usefixtures("instances")
def test_a_process_stands_for_the_devices_of_its_files(device: Path, tmp_path: Path) -> None:
    opened, nothing = os.open(device, os.O_RDONLY), subprocess.DEVNULL
    holder = subprocess.Popen(["sleep", "60"], stdin=opened, stdout=nothing, stderr=nothing)
    os.close(opened)
    try:
        process = started(tmp_path, str(holder.pid), "--for", "1s")
        _, err = process.communicate(timeout=60)
    finally:
        holder.kill()
        holder.wait()
    assert [known["name"] for known in core.contents(tmp_path / "load.trace").header["devices"]] == [device.name]
    assert "appears later, as writeback" in err


def test_another_tracer_keeps_its_events(device: Path, instances: Path, tmp_path: Path) -> None:
    """One that watches the same tracepoint meanwhile, with its own filter and its own buffer."""
    other = instances / f"another-{os.getpid()}"
    other.mkdir()
    point = other / "events/block/block_bio_queue"
    try:
        number = device.stat().st_rdev
        wanted = f"nr_sector == 8 && dev == {os.major(number) << 20 | os.minor(number)}"
        (point / "filter").write_text(wanted)
        (point / "enable").write_text("1")
        process = started(tmp_path, str(device))
        fio(device, "--rw=randread", "--bs=4k", "--number_ios=500", "--size=10M")
        interrupted(process)
        assert len(by("fio", tmp_path / "load.trace")) == 500
        assert ((point / "enable").read_text().strip(), (point / "filter").read_text().strip()) == (
            "1",
            wanted,
        )
        assert (other / "trace").read_text().count("[fio]") == 500
    finally:
        (point / "enable").write_text("0")
        other.rmdir()


@pytest.mark.usefixtures("instances")
@pytest.mark.parametrize("own_proc", [True, False])
def test_in_a_container_numbers_of_processes_are_its_own_or_refused(
    own_proc: bool, device: Path, tmp_path: Path
) -> None:
    """The shell of a new PID namespace opens the device as its process 2 or so, which outside has another number."""
    need_program("unshare")
    trace = tmp_path / "load.trace"
    observe = f"{sys.executable} -m plimsoll observe $! --for 4s -o {trace}"
    script = f"sleep 60 < {device} & {observe} & watched=$!; "
    script += f"while kill -0 $watched && [ ! -s {trace} ]; do sleep 0.1; done; sleep 0.3; "
    script += f"dd if={device} of=/dev/null bs=4k count=100 iflag=direct 2> /dev/null; wait $watched"
    space = ["unshare", "--pid", "--fork", "--kill-child", *(["--mount-proc"] if own_proc else [])]
    done = subprocess.run([*space, "sh", "-c", script], capture_output=True, text=True, check=False, timeout=60)
    told = re.sub(r"\s+", " ", done.stderr)
    if not own_proc:
        assert done.returncode == 2
        assert "/proc shows the processes of another PID namespace" in told
        assert not trace.exists()
        return
    assert done.returncode == 0, done.stderr
    assert f"observing {device.name} for 4s" in told
    assert len([row for row in by("dd", trace) if row[3] == 0]) == 100


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["/proc"], "there is no block device behind /proc"),
        (["/nowhere/at/all"], "cannot look at /nowhere/at/all"),
        (["4999999"], "there is no process 4999999"),
        (["/", "--ring"], "--ring needs to know how much to keep"),
        (["/", "--for", "0s"], "nothing could be recorded"),
        (["/", "--max-size", "12"], "at least 1 MiB"),
    ],
)
def test_what_cannot_be_recorded_is_refused(words: list[str], told: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "plimsoll", "observe", *words, "-o", str(tmp_path / "load.trace")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert told in re.sub(r"\s+", " ", done.stderr)
    assert not (tmp_path / "load.trace").exists()


@pytest.mark.usefixtures("instances")
def test_a_full_trace_ends_and_a_ring_goes_on(device: Path, tmp_path: Path) -> None:
    load = (
        "--rw=randread",
        "--bs=4k",
        "--iodepth=4",
        "--rate_iops=40000",
        "--time_based",
        "--runtime=14",
        "--size=100M",
    )
    plain = started(tmp_path, str(device), "--max-size", "1MiB")
    fio(device, *load)
    _, err = plain.communicate(timeout=60)
    trace = tmp_path / "load.trace"
    assert "the trace has the size of --max-size" in err
    assert trace.stat().st_size <= 1 << 20
    assert not core.contents(trace).totals["cut"]
    ring = started(tmp_path, str(device), "--max-size", "1MiB", "--ring", "--force", "--for", "16s")
    fio(device, *load)
    _, err = ring.communicate(timeout=60)
    found = core.contents(trace)
    assert found.totals["left_out"][0]["what"] == "ring"
    assert "older parts of the recording were dropped" in err
    # It begins with what was kept, by its own times and by the clock.
    kept = rows(trace)
    assert kept[0][0] == 0
    assert found.totals["last_arrival_ns"] == kept[-1][0]
    assert kept[-1][0] <= found.totals["recorded_ns"] < 15.5e9
    assert not found.totals["counters"]
    ended_ns = found.header["start_unix_ns"] + found.totals["recorded_ns"]
    assert abs(ended_ns - trace.stat().st_mtime_ns) < 3e9
    assert sorted(path.name for path in tmp_path.glob("load*")) == ["load.trace"]
