"""A connection to a Dask cluster: who its workers are, calls to one of them, and who was lost."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any

import cloudpickle
import distributed
from distributed.client import ClosedClientError
from distributed.comm.core import CommClosedError
from distributed.versions import VersionMismatchWarning

import plimsoll
from plimsoll.cluster import probe, remote
from plimsoll.cluster.address import PAGE, ClusterAddress
from plimsoll.cluster.clocks import Offset, known_well, measure_offset
from plimsoll.errors import PlimsollError, TargetError, UnknownName, UsageError
from plimsoll.extras import explained
from plimsoll.run.outcome import Progress

CONNECT_S = 10
ANSWER_S = 60.0
"""For calls that only look; runs have no limit but that of progress."""
ASK_S = 1.0
"""How often the scheduler is asked who is still there."""
SILENT_S = 15.0
"""A worker whose run tells nothing for so long is lost, whatever the scheduler believes."""
RENEW_S = 4.0
WAIT_S = 0.05

_GONE = (OSError, CommClosedError, TimeoutError, RuntimeError, ClosedClientError)
"""The last two: Dask's client has given the scheduler up and closed itself."""


class WorkerLost(PlimsollError):
    """A worker no longer answers."""

    def __init__(self, message: str, worker: str = "") -> None:
        """`worker` is its name, where it has one already."""
        super().__init__(message)
        self.worker = worker


@dataclass(frozen=True)
class Worker:
    """One worker: its name for people, its address, and its clock against this machine's."""

    name: str
    address: str
    clock: Offset
    machine: str = ""
    """The same for two workers of one machine, in containers of it too."""


