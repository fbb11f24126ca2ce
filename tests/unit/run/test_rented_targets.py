"""`--provider aws`: each emulated target becomes one that AWS sells today, and a sentence says what was changed."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll import notices
from plimsoll.clouds.target import complete, rented_volumes
from plimsoll.errors import UnknownName, UsageError
from plimsoll.prices.databases import database_cost
from plimsoll.run.rented_targets import rented_study, to_rent
from plimsoll.run.studies import chosen, studies
from plimsoll.targets.parse import parse_target
from plimsoll.targets.rented_database import rented_shape

OF_VOLUMES = ("piops-2013", "raid-fs-2009", "commit-2008", "gp2-vs-instance-store-2020")


def said(monkeypatch: pytest.MonkeyPatch, words: list[str], **given: Any) -> tuple[Any, list[str]]:
    """The study, and the sentences that the user is told."""
    told: list[str] = []
    monkeypatch.setattr(notices, "_listeners", [told.append])
    return chosen(words, [], {}, {"provider": "aws", **given}), told


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", OF_VOLUMES)
def test_every_target_of_a_study_is_sold_today(name: str, quick: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    study, told = said(monkeypatch, [name], quick_sizes=quick)
    before = studies()[name].study(quick=quick)
    assert [target.name for target in study.targets] == [target.name for target in before.targets]
    # Each is read as plan reads it: what is not sold would be refused.
    assert len(rented_volumes(complete(study))) == len(before.targets)
    assert study.entries == before.entries
    assert any("era=" in sentence for sentence in told)


def test_what_is_no_longer_rented_names_its_successor(monkeypatch: pytest.MonkeyPatch) -> None:
    study, told = said(monkeypatch, ["piops-2013"])
    assert study.targets[1].where == "aws:type=io1,size=30GiB,iops=200,instance=t3.small,fs=ext4"
    everything = "standard, piops200, piops400, piops1000, piops2000"
    assert told == [
        f"{everything}: era=2013, memory=1350MiB are of an emulated volume, and left out",
        f"{everything}: instance m1.small is rented as t3.small: the M1 family is of a previous generation and no "
        "image with Python 3.11 was tried on it",
    ]


def test_targets_that_share_an_instance_share_its_successor(monkeypatch: pytest.MonkeyPatch) -> None:
    study, _ = said(monkeypatch, ["commit-2008"])
    assert [target.where for target in study.targets] == [
        "aws:type=instance-store,instance=m5d.large,fs=ext3",
        "aws:type=standard,size=100GiB,instance=m5d.large,fs=ext3",
    ]


@pytest.mark.parametrize("quick", [False, True])
def test_servers_on_volumes_become_managed_databases(quick: bool) -> None:
    before = studies()["rds-piops-2013"].study(quick=quick)
    study, told = rented_study(before, "aws")
    assert to_rent(before.targets, "aws", "mariadb").written == (
        "standard=aws-rds:mysql,class=db.m5.large,storage=gp3,size=100GiB",
        "iops1000=aws-rds:mysql,class=db.m5.large,storage=io1,size=100GiB,iops=1000",
        "iops3000=aws-rds:mysql,class=db.m5.large,storage=io1,size=300GiB,iops=3000",
    )
    assert "standard: storage standard is rented as gp3: RDS ended magnetic storage on 2026-04-30" in told
    assert any("is rented as class db.m5.large: RDS has no class of the M1 family" in sentence for sentence in told)
    assert any("server mariadb is rented as mysql: a private MariaDB stands for MySQL here" in each for each in told)
    assert all("server" not in entry.overrides for entry in study.entries)


def test_all_of_a_rented_study_has_a_dated_price() -> None:
    """Without one no budget could be kept, and nobody could rent it."""
    study, _ = rented_study(studies()["rds-piops-2013"].study(), "aws")
    for target in study.targets:
        found = database_cost(rented_shape(target))
        assert found.unknown == ()
        assert found.as_of


def test_a_server_without_a_successor_stays_itself() -> None:
    volume = parse_target("a=vol:type=gp3,size=100GiB,instance=m7i.large")
    found = to_rent([volume], "aws", "postgresql")
    assert found.written == ("a=aws-rds:postgres,class=db.m7i.large,storage=gp3,size=100GiB",)
    assert found.notices == ()


def test_options_for_the_test_stay_and_other_targets_too() -> None:
    base = chosen(["randread"], ["a=vol:type=gp3,size=10GiB,instance=m7i.large,depth=4", "b=/mnt/b"], {}, {})
    study, told = rented_study(base, "aws")
    assert study.targets[0].options == {"depth": "4"}
    assert study.targets[0].where == "aws:type=gp3,size=10GiB,instance=m7i.large,fs=ext4"
    assert study.targets[1] == base.targets[1]
    assert told == ()


def test_how_it_is_rented_is_said_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    study, _ = said(monkeypatch, ["piops-2013"], rent={"budget": "5USD", "allocations": 3})
    assert study.rent.allocations == 3


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(UnknownName, match="no provider named 'aw'"):
        rented_study(studies()["piops-2013"].study(), "aw")
    with pytest.raises(UsageError, match="none of these targets is emulated; write one to rent"):
        rented_study(chosen(["randread"], ["a=/mnt/a"], {}, {}), "aws")
    volume = parse_target("a=vol:type=gp3,size=10GiB,instance=m7i.large")
    with pytest.raises(UsageError, match="no managed database is known for server=redis"):
        to_rent([volume], "aws", "redis")
    with pytest.raises(UsageError, match="name the instance whose class"):
        to_rent([parse_target("a=vol:type=gp3,size=10GiB")], "aws", "mariadb")
