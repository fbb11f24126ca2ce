"""From an empty account to a measured session, and to an empty account: in the emulated cloud, by the library."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

import pytest
from tests.clouds.fixtures import account, everything, rental
from tests.clouds.machines import Machines
from tests.clouds.proxy import Proxy
from tests.conftest import until
from tests.integration.clouds.host.conftest import MachinesOf
from tests.integration.clouds.host.test_ready import measured, number_of

from plimsoll.clouds import finding
from plimsoll.clouds.hosts import ready as ready_module
from plimsoll.clouds.hosts.ready import ready
from plimsoll.clouds.rent import renting
from plimsoll.clouds.wanted import Disk, Layout, Machine
from plimsoll.model import RunStatus
from plimsoll.run.lost import is_lost
from plimsoll.store.opening import open_store
from plimsoll.units import GIB
from plimsoll.volumes import registry


def test_a_gp3_is_rented_measured_and_given_back(cloud: Machines, proxy: Proxy, tmp_path: Path) -> None:
    aws = finding.cloud("aws")
    wanted = rental(layouts=(Layout(target="gp3", file_system="ext4"),))
    with renting(aws, wanted) as rented:
        folder = rented.ledger.folder
        with ready(aws, wanted, rented.hosts(), folder, print) as there:
            assert len(cloud.running) == 1
            about = there.machines.facts["workers"]["m1"]["rented"]
            (run,) = measured("randread", there.places, there.machines)
    assert run.status is RunStatus.OK, run.reason
    iops = next(score.value for score in run.scores if score.metric == "iops")
    assert 4000 < iops < 6000 * 2.6, "6,000 are provisioned"
    assert about["instance_type"] == "m7i.large"
    assert about["image"].startswith("ami-")
    assert everything(proxy.moto) == []
    assert cloud.running == []
    assert registry.volumes() == []
    assert not list((tmp_path / "clouds").iterdir())


def test_an_error_leaves_nothing(cloud: Machines, proxy: Proxy) -> None:
    aws = finding.cloud("aws")
    with (
        pytest.raises(KeyboardInterrupt),
        renting(aws, rental()) as rented,
        ready(aws, rented.rental, rented.hosts(), rented.ledger.folder, print),
    ):
        raise KeyboardInterrupt
    assert everything(proxy.moto) == []
    assert cloud.running == []
    assert registry.volumes() == []


def test_an_older_type_without_serials(proxy: Proxy, machines_of: MachinesOf) -> None:
    """Each volume is taken off and put back, and still ends with its instance."""
    aws = finding.cloud("aws")
    disks = tuple(Disk(target=name, type="gp3", size_bytes=10 * GIB) for name in ("a", "b"))
    wanted = rental(machines=(Machine(name="m1", type="m4.large", disks=disks),))
    with machines_of(nitro=False) as cloud, renting(aws, wanted) as rented:
        (host,) = rented.hosts()
        with ready(aws, wanted, [host], rented.ledger.folder, print) as there:
            for volume, (target, _) in host.volumes.items():
                device = there.places[target].partition(":")[2]
                seen = cloud[host.id].run(f"stat -c %Hr:%Lr {device}").strip()
                assert seen == number_of(registry.named(volume).device)
        instance = account(proxy.moto).describe_instances(InstanceIds=[host.id])["Reservations"][0]["Instances"][0]
        assert [each["Ebs"]["DeleteOnTermination"] for each in instance["BlockDeviceMappings"]] == [True] * 3
    assert everything(proxy.moto) == []


def test_a_machine_that_ends_meanwhile(cloud: Machines, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a spot interruption: what was measured before stays, the run under way says why it has no result."""
    monkeypatch.setattr(ready_module, "ASK_S", 0.2)
    aws = finding.cloud("aws")
    wanted = rental(layouts=(Layout(target="gp3", file_system="ext4"),))
    with renting(aws, wanted) as rented:
        (host,) = rented.hosts()
        with ready(aws, wanted, [host], rented.ledger.folder, print) as there:

            def power_off() -> None:
                until(lambda: stored() >= 1, "one run is stored")
                # The command ends with the machine.
                with suppress(AssertionError):
                    cloud[host.id].run("systemctl poweroff")

            thread = threading.Thread(target=power_off)
            thread.start()
            runs = measured("randread", there.places, there.machines, blocks=4)
            thread.join()
    first, *_, last = runs
    assert first.status is RunStatus.OK, first.reason
    assert last.status is RunStatus.FAILED
    assert "worker m1 " in last.reason
    assert is_lost(last)
    assert everything(proxy.moto) == []
    assert registry.volumes() == []


def stored() -> int:
    with open_store() as store:
        sessions = store.sessions()
        return len(store.runs([sessions[0].id])) if sessions else 0
