"""The connection to a scheduler that Dask's client has given up."""

from __future__ import annotations

import time
from collections.abc import Iterator

import psutil
import pytest
from tests.conftest import need_module, until

from plimsoll.cluster import probe
from plimsoll.cluster.address import parse_cluster
from plimsoll.cluster.connection import Cluster, Task, Worker, connect
from plimsoll.errors import PlimsollError

GONE = "is gone; finished runs are stored"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    need_module("distributed")
    address = parse_cluster("local:1")
    with connect(address) as cluster:
        yield cluster


def only(cluster: Cluster) -> Worker:
    (worker,) = cluster.workers.values()
    return worker


def end(task: Task) -> None:
    until(task.done, "the task has ended")
    task.result()


def long(number: int) -> None:
    del number
    time.sleep(60)


def listening() -> list[str]:
    """The addresses at which this process and those that it started wait for others."""
    own = psutil.Process()
    return [
        each.laddr.ip
        for process in (own, *own.children(recursive=True))
        for each in process.net_connections()
        if each.status == psutil.CONN_LISTEN
    ]


def test_a_local_cluster_listens_to_this_machine_only(cluster: Cluster) -> None:
    """Its scheduler, its worker, and the page of figures that each of them has."""
    only(cluster)
    assert set(listening()) == {"127.0.0.1"}


def test_whoever_asks_a_closed_client_hears_that_the_scheduler_is_gone(cluster: Cluster) -> None:
    worker = only(cluster)
    cluster._client.close()
    cluster._asked_s = 0.0
    with pytest.raises(PlimsollError, match=GONE):
        cluster.check_alive(worker)
    with pytest.raises(PlimsollError, match=GONE):
        cluster.call(worker, probe.clock_ns)
    with pytest.raises(PlimsollError, match=GONE):
        cluster.start(worker, long)
    cluster.tell(worker, probe.clock_ns)


def test_a_task_given_up_with_its_client_says_that_the_scheduler_is_gone(cluster: Cluster) -> None:
    task = cluster.start(only(cluster), long)
    assert not task.done()
    cluster._client.close()
    with pytest.raises(PlimsollError, match=GONE):
        end(task)
    task.cancel()
