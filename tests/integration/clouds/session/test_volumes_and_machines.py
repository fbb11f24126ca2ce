"""Volumes from snapshots, and spot instances that are taken back, from the command line to an empty account."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.clouds import faults
from tests.clouds.fixtures import REGION, account, everything
from tests.clouds.machines import Machines
from tests.clouds.proxy import Proxy
from tests.conftest import until
from tests.integration.clouds.session.test_session import BRIEF
from tests.integration.run.conftest import PLIMSOLL, Command

from plimsoll.store.opening import open_store


def test_a_volume_from_a_snapshot_is_measured_twice_at_its_first_touch(
    plimsoll: Command, cloud: Machines, proxy: Proxy
) -> None:
    ec2 = account(proxy.moto)
    source = ec2.create_volume(AvailabilityZone=f"{REGION}a", Size=20)["VolumeId"]
    snapshot = ec2.create_snapshot(VolumeId=source)["SnapshotId"]
    before = everything(proxy.moto)
    volume = "aws:gp3,size=20GiB"
    answer = plimsoll(
        "run", "randread", f"--on=plain={volume}", f"--on=restored={volume},snapshot={snapshot}",
        "--instance=m7i.xlarge", *BRIEF, "--repeats=2", "--title=touched", "--budget=5USD",
    )  # fmt: skip
    asked = [call.parameters for call in proxy.calls if call.action == "RunInstances" and not _is_dry(call.parameters)]
    assert [value for name, value in asked[0].items() if name.endswith("SnapshotId")] == [snapshot]
    with open_store() as store:
        runs = store.runs([store.find_session("touched").id])
    first = [run for run in runs if run.target.name == "restored" and run.block == 0]
    assert [(run.attempt, run.status.value) for run in first] == [(0, "invalid"), (1, "ok")]
    assert "measured a second time, and that counts" in first[0].reason
    assert all(run.status.value == "ok" for run in runs if run.target.name == "plain")
    assert "first touch" in answer.out
    assert everything(proxy.moto) == before, "the snapshot's own volume is somebody else's"
    assert cloud.running == []


def test_a_spot_instance_that_is_taken_back_ends_a_block_and_not_the_session(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path
) -> None:
    targets = ("--on=stays=aws:gp3,size=20GiB", "--on=goes=aws:gp3,size=20GiB,instance=m5.large", "--spot")
    words = ("run", "randread", *targets, "--instance=m7i.large", *BRIEF, "--repeats=4", "--budget=5USD")
    log = tmp_path / "log"
    with log.open("wb") as kept:
        process = subprocess.Popen([PLIMSOLL, *words], cwd=tmp_path, stdout=kept, stderr=kept)
        until(lambda: process.poll() is not None or "block 2" in log.read_text(), "a second block", 180)
        assert process.poll() is None, log.read_text()
        _take_back(proxy, cloud, "m5.large")
        code = process.wait(180)
    said = log.read_text()
    assert "Traceback" not in said
    assert code == 2, said
    assert "the session goes on without it" in said
    assert "what is missing needs another allocation" in said
    assert "--cluster" not in said
    assert everything(proxy.moto) == []
    assert cloud.running == []
    with open_store() as store:
        (session,) = store.sessions()
        runs = store.runs([session.id])
    good = {name: [run.block for run in runs if run.target.name == name and run.status.value == "ok"] for name in
            ("stays", "goes")}  # fmt: skip
    assert good["stays"] == list(range(4))
    assert good["goes"] in ([0], [0, 1], [0, 1, 2])
    assert "was given back" in plimsoll("run", "--resume", session.id, check=2).err


def _is_dry(parameters: dict[str, str]) -> bool:
    return "DryRun" in parameters


def _take_back(proxy: Proxy, cloud: Machines, kind: str) -> None:
    """As AWS does: the instance ends, and its description says why."""
    reason = "<code>Server.SpotInstanceTermination</code><message>Spot capacity is gone</message>"
    old = r"<stateReason>.*?</stateReason>"
    proxy.after.append(faults.rewritten("DescribeInstances", old, f"<stateReason>{reason}</stateReason>"))
    wanted = [{"Name": "instance-type", "Values": [kind]}]
    listed = account(proxy.moto).describe_instances(Filters=wanted)["Reservations"]
    (instance,) = [each["InstanceId"] for one in listed for each in one["Instances"]]
    cloud[instance].end()
