"""fio's `numa_cpu_nodes` and `numa_mem_policy`."""

from __future__ import annotations

from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.section_options import Words

NODES = Path("/sys/devices/system/node")


def cpus_of(words: Words) -> list[int]:
    """Processors of the nodes that a job may run on. Raises UsageError where there is no such node."""
    found: list[int] = []
    for node in words.read("numa_cpu_nodes", values.cpu_list):
        cpus = NODES / f"node{node}" / "cpulist"
        if not cpus.exists():
            raise UsageError(f"{words.section.where}: numa_cpu_nodes: this machine has no node {node}")
        found += values.cpu_list(cpus.read_text().strip())
    return found


def check(words: Words) -> None:
    """Memory has one place where there is one node; otherwise it is not chosen here. Raises UsageError."""
    if words.given("numa_mem_policy") and len(list(NODES.glob("node[0-9]*"))) > 1:
        raise UsageError(
            f"{words.section.where}: numa_mem_policy is not supported by Plimsoll on machines with several nodes; "
            "start it under numactl"
        )
