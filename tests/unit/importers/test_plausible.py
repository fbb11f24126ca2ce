"""Rates that cannot be: told where the file names what limits them, and only there."""

from __future__ import annotations

import pytest
from tests.unit.importers.importing import read, read_text, told

from plimsoll.importers.source import Source
from plimsoll.model import Level, Run

PTS = """<?xml version="1.0"?>
<PhoronixTestSuite>
  <System>
    <Identifier>{name}</Identifier>
    <Hardware>Processor: Intel Xeon (1 Core), Motherboard: {board}, Memory: {memory}, Disk: {disk}</Hardware>
    <Software>OS: Ubuntu 14.04, File-System: {file_system}</Software>
  </System>
  <Result>
    <Identifier>pts/tiobench-1.1.0</Identifier>
    <Title>Threaded I/O Tester</Title>
    <Arguments>x</Arguments>
    <Description>{test}</Description>
    <Scale>MB/s</Scale>
    <Proportion>HIB</Proportion>
    <DisplayFormat>BAR_GRAPH</DisplayFormat>
    <Data><Entry><Identifier>{name}</Identifier><Value>{value}</Value><RawString>{value}</RawString></Entry></Data>
  </Result>
</PhoronixTestSuite>
"""
DEFAULTS = {
    "name": "run",
    "board": "Xen HVM domU",
    "memory": "1024MB",
    "disk": "8GB",
    "file_system": "ext4",
    "test": "Random Read - Size Per Thread: 32MB - Thread Count: 8",
    "value": "3940",
}


def phoronix(**changes: str) -> Run:
    (run,) = read_text("phoronix", PTS.format(**DEFAULTS | changes)).runs
    return run


def sentences(run: Run) -> list[str]:
    assert all(finding.level is Level.WARN for finding in run.findings)
    return [finding.message for finding in run.findings if finding.guard in ("plausible", "working_set")]


def test_files_that_fit_into_the_memory_of_a_micro_instance() -> None:
    assert sentences(phoronix()) == [
        "the 256 MiB of files that were read fit into the memory of 1 GiB: 3.85 GiB/s may be its speed, not the disk's"
    ]
    assert sentences(phoronix(test="64MB Random Read - 8 Threads", memory="2 x 512MB"))


@pytest.mark.parametrize(
    "changes",
    [
        {"test": "Random Read - Size Per Thread: 256MB - Thread Count: 8"},
        {"test": "Random Write - Size Per Thread: 32MB - Thread Count: 8"},
        {"test": "Random Read - Size Per Thread: 32MB - Thread Count: 8 - Direct: Yes"},
        {"test": "Random Read - Block Size: 4KB"},
        {"test": "Random Read"},
        {"memory": "unknown"},
        {"file_system": "tmpfs"},
    ],
)
def test_no_word_of_memory_where_the_file_does_not_say_both_or_it_cannot_have_answered(changes: dict[str, str]) -> None:
    assert not sentences(phoronix(**changes))


def test_more_than_the_instance_carries() -> None:
    large = {"test": "Random Read - Size Per Thread: 64GB"}
    (only,) = sentences(phoronix(board="Amazon EC2 t2.micro", value="300", **large))
    assert only == "300 MiB/s is more than the network of an instance t2.micro carries (122 MiB/s)"
    (only,) = sentences(phoronix(board="Amazon EC2 c5.large v1.0", value="900", **large))
    assert only == "900 MiB/s is more than an instance c5.large carries to its volumes (566 MiB/s)"


@pytest.mark.parametrize(
    "changes",
    [
        {"board": "Amazon EC2 t2.micro", "value": "125"},
        {"board": "Amazon EC2 m5d.large"},
        {"board": "Amazon EC2 t2.micro to c5.large"},
        {"board": "Amazon EC2 zz9.large"},
        {"board": "t2.micro.example.org"},
        {"name": "gp2", "value": "260"},
        {"name": "gp2", "disk": "2 x 8GB"},
        {"name": "gp2 raid"},
        {"name": "gp2 or gp3"},
        {"name": "standard"},
        {"name": "my-gp2"},
        {"name": "gp2", "file_system": "tmpfs"},
    ],
)
def test_no_word_of_a_limit_that_is_kept_not_known_or_not_the_only_one(changes: dict[str, str]) -> None:
    assert not sentences(phoronix(**{"test": "Random Read - Size Per Thread: 64GB"} | changes))


def test_more_than_a_volume_of_the_named_type_gives() -> None:
    large = {"test": "Random Read - Size Per Thread: 64GB"}
    (only,) = sentences(phoronix(name="gp2 100", value="400", **large))
    assert only == "400 MiB/s is more than one gp2 volume gives (250 MiB/s)"
    text = PTS.format(**DEFAULTS | large | {"value": "400"})
    (run,) = read("phoronix", Source("run.xml", text.encode()), target="st1").runs
    assert not sentences(run)
    (run,) = read("phoronix", Source("run.xml", text.replace(">400<", ">900<").encode()), target="st1").runs
    assert sentences(run) == ["900 MiB/s is more than one st1 volume gives (500 MiB/s)"]


SYSBENCH = """sysbench 1.0.20
Block size 16KiB
File operations:
    reads/s:                      {reads}
    writes/s:                     0.00
Throughput:
    read, MiB/s:                  {throughput}
    written, MiB/s:               0.00
General statistics:
    total time:                          10.0s
    total number of events:              10000
"""


def test_requests_of_one_size_make_the_throughput() -> None:
    (run,) = read_text("sysbench", SYSBENCH.format(reads="1000.00", throughput="98.00")).runs
    assert told(run) == {"rates"}
    (run,) = read_text("sysbench", SYSBENCH.format(reads="1000.00", throughput="15.62")).runs
    assert not told(run)
    (run,) = read_text("sysbench", SYSBENCH.format(reads="2.90", throughput="0.05")).runs
    assert not told(run)


def test_a_hostile_description_costs_little() -> None:
    for text in ("a" * 20_000, "a1." * 7000, "1 x " * 5000, "size: 1" * 3000):
        assert phoronix(board=text, test=text) is not None
