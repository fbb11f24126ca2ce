"""From the command line to a verdict on products and an empty account, in the emulated cloud."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.clouds.fixtures import KEY, SECRET, everything
from tests.clouds.machines import Machines
from tests.clouds.proxy import Proxy
from tests.conftest import until
from tests.integration.run.conftest import PLIMSOLL, Command

from plimsoll.store.opening import open_store

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
    assert "its volumes were rented for it and given back" in plimsoll("extend", check=2).err
    plimsoll("report", "-o", "report.html")
    plimsoll("report", "-o", "report.json")
    plimsoll("export", "-o", "session.plimsoll")
    kept = [tmp_path / name for name in ("report.html", "report.json", "session.plimsoll")]
    for text in (answer.out, answer.err, *(each.read_text(errors="replace") for each in (*kept, *files(tmp_path)))):
        assert SECRET not in text
        assert KEY not in text
    assert "Rented for" in kept[0].read_text()


RENTING = """
import plimsoll
targets = ["gp3=aws:gp3,size=20GiB"]
settings = {"size": "16MiB", "runtime": "1s", "warmup": "1s"}
session = plimsoll.run(
    "randread", targets, settings=settings, noisy_host=True, repeats=3, instance="m7i.xlarge", budget=5, lease="2h"
)
print(session.record.study["rent"], sum(run.status == "ok" for run in session.runs))
"""


def test_the_library_rents_as_the_command_does(cloud: Machines, proxy: Proxy, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", RENTING], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "'budget': '5USD'" in done.stdout
    assert "'lease': '2 h'" in done.stdout
    assert done.stdout.split()[-1] == "3"
    assert everything(proxy.moto) == []
    assert cloud.running == []


@pytest.mark.slow
def test_fresh_allocations_give_a_verdict_on_the_products_and_end_early(
    plimsoll: Command, cloud: Machines, proxy: Proxy
) -> None:
    # So far apart that a busy machine does not make three allocations too few.
    slower = ("--on", "fast=aws:gp3,size=20GiB", "--on", "slow=aws:io1,size=20GiB,iops=100", "--instance", "m7i.xlarge")
    answer = plimsoll("run", "randread", *slower, *BRIEF, "--repeats", "3", "--allocations", "5", "--budget", "5USD")
    assert "allocation 3 of at most 5" in answer.err
    assert "allocation 4" not in answer.err, "it is decided after three"
    assert "3 fresh allocations of each" in answer.out
    assert "Rented afresh for each allocation, in us-east-1" in answer.out
    assert "3 rentals, one after the other" in answer.out
    # Answer, table and prices have one line for each product.
    assert "2 targets (fast, slow)" in answer.out
    assert "from 3 fresh allocations" in answer.out
    assert "(allocation " not in answer.out.partition("Cautions")[0]
    assert "(allocation " not in answer.out.partition("Price of what was tested")[2]
    for step in ("m1 lets us in", "finding the disks of m1"):
        assert answer.err.count(step) == 3
    assert answer.err.count("installing Plimsoll on m1") + answer.err.count("m1 has this Plimsoll already") == 3
    assert everything(proxy.moto) == []
    assert cloud.running == []
    names = [row["session"] for row in plimsoll("list", "sessions", "--json").json]
    (row,) = [each for each in plimsoll("compare", "--products", *names, "--json").json if each["metric"] == "iops"]
    assert (row["answer"], row["allocations"], row["target"]) == ("worse", 3, "slow")
    assert 20 < 1 / row["ratio"] < 40, "3,000 and 100 IOPS"


def test_an_interrupt_gives_everything_back_and_keeps_the_bill(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with log.open("wb") as kept:
        process = subprocess.Popen(
            [PLIMSOLL, "run", "randread", *TARGETS, *BRIEF, "--blocks", "20", "--budget", "5USD"],
            cwd=tmp_path, stdout=kept, stderr=kept,
        )  # fmt: skip
        until(lambda: process.poll() is not None or "block 1" in log.read_text(), "a first run", 120)
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 130, log.read_text()
    assert "interrupted; finished runs are kept, and what was rented was given back" in log.read_text()
    assert everything(proxy.moto) == []
    assert cloud.running == []
    assert "Rented for" in plimsoll("show").out
    (session,) = [row["session"] for row in plimsoll("list", "sessions", "--json").json]
    assert "another allocation" in plimsoll("run", "--resume", session, check=2).err


def test_the_self_test_says_what_it_has_verified(plimsoll: Command, cloud: Machines, proxy: Proxy) -> None:
    answer = plimsoll("cloud", "selftest", "--budget", "1USD", "--json")
    assert [each["ok"] for each in answer.json] == [True] * 5, answer.out
    with open_store() as store:
        assert store.sessions()[0].study["noisy_host"], "what neighbours of the host do is no failure"
    assert everything(proxy.moto) == []
    assert cloud.running == []


def files(folder: Path) -> list[Path]:
    """Everything that Plimsoll keeps."""
    return [each for each in folder.rglob("*.db*") if each.is_file()]
