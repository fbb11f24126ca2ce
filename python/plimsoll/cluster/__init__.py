"""Many client machines: runs on the workers of a Dask cluster.

address     how a cluster and a place on a worker are written
connection  the workers of a scheduler, calls to one of them, and who was lost
clocks      how far a worker's clock is away
probe       what a worker is, asked without Plimsoll on it
remote      what runs on a worker
tunnel      workers that are reached through SSH alone
machines    the workers as machines of a session
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.cluster.machines import ClusterMachines


@contextmanager
def machines_of(text: str) -> Iterator[ClusterMachines]:
    """The machines of the cluster written as in `--cluster`. Raises UsageError where the extra is not installed."""
    from plimsoll.cluster.address import parse_cluster
    from plimsoll.extras import explained

    address = parse_cluster(text)
    try:
        from plimsoll.cluster.connection import connect
        from plimsoll.cluster.machines import ClusterMachines
    except ImportError as error:
        raise explained(error) from None

    with connect(address) as cluster:
        yield ClusterMachines(cluster)
