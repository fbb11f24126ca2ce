"""Starts the command in processes of their own that need not load the libraries again.

A process that has imported them splits off one for each command. That one begins as the installed command does, with
arguments, environment, directory, limit of open files and pipes of its own, and ends as it does. Where there is little
time to give, loading is most of what a short command does. Three such processes take turns: what one command writes and
the next reads must not hang on the order of sets, which is drawn once in the life of an interpreter. One of them, which
has every sixteenth turn, has imported nothing of Plimsoll, so that a module which only works after another one is
noticed. All others leave without taking apart what they never used, which would take three times as long as they ran.
"""

from __future__ import annotations

import atexit
import gc
import itertools
import json
import os
import pkgutil
import resource
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

LIBRARIES = ("typer", "rich.console", "rich.table", "rich.progress", "pydantic.dataclasses", "pydantic.main",
             "pydantic.types", "pydantic.type_adapter", "numpy", "numpy.typing", "hdrh.histogram", "sqlite3",
             "sqlalchemy", "sqlalchemy.dialects.sqlite", "alembic.command", "alembic.config", "psutil", "jinja2",
             "tomli_w", "uuid_utils", "email.parser", "importlib.resources.readers")  # fmt: skip
OURS = ("plimsoll.cli.main", "plimsoll.run.session_runner", "plimsoll.run.workloads.io", "plimsoll.report.build",
        "plimsoll.store.opening", "plimsoll.store.baselines", "plimsoll.store.scored", "plimsoll.cli.board",
        "plimsoll.cli.live_states", "plimsoll.api.measuring", "plimsoll.api.comparing", "plimsoll.importers.reading",
        "plimsoll.report.likened", "plimsoll.simulation.carrying", "plimsoll.frontends.bonnie.app",
        "plimsoll.frontends.fio.app", "plimsoll.frontends.ping.app", "plimsoll.frontends.ycsb.app")  # fmt: skip
WHOLE = ("plimsoll.catalog.providers", "plimsoll.cli.commands", "plimsoll.importers", "plimsoll.report.charts",
         "plimsoll.report.renderers", "plimsoll.report.sections", "plimsoll.run.guards")  # fmt: skip
"""Packages whose modules are found by looking into their folders."""
BARE_EVERY = 16
LIMIT_S = 300.0
TURNS = itertools.count()


def run(words: list[str], cwd: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """What `plimsoll WORDS` did, as `subprocess.run` would have it. Raises TimeoutExpired."""
    turn = next(TURNS)
    line = _line(turn % 2 + 1 if turn % BARE_EVERY else 0)
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    try:
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        order = {"words": words, "cwd": str(cwd), "environment": environment, "files": limits}
        socket.send_fds(line, [json.dumps(order).encode()], [out_end, err_end])
    finally:
        os.close(out_end)
        os.close(err_end)
    pid = json.loads(line.recv(64))
    command = ["plimsoll", *words]
    parts: dict[int, bytes] = {out: b"", err: b"", line.fileno(): b""}
    try:
        _read(parts, time.monotonic() + LIMIT_S)
    except TimeoutError:
        if not parts[line.fileno()]:
            os.kill(pid, signal.SIGKILL)
            line.recv(64)
        raise subprocess.TimeoutExpired(command, LIMIT_S) from None
    finally:
        os.close(out)
        os.close(err)
    texts = (parts[each].decode().replace("\r\n", "\n") for each in (out, err))
    return subprocess.CompletedProcess(command, json.loads(parts[line.fileno()]), *texts)


def _read(parts: dict[int, bytes], deadline: float) -> None:
    """Read from two pipes to their ends, and one message from the last, a line. Raises TimeoutError."""
    *_, line = parts
    with selectors.DefaultSelector() as selector:
        for each in parts:
            selector.register(each, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(deadline - time.monotonic(), 0.001))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                part = os.read(key.fd, 1 << 16)
                parts[key.fd] += part
                if not part or key.fd == line:
                    selector.unregister(key.fd)


@cache
def _line(number: int) -> socket.socket:
    """The connection to a starter of our own; it ends when we do. All but number 0 have loaded `OURS` and `WHOLE`."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    words = [sys.executable, "-P", __file__, str(its.fileno()), *(("ours",) if number else ())]
    # No threads of NumPy's library: who splits off has one.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    starter = subprocess.Popen(words, pass_fds=[its.fileno()], stdout=subprocess.DEVNULL, env=environment)
    its.close()
    atexit.register(_end, ours, starter)
    return ours


def _end(line: socket.socket, starter: subprocess.Popen[bytes]) -> None:
    line.close()
    starter.wait()


def _serve(line: socket.socket) -> dict[str, Any] | None:
    """Split off a process for each order: it returns with its order, the starter with None when nobody is left."""
    while True:
        message, pipes, *_ = socket.recv_fds(line, 1 << 20, 2)
        if not message:
            return None
        pid = os.fork()
        if not pid:
            line.close()
            for pipe, standard in zip(pipes, (1, 2), strict=True):
                os.dup2(pipe, standard)
                os.close(pipe)
            return dict(json.loads(message))
        for pipe in pipes:
            os.close(pipe)
        line.send(json.dumps(pid).encode())
        line.send(json.dumps(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def _load(ours: bool) -> None:
    for module in (*LIBRARIES, *(OURS if ours else ())):
        import_module(module)
    for package in WHOLE if ours else ():
        for found in pkgutil.iter_modules(import_module(package).__path__):
            import_module(f"{package}.{found.name}")


def _leave_after(main: Callable[[], None]) -> None:
    """End as the interpreter does, up to where it would begin to free everything. What is unusual it ends itself."""
    code: int | None = None
    try:
        main()
    except SystemExit as ending:
        if not isinstance(ending.code, int | None):
            raise
        code = ending.code
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)
    os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    ours = "ours" in sys.argv
    _load(ours)
    gc.freeze()
    order = _serve(socket.socket(fileno=int(sys.argv[1])))
    if order is not None:
        os.chdir(order["cwd"])
        os.environ.clear()
        os.environ.update(order["environment"])
        resource.setrlimit(resource.RLIMIT_NOFILE, tuple(order["files"]))
        sys.argv[:] = ["plimsoll", *order["words"]]
        from plimsoll.cli.entry import main

        if ours:
            _leave_after(main)
        else:
            main()
