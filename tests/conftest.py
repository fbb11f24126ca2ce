"""What all tests share: honest skips, throw-away places, deadlines, and who may run beside whom."""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Property tests have no time limit of their own: the machine may be busy.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


pytest_plugins = ["tests.seconds"]


def pytest_configure() -> None:
    """A shell that starts the tests in its background has interrupts ignored, for all that the tests start as well.

    So has `nohup` with the end of a terminal.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


SHARED = (
    "tests/integration/assurance/",
    "tests/integration/safety/",
    "tests/integration/simulation/test_served.py",
    "tests/integration/traces/",
    "tests/integration/volumes/",
)
"""They share loop devices, users and control groups: beside others, but not beside each other."""
ALONE = (
    "tests/integration/clouds/rds/test_load_line.py",
    "tests/integration/clouds/session/test_models.py",
    "tests/integration/clouds/session/test_session.py::test_the_self_test_says_what_it_has_verified",
    "tests/integration/frontends/test_fio_relations.py::test_jobs_of_one_flow_keep_their_ratio",
    "tests/integration/run/test_databases.py::test_a_study_that_searches_a_load_line_runs_by_name",
    "tests/integration/run/test_load_line_answers.py",
    "tests/integration/volumes/test_fit.py::test_limits_and_latencies_are_found_again",
)
"""What they find depends on a machine that does nothing else."""
CAMPAIGNS = (
    "tests/integration/assurance/test_torture.py",
    "tests/integration/cluster/test_cluster.py",
    "tests/integration/clouds/host/test_ready.py",
    "tests/integration/clouds/rds/test_load_line.py",
    "tests/integration/clouds/rds/test_resuming.py",
    "tests/integration/clouds/rds/test_session.py",
    "tests/integration/clouds/rent/test_kills.py",
    "tests/integration/clouds/session/test_models.py",
    "tests/integration/clouds/session/test_resuming.py",
    "tests/integration/clouds/session/test_session.py",
    "tests/integration/clouds/session/test_volumes_and_machines.py",
    "tests/integration/clouds/studies/",
    "tests/integration/guides/",
    "tests/integration/install/",
    "tests/integration/recipes/test_compiled.py",
    "tests/integration/run/test_guides.py",
    "tests/integration/run/test_originals.py::test_originals_take_the_quick_sizes",
    "tests/integration/run/test_products.py",
    "tests/integration/run/test_store_away.py::test_a_front_end_prints_its_result_and_its_run_waits",
    "tests/integration/run/test_tasks.py",
    "tests/integration/simulation/test_served.py",
    "tests/integration/traces/test_proof.py",
    "tests/integration/volumes/test_fit.py",
    "tests/unit/importers/test_conformance.py::test_every_truncation_is_survived",
    "tests/unit/importers/test_long_lines.py::test_whatever_of_a_line_is_long_takes_time_in_proportion",
    "tests/unit/importers/test_spellings.py::test_no_number_is_silently_different",
    "tests/web/test_charts.py::test_a_forest_of_many_targets_over_six_decades",
    "tests/web/test_charts.py::test_rates_over_time_of_few_and_many_points",
    "tests/web/test_charts.py::test_runs_by_block_of_few_and_many",
    "tests/web/test_every_chart.py",
    "tests/web/test_server_pages.py",
    "tests/web/test_site.py",
)
"""They take minutes: whole sessions on rented machines and on a cluster, killed and resumed; torture; guides, tasks,
the site and every page of the server; what is compiled and installed; every damage to every fixture, and every chart of
every shape of data.
`make test-campaigns` runs them, and so does CI."""
NAMED = {"alone": ALONE, "campaign": CAMPAIGNS}
RENTED = "tests/integration/clouds/"
"""They wait for machines and for what these measure, nine tenths of their time."""
LONG = (
    RENTED,
    "tests/integration/install/",
    *SHARED,
    "tests/web/test_site.py",
    "tests/integration/recipes/",
    "tests/integration/cluster/",
    "tests/integration/run/",
    "tests/integration/",
    "tests/web/",
    "tests/golden/sentences/",
)
"""Files that take minutes begin first, in this order: one that began last would be waited for alone."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Tests that start the command wait half of their time for what they measure; one more is for those that rent."""
    return (os.cpu_count() or 1) * 3 // 2 + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """One worker runs all tests of a file, one those that share what a machine has only once, one those that rent."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if nodeid.startswith(RENTED):
                return "rented"
            return "shared" if nodeid.startswith(SHARED) else str(super()._split_scope(nodeid))

    # In the order of LONG, not the files with most tests first.
    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where tests of a list are asked for, no other file is read: there are hundreds."""
    wanted = NAMED.get(config.option.markexpr.partition(" ")[0])
    if wanted is None or not collection_path.is_file():
        return None
    return None if any(f"/{place.partition('::')[0]}" in collection_path.as_posix() for place in wanted) else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for marker, places in NAMED.items():
            if item.nodeid.startswith(places):
                item.add_marker(marker)
    items.sort(key=lambda item: next((i for i, place in enumerate(LONG) if item.nodeid.startswith(place)), len(LONG)))


def pytest_collection_finish() -> None:
    """What was collected stays until the end: looking through it again and again would take a tenth of the time."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def until(condition: Callable[[], object], what: str, seconds: float = 60.0) -> None:
    """Wait for something that other processes or threads bring about; fails with `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.002)


def need(condition: bool, what: str) -> None:
    """Skip where a component is missing; under CI that is a failure, because skipped is not passed."""
    if condition:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must have {what}")
    pytest.skip(f"needs {what}")


def need_root() -> None:
    need(os.geteuid() == 0, "root")


def need_module(name: str) -> None:
    need(importlib.util.find_spec(name) is not None, f"the Python module {name}")


def need_program(name: str) -> str:
    path = shutil.which(name)
    need(path is not None, f"the program {name}")
    return str(path)


@pytest.fixture(scope="session")
def _states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of their own: pytest looks through all that lies beside a new folder, for thousands of tests."""
    return tmp_path_factory.mktemp("states")


@pytest.fixture(autouse=True)
def _private_state(_states: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test has its own store and state folder, so that no test touches the user's results."""
    state = Path(tempfile.mkdtemp(dir=_states))
    monkeypatch.setenv("PLIMSOLL_HOME", str(state))
    monkeypatch.delenv("PLIMSOLL_STORE", raising=False)
    umask = os.umask(0o022)
    os.umask(umask)
    yield
    assert os.umask(umask) == umask, "the next tests would make their files with another mask"
    if any(Path("/dev/shm").glob(f"plimsoll-{os.geteuid()}-*")):
        from plimsoll.cli import live_states

        # What sessions left in memory that a test killed.
        monkeypatch.setenv("PLIMSOLL_HOME", str(state))
        if (left := live_states.folder()) is not None:
            shutil.rmtree(left, ignore_errors=True)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory on a real disk."""
    return tmp_path
