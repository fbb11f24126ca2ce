"""What is known about this machine; kept with every session. No credentials, no serial numbers."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import re
import resource
import time
from pathlib import Path
from typing import TypedDict

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from plimsoll.targets.blockdev import number_of, text_of

FAST_CLOCK_SOURCES = frozenset({"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"})
"""Read without leaving the process, in tens of nanoseconds (§6 of the method, guard "clock")."""

UNLIMITED = 2**60
"""Cgroup v1 writes "no limit" as the largest multiple of the page size."""

IO_URING_SETUP = 425
"""The number of the system call, the same on all processors."""

_SECRET = re.compile(r"((?:^|\s)[\w.-]*(?:key|pass|secret|token|auth|cred)[\w.-]*=)\S+", re.IGNORECASE)


class ProcessorFacts(TypedDict):
    """Its model, how many there are (`usable` by this process, `limit` by its control group), and what slows them."""

    model: str
    microcode: str
    logical: int
    physical: int
    usable: int
    limit: float | None
    governor: str
    mitigations: dict[str, str]


class MemoryFacts(TypedDict):
    """In bytes; `limit_bytes` is what this process may use."""

    total_bytes: int
    available_bytes: int
    limit_bytes: int
    swap_bytes: int
    swap_used_bytes: int


class HostFacts(TypedDict):
    """What is stored of a machine as `host` of a session, beside who owns it and which machines took part."""

    hostname: str
    distribution: str
    kernel: str
    machine: str
    command_line: str
    processor: ProcessorFacts
    memory: MemoryFacts
    virtualisation: str
    steal_since_boot: float
    clock_source: str
    io_uring: str
    aio_limit: int
    file_descriptors: int
    load: list[float]
    time_zone: str
    python: str


def host_facts(root: Path = Path("/")) -> HostFacts:
    """The facts of §7 of a good report: processor, memory, limits, kernel, clock, virtualisation, load."""
    return {
        "hostname": platform.node(),
        "distribution": _distribution(root),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "command_line": command_line(root),
        "processor": _processor(root),
        "memory": _memory(root),
        "virtualisation": virtualisation(root),
        "steal_since_boot": steal_since_boot(),
        "clock_source": text_of(root / "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "io_uring": io_uring_allowed(root),
        "aio_limit": number_of(root / "proc/sys/fs/aio-max-nr"),
        "file_descriptors": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        "load": list(os.getloadavg()),
        "time_zone": time.strftime("%Z %z"),
        "python": platform.python_version(),
    }


def command_line(root: Path = Path("/")) -> str:
    """Kernel command line without the arguments for init and with anything that looks like a secret blanked."""
    kernel = text_of(root / "proc/cmdline").partition(" -- ")[0]
    return _SECRET.sub(r"\1…", kernel)


def _distribution(root: Path) -> str:
    match = re.search(r'^PRETTY_NAME="?([^"\n]*)', text_of(root / "etc/os-release"), re.MULTILINE)
    return match[1] if match else ""


def _processor(root: Path) -> ProcessorFacts:
    text = text_of(root / "proc/cpuinfo")
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}
    vulnerabilities = root / "sys/devices/system/cpu/vulnerabilities"
    return {
        "model": fields.get("model name") or fields.get("Processor") or fields.get("CPU part", ""),
        "microcode": fields.get("microcode", ""),
        "logical": psutil.cpu_count() or 1,
        "physical": psutil.cpu_count(logical=False) or 0,
        "usable": len(os.sched_getaffinity(0)),
        "limit": cpu_limit(root),
        "governor": governor(root),
        "mitigations": {entry.name: text_of(entry) for entry in sorted(vulnerabilities.glob("*"))},
    }


def governor(root: Path = Path("/")) -> str:
    """Frequency governor of the processors; empty where the kernel does not set the frequency (most guests)."""
    found = {text_of(path) for path in (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")}
    return ", ".join(sorted(found - {""}))


def _memory(root: Path) -> MemoryFacts:
    memory, swap = psutil.virtual_memory(), psutil.swap_memory()
    return {
        "total_bytes": memory.total,
        "available_bytes": memory.available,
        "limit_bytes": memory_limit_bytes(root),
        "swap_bytes": swap.total,
        "swap_used_bytes": swap.used,
    }


def cgroup_folders(controller: str, root: Path, process: str = "self") -> list[Path]:
    """The cgroup of a process for a controller and all above it, version 2 or 1; only those that can be seen."""
    found: list[Path] = []
    for line in text_of(root / "proc" / process / "cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            tops = [root / "sys/fs/cgroup", root / "sys/fs/cgroup/unified"]
        elif controller in controllers.split(","):
            tops = [root / "sys/fs/cgroup" / controllers, root / "sys/fs/cgroup" / controller]
        else:
            continue
        inside = Path(path.lstrip("/"))
        levels = [inside, *inside.parents]
        # In a container the path is that of the host and the container's own cgroup is mounted at the top.
        found += [top / level for top in tops for level in levels if (top / level).is_dir()]
    return list(dict.fromkeys(found))


def memory_limit_bytes(root: Path = Path("/")) -> int:
    """RAM that this process may use: the machine's, or less where a cgroup limits it."""
    limits = [_total_ram(root)]
    for folder in cgroup_folders("memory", root):
        for name in ("memory.max", "memory.high", "memory.limit_in_bytes"):
            text = text_of(folder / name)
            if text.isdigit() and 0 < int(text) < UNLIMITED:
                limits.append(int(text))
    return min(limits)


