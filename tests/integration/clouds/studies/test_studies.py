"""Published studies with `--provider aws`, from the command to a report and an empty account, at quick sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clouds.machines import Machines
from tests.clouds.proxy import Proxy
from tests.clouds.rds import emulated
from tests.integration.clouds.rds.test_renting import left
from tests.integration.run.conftest import Command

from plimsoll.run.studies import studies

QUICK = ("--provider", "aws", "--quick-sizes", "--noisy-host")
MEASURED = [
    ("piops-2013", ("standard", "piops1000"), "t3.small", "io1 100 GiB, 1,000 IOPS"),
    ("raid-fs-2009", ("ext3", "raid0-xfs"), "t3.small", "4 × standard 5 GiB"),
    ("commit-2008", ("ephemeral", "ebs"), "m5d.large", "standard 100 GiB"),
    ("gp2-vs-instance-store-2020", ("gp2", "store"), "m5d.large", "gp2 385 GiB"),
]
"""Study, two of its targets with its baseline among them, the machine that is rented today, and one of the volumes."""
BRIEF = {"gp2-vs-instance-store-2020": ("--set", "runtime=3s")}
"""What quick sizes leave long."""


def some(study: str, names: tuple[str, ...]) -> list[str]:
    """These targets of a study, as they are typed."""
    known = {target.name: target for target in studies()[study].study(quick=True).targets}
    return [f"--on={name}={known[name].where}" for name in names]


@pytest.mark.slow
@pytest.mark.parametrize(("study", "names", "machine", "volume"), MEASURED)
def test_a_study_is_rented_measured_and_given_back(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path,
    study: str, names: tuple[str, ...], machine: str, volume: str,
) -> None:  # fmt: skip
    report = tmp_path / "report.md"
    answer = plimsoll(
        "run", study, *some(study, names), *QUICK, *BRIEF.get(study, ()), "--blocks=1", "--budget=5USD", "-o", report
    )
    assert left(proxy.moto) == []
    assert cloud.running == []
    text = report.read_text()
    assert f"m1: {machine}" in text
    assert volume in text
    assert f"2 targets ({names[0]}, {names[1]})" in answer.out
    counted = next(line for line in answer.out.splitlines() if "runs valid" in line)
    tests = len(studies()[study].study(quick=True).entries)
    assert f"{2 * tests} of {2 * tests} runs valid" in counted, answer.out


@pytest.mark.slow
def test_the_search_of_a_study_is_rented_measured_and_given_back(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path, database: list[str]
) -> None:
    """Two of its three databases: each is searched for its load line by a client machine."""
    report = tmp_path / "report.md"
    words = ("knee", "rds-piops-2013", *some("rds-piops-2013", ("standard", "iops1000")), *QUICK)
    brief = ("--stored=0s", "--clients=1..8")
    answer = plimsoll(*words, *brief, "--clients-on=aws:m7i.large", "--budget=5USD", "-o", report)
    assert left(proxy.moto) == []
    assert cloud.running == []
    assert len(database) == 2
    text = report.read_text()
    assert "MySQL on db.m5.large, io1 100 GiB, 1,000 IOPS" in text
    for name in ("standard", "iops1000"):
        assert name in answer.out
    assert "Rented for" in answer.out


def test_the_plan_of_a_search_has_its_price(plimsoll: Command, proxy: Proxy) -> None:
    words = ("plan", "rds-piops-2013", "--provider", "aws", "--clients-on", "aws:m7i.large,count=2")
    with emulated(proxy):
        told = plimsoll(*words, "--lease", "8h", "--budget", "50USD").out
        rent = plimsoll(*words, "--lease", "8h", "--json").json["rent"]
    assert "rds-piops-2013 is a search, whose runs are not known in advance; this is what it would rent" in told
    assert "iops3000: MySQL on db.m5.large, io1 300 GiB, 3,000 IOPS" in told
    assert "unknown" not in told
    assert "at most, within the budget of $50.00 (prices as of " in told
    assert told.rstrip().endswith("nothing was rented")
    assert all(line["as_of"] for line in rent["prices"])
    assert rent["most_usd"] == pytest.approx(8 * rent["usd_per_hour"])
    assert left(proxy.moto) == []
    assert "run it with `plimsoll knee rds-piops-2013`" in plimsoll("plan", "rds-piops-2013", check=2).err
