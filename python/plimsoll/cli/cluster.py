"""`--cluster`: the machines that carry out the runs of a session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from plimsoll.cluster.machines import ClusterMachines

Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="tcp://HOST:8786|local:N|ssh:HOST,…",
        help="A Dask cluster; targets such as --on a=@worker1:/mnt/x are measured on its workers.",
    ),
]


@contextmanager
def machines(cluster: str | None) -> Iterator[ClusterMachines | None]:
    """The machines of a cluster, with a word about their clocks; None without one."""
    if cluster is None:
        yield None
        return
    from plimsoll.cli.output import say
    from plimsoll.cluster import machines_of
    from plimsoll.cluster.sentences import greeting

    with machines_of(cluster) as found:
        for sentence in greeting(found.workers):
            say(sentence)
        yield found