class Cluster:
    """The workers of a scheduler. Calls run on exactly the worker that they name, and are never repeated elsewhere."""

    def __init__(self, client: distributed.Client, text: str) -> None:
        self._client, self._text = client, text
        self._numbers = count(1)
        self._progress: dict[int, tuple[float, Progress | None]] = {}
        self._asked_s = 0.0
        self._lost: dict[str, str] = {}
        self._check_versions()
        self.workers = {
            name: Worker(
                name,
                address,
                known_well(name, measure_offset(partial(self._at, address, probe.clock_ns))),
                self._at(address, probe.machine),
            )
            for name, address in self._named(self._present()).items()
        }
        client.subscribe_topic(remote.TOPIC, self._told)

    def worker(self, name: str) -> Worker:
        """The worker of that name; raises UnknownName."""
        if name not in self.workers:
            raise UnknownName("worker", name, self.workers, f"the cluster {self._text}")
        return self.workers[name]

    def call(self, worker: Worker, function: Callable[..., Any], *args: Any) -> Any:
        """What `function` answers on a worker. Raises TargetError for what it refuses, WorkerLost, PlimsollError."""
        future = self._submit(worker, function, args)
        deadline = time.monotonic() + ANSWER_S
        try:
            while not future.done():
                self.check_alive(worker)
                if time.monotonic() > deadline:
                    raise self.lost(worker, f"did not answer within {ANSWER_S:g} s")
                time.sleep(WAIT_S)
            return self._result(worker, future)
        finally:
            forget(future)

    def start(self, worker: Worker, function: Callable[..., Any], *args: Any) -> Task:
        """Begin something long on a worker that tells its progress; its last argument is the task's number."""
        number = next(self._numbers)
        self._progress[number] = (time.monotonic(), None)
        return Task(self, worker, number, self._submit(worker, function, (*args, number)))

    def tell(self, worker: Worker, function: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Call a short coroutine on a worker's event loop, while a run goes on; nobody waits for it."""
        try:
            # Dask tries for half a minute to reach a worker that is gone, and this call would wait for it.
            self._look()
            if worker.name not in self._lost:
                with self._closed_is_gone():
                    self._client.run(function, *args, workers=[worker.address], wait=False, on_error="ignore")
        except (*_GONE, ValueError, KeyError, PlimsollError):
            return

    def progress(self, number: int) -> tuple[float, Progress | None]:
        """Moment (s, monotonic) and content of the last progress of a task."""
        return self._progress[number]

    def check_alive(self, worker: Worker) -> None:
        """Raise WorkerLost if the scheduler does not know a worker any more; asks at most once a second."""
        if time.monotonic() - self._asked_s >= ASK_S:
            self._look()
        if why := self._lost.get(worker.name):
            raise self.lost(worker, why)

    def _look(self) -> None:
        """Ask the scheduler who is there: one answer tells about all workers, whoever was asked for."""
        self._asked_s = time.monotonic()
        present = self._present()
        for worker in self.workers.values():
            if worker.address not in present:
                self._lost.setdefault(worker.name, "was lost")

    def give_up(self, name: str, why: str) -> None:
        """A worker is about to go: whatever waits for it ends now, as if it were lost."""
        self._lost.setdefault(name, why)

    def lost(self, worker: Worker, why: str) -> WorkerLost:
        """Note that a worker is lost, for good: one that comes back has forgotten what was open on it."""
        self._lost.setdefault(worker.name, why)
        return WorkerLost(f"worker {worker.name} ({worker.address}) {why}", worker.name)

    def _submit(self, worker: Worker, function: Callable[..., Any], args: tuple[Any, ...]) -> distributed.Future:
        self._asked_s = 0.0
        try:
            return self._client.submit(
                function, *args, workers=[worker.address], allow_other_workers=False, pure=False, retries=0
            )
        except ClosedClientError:
            raise self._gone() from None

    def _result(self, worker: Worker, future: distributed.Future) -> Any:
        try:
            with self._closed_is_gone():
                result = future.result(timeout=CONNECT_S)
        except distributed.KilledWorker:
            raise self.lost(worker, "was lost") from None
        except distributed.CancelledError:
            # A client that closes gives up all its tasks: then it is the scheduler that is gone.
            self._look()
            raise PlimsollError(f"the scheduler of {self._text} gave up a task; see its log") from None
        except (CommClosedError, TimeoutError, ClosedClientError):
            self._look()
            raise
        if isinstance(result, remote.Refused):
            raise TargetError(f"worker {worker.name}: {result.message}")
        return result

    def _present(self) -> dict[str, Any]:
        """Address and description of all workers."""
        try:
            try:
                identity = self._identity()
            except TimeoutError:
                # A machine that slept meanwhile gave it no time to answer.
                identity = self._identity()
        except _GONE:
            raise self._gone() from None
        found: dict[str, Any] = identity["workers"]
        return found

    def _gone(self) -> PlimsollError:
        return PlimsollError(
            f"the scheduler of {self._text} is gone; finished runs are stored, and the workers clean up by "
            f"themselves within {remote.LEASE_S:g} s"
        )

    def _identity(self) -> Any:
        with self._closed_is_gone():
            return self._client.sync(self._client.scheduler.identity, n_workers=-1, callback_timeout=CONNECT_S)

    @contextmanager
    def _closed_is_gone(self) -> Iterator[None]:
        """Dask's client that has closed itself, at any moment, has None where its scheduler was."""
        try:
            yield
        except AttributeError:
            if self._client.scheduler is not None:
                raise
            raise ClosedClientError("Dask's client has given its scheduler up") from None

    def _named(self, present: Mapping[str, Any]) -> dict[str, str]:
        """Address by name: the worker's own, or worker1, worker2, … in the order of addresses."""
        named: dict[str, str] = {}
        for place, (address, about) in enumerate(sorted(present.items(), key=lambda item: _order(*item)), 1):
            own = about.get("name")
            name = own if isinstance(own, str) and "://" not in own else f"worker{place}"
            named[name if name not in named else f"worker{place}"] = address
        return named

    def _check_versions(self) -> None:
        """Every worker runs this very Plimsoll: two versions may measure differently."""
        present = self._present()
        if not present:
            raise UsageError(f"the cluster {self._text} has no worker; start some with `dask worker {self._text}`")
        for address in present:
            about = self._at(address, probe.about)
            if about["plimsoll"] != plimsoll.__version__:
                has = f"Plimsoll {about['plimsoll']}" if about["plimsoll"] else "no Plimsoll"
                raise UsageError(
                    f"worker {address} on {about['hostname']} has {has}, this is {plimsoll.__version__}; install the "
                    "same version everywhere"
                )

    def _at(self, address: str, function: Callable[[], Any]) -> Any:
        try:
            with self._closed_is_gone():
                return self._client.run(function, workers=[address])[address]
        except (*_GONE, KeyError):
            raise WorkerLost(f"worker {address} was lost before anything began") from None

    def _told(self, event: Any) -> None:
        """A worker's progress; arrives on the client's own thread."""
        _, content = event
        number = content.get("number") if isinstance(content, Mapping) else None
        if number in self._progress:
            # A heartbeat alone says nothing new about the run.
            known = content if "phase" in content else self._progress[number][1]
            self._progress[number] = (time.monotonic(), known)


def _order(address: str, about: Mapping[str, Any]) -> tuple[int, str]:
    name = about.get("name")
    return (name if isinstance(name, int) else 0, address)


@dataclass
class Task:
    """A call that runs on a worker, and may take long."""

    cluster: Cluster
    worker: Worker
    number: int
    future: distributed.Future

    def done(self) -> bool:
        """Whether it has ended. Raises WorkerLost as soon as that is known."""
        if self.future.done():
            return True
        self.cluster.check_alive(self.worker)
        if time.monotonic() - self.progress[0] > SILENT_S:
            raise self.cluster.lost(self.worker, f"was silent for {SILENT_S:g} s")
        return False

    @property
    def progress(self) -> tuple[float, Progress | None]:
        """Moment and content of the last progress."""
        return self.cluster.progress(self.number)

    def result(self) -> Any:
        """What it returned."""
        return self.cluster._result(self.worker, self.future)

    def cancel(self) -> None:
        """Forget it; what goes on there is stopped by other means."""
        forget(self.future)


def forget(future: distributed.Future) -> None:
    """Tell the scheduler that nobody waits for it any more; one that is gone has forgotten it."""
    with suppress(ClosedClientError):
        future.cancel()


@contextmanager
def connect(address: ClusterAddress) -> Iterator[Cluster]:
    """The cluster, started if need be and then ended with the context. Raises UsageError, TargetError, WorkerLost."""
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        try:
            if address.kind == "tunnel":
                # Its workers have Plimsoll, and Python in a version of their own: compiled code does not suit them.
                stack.enter_context(warnings.catch_warnings(category=VersionMismatchWarning, action="ignore"))
            elif probe.__name__ not in cloudpickle.list_registry_pickle_by_value():
                cloudpickle.register_pickle_by_value(probe)
                stack.callback(cloudpickle.unregister_pickle_by_value, probe)
            client = stack.enter_context(_client(address, stack))
        except ImportError as error:
            raise explained(error) from None
        except _GONE as error:
            reason = str(error) or type(error).__name__
            raise TargetError(f"no cluster answers at {address.text} ({reason}); is the scheduler running?") from None
        yield Cluster(client, address.text)


def _client(address: ClusterAddress, stack: ExitStack) -> distributed.Client:
    about: dict[str, Any] = {"timeout": CONNECT_S, "set_as_default": False, "name": "plimsoll"}
    if address.kind == "scheduler":
        _check_certificates(address)
        return distributed.Client(address.text, **about)
    cluster: Any
    if address.kind == "local":
        # Without a dashboard each process still has a page of figures, on every network unless told.
        cluster = distributed.LocalCluster(
            n_workers=address.workers,
            threads_per_worker=2,
            dashboard_address=None,
            worker_dashboard_address=PAGE,
            scheduler_kwargs={"dashboard_address": PAGE},
            silence_logs=logging.CRITICAL,
        )
    else:
        cluster = import_module(f"plimsoll.cluster.{address.kind}").start(address)
    stack.enter_context(cluster)
    expected = len(cluster.worker_spec)
    try:
        # A worker that runs is not yet one that the scheduler knows.
        cluster.wait_for_workers(expected, timeout=ANSWER_S)
    except TimeoutError:
        raise TargetError(f"{address.text}: not all of its {expected} workers came within {ANSWER_S:g} s") from None
    client = distributed.Client(cluster, **about)
    if address.kind == "local":
        # A terminal tells Ctrl-C to all of its processes: workers that heard it would be gone before they cleaned up.
        client.run(probe.ignore_interrupts)
    return client


def _check_certificates(address: ClusterAddress) -> None:
    """Dask itself waits long and then fails without a word about its configuration."""
    if not address.text.startswith("tls:"):
        return
    if distributed.Security().get_connection_args("client").get("ssl_context") is None:
        raise UsageError(
            f"{address.text} needs certificates; name them in Dask's configuration: distributed.comm.tls.ca-file, "
            "distributed.comm.tls.client.cert and distributed.comm.tls.client.key"
        )
