"""While machines are made ready, each step says which machine it is on, and how many have come to it."""

from __future__ import annotations

from plimsoll.clouds.hosts.progress import Progress


def test_machines_are_counted_as_they_come_to_a_step() -> None:
    told: list[str] = []
    progress = Progress(told.append, 2)
    progress.all("waiting for 2 machines to let us in")
    progress.one("{machine} lets us in", "m2")
    progress.one("copying packages ({size}) to {machine}", "m2", size="62 MiB")
    progress.one("{machine} lets us in", "m1")
    progress.one("copying packages ({size}) to {machine}", "m1", size="70 MiB")
    assert told == [
        "waiting for 2 machines to let us in",
        "m2 lets us in (1 of 2)",
        "copying packages (62 MiB) to m2 (1 of 2)",
        "m1 lets us in (2 of 2)",
        "copying packages (70 MiB) to m1 (2 of 2)",
    ]


def test_a_single_machine_is_not_counted() -> None:
    told: list[str] = []
    Progress(told.append, 1).one("installing Plimsoll on {machine}", "m1")
    assert told == ["installing Plimsoll on m1"]
