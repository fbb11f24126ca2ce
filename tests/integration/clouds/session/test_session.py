"""From the command line to a verdict on products and an empty account, in the emulated cloud."""

from __future__ import annotations

from pathlib import Path

from tests.clouds.fixtures import KEY, SECRET, everything
from tests.clouds.machines import Machines
from tests.clouds.proxy import Proxy
from tests.integration.run.conftest import Command

TARGETS = ("--on", "gp3=aws:gp3,size=20GiB", "--on", "gp2=aws:gp2,size=20GiB", "--instance", "m7i.xlarge")
BRIEF = ("--set", "size=16MiB", "--set", "runtime=1s", "--set", "warmup=1s", "--noisy-host")


def test_one_allocation_is_measured_billed_and_given_back(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path
) -> None:
    answer = plimsoll("run", "randread", *TARGETS, *BRIEF, "--repeats", "3", "--budget", "5USD")
    assert everything(proxy.moto) == []
    assert cloud.running == []
    assert "Bill" in answer.out
    assert "m1: m7i.xlarge" in answer.out
    told = plimsoll("cloud", "list")
    assert "nothing is rented (asked: aws, us-east-1)" in told.err
    report = plimsoll("report", "--format", "json").out
    for text in (answer.out, answer.err, report, *(each.read_text(errors="replace") for each in files(tmp_path))):
        assert SECRET not in text
        assert KEY not in text


def files(folder: Path) -> list[Path]:
    """Everything that Plimsoll keeps."""
    return [each for each in folder.rglob("*.db*") if each.is_file()]
