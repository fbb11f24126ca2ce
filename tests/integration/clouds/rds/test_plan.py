"""`plimsoll plan` of a rented database, for people and for programs: what is rented, and what a kill would leave."""

from __future__ import annotations

from tests.clouds.proxy import Proxy
from tests.clouds.rds import emulated
from tests.integration.clouds.rds.test_renting import left
from tests.integration.run.conftest import Command

PLAN = (
    "plan", "ycsb-a", "--on=db=aws-rds:mysql,class=db.m5.large,storage=io1,size=200GiB,iops=1000",
    "--clients-on=aws:m7i.large,count=2", "--budget=5USD",
)  # fmt: skip


def test_a_plan_for_programs_lists_databases_and_what_outlives_a_killed_controller(
    plimsoll: Command, proxy: Proxy
) -> None:
    with emulated(proxy) as rds:
        found = plimsoll(*PLAN, "--json").json["rent"]
        [database] = found["databases"]
        told = ("target", "engine", "class", "storage", "size_bytes", "iops")
        assert [database[name] for name in told] == ["db", "mysql", "db.m5.large", "io1", 200 * 2**30, 1000]
        assert [each["name"] for each in found["machines"]] == ["client1", "client2"]
        assert found["outlives"] is None
        assert found["not_asked"] is None

        rds.forbidden |= {"scheduler:CreateSchedule"}
        outlives = plimsoll(*PLAN, "--json").json["rent"]["outlives"]
        assert outlives.startswith("database db outlives a killed controller until `plimsoll cloud sweep`, and a day ")
        assert plimsoll(*PLAN).out.splitlines()[0] == outlives
    assert left(proxy.moto) == []
