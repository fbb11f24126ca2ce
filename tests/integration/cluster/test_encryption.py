"""A scheduler that speaks TLS only, with throw-away certificates that Dask's own configuration names."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.certificates import certificate
from tests.conftest import need_module
from tests.integration.cluster.conftest import DASK, QUIET, address_in
from tests.integration.run.conftest import Command, leftovers
from tests.integration.run.conftest import plimsoll as plimsoll  # the fixture


def configuration(folder: Path) -> dict[str, str]:
    """Dask's settings as environment variables."""
    made, key = certificate(folder)
    found = {"DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(made), "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True"}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        found[f"DASK_DISTRIBUTED__COMM__TLS__{role}__CERT"] = str(made)
        found[f"DASK_DISTRIBUTED__COMM__TLS__{role}__KEY"] = str(key)
    return found


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Address of the scheduler of a cluster with one worker `t1`, and what a client must have in its environment."""
    need_module("distributed")
    settings, file = configuration(tmp_path / "tls"), tmp_path / "scheduler.json"
    place = ("--protocol", "tls", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    about = (
        "--name",
        "t1",
        "--nthreads",
        "2",
        "--no-nanny",
        "--no-dashboard",
        "--local-directory",
        str(tmp_path / "d"),
    )
    environment = {**os.environ, **settings}
    commands = (
        ("distributed.cli.dask_scheduler", *place, "--scheduler-file", str(file)),
        ("distributed.cli.dask_worker", "--scheduler-file", str(file), "--protocol", "tls", *about),
    )
    started = []
    try:
        for command in commands:
            started.append(subprocess.Popen([*DASK, *command], **QUIET, env=environment))
            address = address_in(file)
        program = (
            "import sys, distributed\nwith distributed.Client(sys.argv[1]) as c: c.wait_for_workers(1, timeout=300)"
        )
        subprocess.run([*DASK[:-1], "-c", program, address], env=environment, check=True, timeout=360)
        yield address, settings
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_session_over_tls(plimsoll: Command, encrypted: tuple[str, Mapping[str, str]], tmp_path: Path) -> None:
    address, settings = encrypted
    assert address.startswith("tls://")
    folder = tmp_path / "place"
    folder.mkdir()
    short = ("--set", "size=8MiB", "--set", "runtime=200ms", "--set", "warmup=0s", "--blocks", "1", "--noisy-host")
    words = ("run", "randread", "--cluster", address, "--on", f"a=@t1:{folder},engine=null", *short)
    done = plimsoll(*words, **settings)
    assert "t1 (tls://" in done.err
    assert leftovers(folder) == []
    assert "distributed.comm.tls.ca-file" in plimsoll(*words, check=2).err
