"""Every n-th system call of a command fails once, for all n; the laws are looked at after each."""

from __future__ import annotations

import argparse
import errno
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benches.torture.scenarios import SCENARIOS, Scenario
from benches.torture.supervisor import ERRORS, Call, Supervisor
from benches.torture.template import Template, make
from benches.torture.turn import Result, Turn, play, sandbox_for, undisturbed

DEFAULT = ("session", "import", "take-in", "merge", "report", "export", "export-again", "volume", "volume-delete")
MOST_ALIKE = 24
"""Of calls of one name and place (reads of the measured file are thousands) the first and the last."""


def every(words: Sequence[str]) -> int:
    """`python -m benches.torture every`; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benches.torture every", description=__doc__)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=f"default: {' '.join(DEFAULT)}")
    parser.add_argument("--sample", type=int, default=0, help="so many of each command, drawn with --seed; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alike", type=int, default=MOST_ALIKE, help="so many calls of one name and place; 0: all")
    parser.add_argument("--verbose", action="store_true", help="print what the command says")
    parser.add_argument("--call", help='one call, as it is printed: "write home/results.db-wal #3"')
    arguments = parser.parse_args(words)
    folder = Path(tempfile.mkdtemp(prefix="plimsoll-every-"))
    folder.chmod(0o755)
    found = 0
    try:
        template = make(folder / "template")
        for name in arguments.scenarios or DEFAULT:
            tally: Counter[str] = Counter()
            for call, error, result in failing(folder, template, SCENARIOS[name], arguments):
                tally["calls"] += 1
                if arguments.verbose:
                    print(f"{name}: {result.told}: exit {result.code}\n{result.said}")
                tally["unseen"] += not result.told.startswith("E")
                if result.laws:
                    tally["broken"] += 1
                    print(
                        f"{name}: {errno.errorcode[error]} for {call}: exit {result.code}", *result.laws, sep="\n    "
                    )
            unseen = f", {tally['unseen']} of which were not made again" if tally["unseen"] else ""
            print(f"{name}: {tally['calls']} calls failed{unseen}; {tally['broken']} broke a law", flush=True)
            found += tally["broken"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if found else 0


def failing(
    folder: Path, template: Template, scenario: Scenario, arguments: argparse.Namespace
) -> Iterator[tuple[Call, int, Result]]:
    """Each call with each of its errors, and what came of it."""
    known = undisturbed(folder / "undisturbed", template, scenario)
    if known.laws:
        raise SystemExit(f"{scenario.name} breaks the laws without any fault: {'; '.join(known.laws)}")
    pairs = [(call, error) for call in known.supervisor.calls(arguments.alike) for error in ERRORS[call.name]]
    if arguments.call:
        pairs = [(call, error) for call, error in pairs if str(call) == arguments.call]
    if arguments.sample:
        pairs = random.Random(arguments.seed).sample(pairs, min(arguments.sample, len(pairs)))
    for call, error in pairs:
        yield call, error, failed_once(folder, template, scenario, call, error)


def failed_once(folder: Path, template: Template, scenario: Scenario, call: Call, error: int) -> Result:
    """The command with this one call failing."""
    with sandbox_for(folder / "sandbox") as sandbox:
        supervisor = Supervisor(sandbox.folder, fails=call, error=error)
        return play(Turn(sandbox, template, scenario, random.Random(0), 0.0, supervisor), ())
