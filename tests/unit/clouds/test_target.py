"""Targets as something to rent: machines, volumes, zones, and what is refused without asking anybody."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll.clouds.target import capped, complete, rental_of, rented_volumes
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import UnknownName, UsageError
from plimsoll.run.renting import renting_of
from plimsoll.run.study import Study, from_words


def _study(*on: str, **rent: Any) -> Study:
    return complete(from_words(["randread"], on, rent=renting_of(rent), seed=1))


def _rental(*on: str, **rent: Any) -> Rental:
    study = _study(*on, **rent)
    return rental_of(study, rented_volumes(study), rental_id="0123abcd", lease_end_ns=1, from_address="192.0.2.1/32")


def test_volumes_of_one_instance_type_share_a_machine() -> None:
    found = _rental("a=aws:gp3,size=100GiB", "b=aws:gp2,size=50GiB", instance="m7i.large", zone="us-east-1a")
    (machine,) = found.machines
    assert (machine.name, machine.type, machine.zone) == ("m1", "m7i.large", "us-east-1a")
    volumes = [(disk.target, disk.type, disk.size_bytes >> 30) for disk in machine.disks]
    assert volumes == [("a", "gp3", 100), ("b", "gp2", 50)]
    assert [layout.file_system for layout in found.layouts] == ["ext4", "ext4"]


def test_other_instance_types_get_machines_of_their_own_in_the_same_zone() -> None:
    found = _rental(
        "a=aws:gp3,size=1GiB,instance=m7i.large,zone=us-east-1b", "b=aws:gp3,size=1GiB", instance="m5.large"
    )
    machines = [(each.type, each.zone) for each in found.machines]
    assert machines == [("m7i.large", "us-east-1b"), ("m5.large", "us-east-1b")]


def test_what_is_chosen_goes_to_the_volume_and_nothing_else_does() -> None:
    found = _rental(
        "a=aws:gp3,size=500GiB,iops=6000,throughput=250,encrypted=yes,snapshot=snap-1,fs=none",
        "b=aws:gp2,size=500GiB,fs=xfs,mount=noatime,discard",
        instance="m7i.large",
    )
    first, second = found.machines[0].disks
    assert (first.iops, first.throughput, first.encrypted, first.snapshot) == (6000, 250 << 20, True, "snap-1")
    assert (second.iops, second.throughput, second.encrypted, second.snapshot) == (None, None, False, None)
    (layout,) = found.layouts
    assert (layout.target, layout.file_system, layout.mount_options) == ("b", "xfs", "noatime,discard")


def test_an_array_is_its_members() -> None:
    found = _rental("a=aws:gp2,size=10GiB,raid=0,members=4,chunk=256KiB", instance="m7i.large")
    assert [disk.member for disk in found.machines[0].disks] == [0, 1, 2, 3]
    assert (found.layouts[0].raid, found.layouts[0].chunk_bytes) == (0, 256 << 10)


def test_a_complete_study_says_all_of_it_itself() -> None:
    (target,) = _study("a=aws:gp3,size=1GiB,iops=3000", instance="m7i.large", spot=True, region="eu-west-1").targets
    assert target.where == "aws:instance=m7i.large,spot=yes,type=gp3,size=1GiB,iops=3000"
    assert target.options == {"region": "eu-west-1"}


@pytest.mark.parametrize(
    ("on", "rent", "words"),
    [
        (["aws:gp3,size=1GiB"], {}, "--instance for all"),
        (["aws:gp4,size=1GiB"], {"instance": "m7i.large"}, "no volume type named 'gp4'"),
        (["aws:gp3"], {"instance": "m7i.large"}, "needs a size"),
        (["aws:gp3,size=1GiB,iops=900000"], {"instance": "m7i.large"}, "3,000 to 80,000 IOPS"),
        (["aws:io2,size=1GiB"], {"instance": "m7i.large"}, "io2 of 1 GiB is impossible"),
        (["aws:gp3,size=1GiB"], {"instance": "m7i.huge"}, "no instance type named 'm7i.huge'"),
        (["aws:gp3,size=1GiB"], {"instance": "m7g.large"}, "arm64"),
        (["aws:gp3,size=1GiB"], {"instance": "m7i.large", "zone": "eu-west-1a"}, "not in region us-east-1"),
        (["a=aws:gp3,size=1GiB,zone=us-east-1a", "b=aws:gp3,size=1GiB,zone=us-east-1b"], {"instance": "m7i.large"},
         "one zone"),
        (["a=aws:gp3,size=1GiB,spot=yes", "b=aws:gp3,size=1GiB"], {"instance": "m7i.large"}, "differ in spot"),
        (["a=aws:instance-store"], {"instance": "m7i.large"}, "m7i.large has none"),
        (["a=aws:instance-store", "b=aws:instance-store"], {"instance": "m5d.large"}, "which has 1"),
        (["aws:premium-ssd,size=4GiB"], {"instance": "m7i.large"}, "Azure"),
        (["aws:gp3,size=1GiB,era=2013"], {"instance": "m7i.large"}, "emulated"),
        (["aws:gp3,size=1GiB,fs=zfs"], {"instance": "m7i.large"}, "no value for fs named 'zfs'"),
    ],
)  # fmt: skip
def test_bad_input(on: list[str], rent: dict[str, Any], words: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=words):
        _rental(*on, **rent)


def test_a_machine_that_holds_its_volume_back_is_told_with_the_number() -> None:
    study = _study("a=aws:gp3,size=500GiB,iops=16000", "b=aws:gp2,size=50GiB", instance="m7i.large")
    first, second, both = capped(rented_volumes(study))
    assert first == (
        "a: m7i.large sustains only 3,600 IOPS of the 16,000 IOPS of gp3 (40,000 IOPS for 30 minutes a day) and "
        "77.5 MiB/s of the 125 MiB/s of gp3 (1.16 GiB/s for 30 minutes a day)"
    )
    assert second.startswith("b: m7i.large sustains only 77.5 MiB/s of the 128 MiB/s of gp2")
    assert both == (
        "In throughput, a and b would both be measured at the limit of m7i.large instead of their own, and look the "
        "same where that is what counts; choose a larger instance"
    )
    alone = _study("a=aws:gp3,size=500GiB,iops=16000", instance="m7i.large")
    assert len(list(capped(rented_volumes(alone)))) == 1
    assert not list(capped(rented_volumes(_study("aws:gp2,size=50GiB", instance="m7i.8xlarge"))))
