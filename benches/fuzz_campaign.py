"""Fuzzes all importers for a long time beside other work: in short slices, to be paused, stopped and gone on with.

    nice -n 19 python benches/fuzz_campaign.py DIR [--inputs 1000000] [--seed 7] [--slice 50]

DIR holds one file FORMAT.next per format with the number of its next input. Several of these may run at once: each
takes the format with the fewest inputs that no other holds. While DIR/stop exists no slice begins. Findings are
written to DIR/found, and a format with one is left alone until DIR/FORMAT.stopped is removed.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from fuzz_importers import bounded, fuzz, told

from plimsoll.importers.reading import formats

PAUSE_S = 2


def main() -> int:
    arguments = _arguments()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    known = {name: each.module for name, each in formats().items()}
    while True:
        if (arguments.folder / "stop").exists():
            time.sleep(PAUSE_S)
            continue
        if not (waiting := _waiting(arguments.folder, known, arguments.inputs)):
            return 1 if any(arguments.folder.glob("*.stopped")) else 0
        for name in waiting:
            with _held(arguments.folder / f"{name}.next") as number:
                if number is not None:
                    _slice(known[name], number, arguments)
                    break
        else:
            time.sleep(PAUSE_S)


def _waiting(folder: Path, known: dict[str, ModuleType], inputs: int) -> list[str]:
    """The formats that still need inputs, the fewest first."""
    done = {name: _number(folder / f"{name}.next") for name in known if not (folder / f"{name}.stopped").exists()}
    return sorted((name for name, number in done.items() if number < inputs), key=lambda name: done[name])


def _number(path: Path) -> int:
    return int(path.read_text() or 0) if path.exists() else 0


@contextmanager
def _held(path: Path) -> Iterator[int | None]:
    """The number of the next input, for as long as no other may take this format; None if another has it."""
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        yield _number(path)


def _slice(module: ModuleType, first: int, arguments: argparse.Namespace) -> None:
    """One slice in a process of its own, so that what kills it is a finding too, and what it leaks is gone."""
    pid = os.fork()
    if pid == 0:
        os._exit(_fuzzed(module, first, arguments))
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        (arguments.folder / f"{module.NAME}.stopped").write_text(f"slice from input {first} ended with {code}\n")


def _fuzzed(module: ModuleType, first: int, arguments: argparse.Namespace) -> int:
    folder: Path = arguments.folder
    bounded()
    began = time.monotonic()
    tally = fuzz(module, range(first, arguments.inputs), arguments.seed, folder / "found", arguments.slice)
    with (folder / f"{module.NAME}.log").open("a") as log:
        print(told(module.NAME, tally, time.monotonic() - began), *tally.findings, sep="\n", file=log)
    (folder / f"{module.NAME}.next").write_text(str(first + tally.inputs))
    return 1 if tally.findings else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", metavar="DIR", type=Path)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="inputs per format")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--slice", type=float, default=50.0, help="seconds after which another format's turn comes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
