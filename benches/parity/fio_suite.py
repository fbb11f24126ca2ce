"""fio's own test suite (`t/run-fio-tests.py`), with fio and with `plimsoll fio`: a row per test.

    python -m benches.parity.fio_suite FOLDER [NUMBER…]

FOLDER is fio's source, configured and built: none of its files are ours. The suite's scripts are run by this Python and
need SciPy and statsmodels, which are no dependencies of Plimsoll. What fio itself fails on a machine says nothing of us
there. Takes half an hour, and tests of rates want a machine that does nothing else.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from benches.parity._commands import PLIMSOLL

NUMBERS = (*range(1, 32), *range(33, 38), 1003, 1004, 1006, *range(1010, 1014))
"""Tests of the program; the others are of parts of its source, of devices, or of servers."""
LINE = re.compile(r"Test (\d+) (PASSED|FAILED):? *(.*)")
TIMEOUT_S = 900


def main(words: list[str]) -> None:
    """Prints as it goes: a test may take minutes."""
    if not words:
        sys.exit(__doc__)
    source, numbers = Path(words[0]).resolve(), [int(word) for word in words[1:]] or NUMBERS
    passed = {"fio": 0, "plimsoll": 0}
    with tempfile.TemporaryDirectory(prefix="fio-suite-") as name:
        programs = {"fio": source / "fio", "plimsoll": _wrapper(Path(name))}
        for number in numbers:
            found = {who: _outcome(source, program, Path(name), number) for who, program in programs.items()}
            if found["fio"] == "":
                passed["fio"] += 1
                passed["plimsoll"] += found["plimsoll"] == ""
            said = "; ".join(f"{who}: {reason}" for who, reason in found.items() if reason)
            print(f"{number:5} {said or 'passed by both'}", flush=True)
    print(f"{passed['plimsoll']} of the {passed['fio']} that fio passes on this machine")


def _wrapper(folder: Path) -> Path:
    """`plimsoll fio` under the name that the suite calls, with a store of its own."""
    program = folder / "fio"
    state, command = shlex.quote(str(folder / "state")), shlex.quote(str(PLIMSOLL))
    own = f"export PLIMSOLL_HOME={state} PLIMSOLL_STORE={state}/store.db"
    program.write_text(f'#!/bin/sh\n{own}\nexec {command} fio "$@"\n')
    program.chmod(0o755)
    return program


def _outcome(source: Path, program: Path, folder: Path, number: int) -> str:
    """Nothing where the test passes, else why not."""
    with tempfile.TemporaryDirectory(dir=folder) as results:
        suite = [sys.executable, source / "t" / "run-fio-tests.py", "--skip-req", "--run-only", str(number)]
        # The suite calls its scripts by the `python3` that comes first.
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        try:
            done = subprocess.run(
                [*map(str, suite), "--fio", str(program), "--artifact-root", str(Path(results) / "artifacts")],
                cwd=results,
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"no end after {TIMEOUT_S} s"
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if match and int(match[1]) == number:
            return "" if match[2] == "PASSED" else match[3].strip() or "failed"
    return (done.stderr.strip().splitlines() or ["was not run"])[-1]


if __name__ == "__main__":
    main(sys.argv[1:])