def _total_ram(root: Path) -> int:
    match = re.search(r"^MemTotal:\s+(\d+) kB", text_of(root / "proc/meminfo"), re.MULTILINE)
    return int(match[1]) * 1024 if match else int(psutil.virtual_memory().total)


def cpu_limit(root: Path = Path("/")) -> float | None:
    """Processors' worth of time that a cgroup allows; None without a limit."""
    limits = []
    for folder in cgroup_folders("cpu", root):
        quota, _, period = text_of(folder / "cpu.max").partition(" ")
        if quota.isdigit() and period.isdigit():
            limits.append(int(quota) / int(period))
        quota_us, period_us = number_of(folder / "cpu.cfs_quota_us"), number_of(folder / "cpu.cfs_period_us")
        if quota_us > 0 and period_us > 0:
            limits.append(quota_us / period_us)
    return min(limits, default=None)


def virtualisation(root: Path = Path("/")) -> str:
    """Name of the hypervisor or container system as far as it shows; `none` on bare metal."""
    names = [_container(root), _hypervisor(root)]
    return ", ".join(name for name in names if name) or "none"


def _container(root: Path) -> str:
    if (root / ".dockerenv").exists():
        return "docker"
    if (root / "run/.containerenv").exists():
        return "podman"
    return "kubernetes" if "kubepods" in text_of(root / "proc/self/cgroup") else ""


def _hypervisor(root: Path) -> str:
    dmi = root / "sys/class/dmi/id"
    name = " ".join(filter(None, (text_of(dmi / "sys_vendor"), text_of(dmi / "product_name"))))
    guest = re.search(r"^flags\s*:.*\bhypervisor\b", text_of(root / "proc/cpuinfo"), re.MULTILINE)
    kind = text_of(root / "sys/hypervisor/type")
    if kind or guest or re.search(r"KVM|QEMU|VMware|Xen|Amazon EC2|Google|Virtual|Bochs|Droplet", name):
        return name or kind or "unnamed hypervisor"
    return ""


def steal_since_boot() -> float:
    """Share of the processor time since boot that a hypervisor gave to others; 0 on bare metal."""
    times = psutil.cpu_times()
    # Guest time is part of user time already.
    total = sum(times) - times.guest - times.guest_nice
    return float(times.steal / total) if total else 0.0


def io_uring_allowed(root: Path = Path("/")) -> str:
    """`yes`, `no`, `privileged` where only root and one group may use io_uring, `forbidden` to this process."""
    text = text_of(root / "proc/sys/kernel/io_uring_disabled")
    # Kernels without the switch (before 6.6) allow it; whether it is compiled in shows when an engine is opened.
    allowed = {"": "yes", "0": "yes", "1": "privileged"}.get(text, "no")
    return "forbidden" if allowed == "yes" and _is_filtered() else allowed


def _is_filtered() -> bool:
    """Whether the system call is refused before it looks at its arguments, as seccomp profiles and old kernels do."""
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(IO_URING_SETUP, 0, None) == -1 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS)
