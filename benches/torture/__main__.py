"""`python -m benches.torture`."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from benches.torture.every import every
from benches.torture.faults import faults
from benches.torture.scenarios import SCENARIOS
from benches.torture.template import Template, make
from benches.torture.turn import Known, Result, Turn, play, sandbox_for, undisturbed

MIXED = "mixed"
FIRST_LAWS = 3
"""Broken laws of a round that its line tells; all of them are in the table at the end."""


@dataclass
class Campaign:
    """Rounds that follow from a seed."""

    folder: Path
    template: Template
    seed: int
    only: str | None = None
    scenario: str | None = None
    known: dict[str, Known] = field(default_factory=dict)

    def round(self, number: int) -> tuple[str, str, Result]:
        """Kind, scenario, and what came of it."""
        rng = random.Random(f"{self.seed} {number}")
        kind = self.only or rng.choice([*sorted(faults()), MIXED])
        chosen, names = self._chosen(kind, rng)
        name = rng.choice([each for each in names if self.scenario in (None, each)] or [str(self.scenario)])
        known = self._known(name)
        with sandbox_for(self.folder / f"round-{number}") as sandbox:
            turn = Turn(sandbox, self.template, SCENARIOS[name], rng, known.usual_s, known.supervisor)
            if not any("calls" in each.TOUCHES for each in chosen if each.NAME in ("call", "kill")):
                turn.supervisor = None
            return kind, name, play(turn, chosen)

    def _chosen(self, kind: str, rng: random.Random) -> tuple[list[ModuleType], list[str]]:
        """The faults, and the scenarios that all of them may befall."""
        known = faults()
        if kind != MIXED:
            return [known[kind]], list(known[kind].SCENARIOS)
        while True:
            chosen = rng.sample([known[name] for name in sorted(known)], 2)
            common = set(chosen[0].SCENARIOS) & set(chosen[1].SCENARIOS)
            if common and not chosen[0].TOUCHES & chosen[1].TOUCHES:
                return chosen, sorted(common)

    def _known(self, name: str) -> Known:
        if name not in self.known:
            known = undisturbed(self.folder / "undisturbed", self.template, SCENARIOS[name])
            if known.laws:
                raise SystemExit(f"{name} breaks the laws without any fault: {'; '.join(known.laws)}")
            self.known[name] = known
        return self.known[name]


def main(arguments: argparse.Namespace) -> int:
    """Play rounds until the time is over; the exit code."""
    tally: dict[str, Counter[str]] = {}
    bad: list[str] = []
    with _place(arguments.folder) as folder:
        campaign = Campaign(folder, make(folder / "template"), arguments.seed, arguments.only, arguments.scenario)
        until = time.monotonic() + arguments.minutes * 60
        number = arguments.first if arguments.round is None else arguments.round
        while time.monotonic() < until:
            kind, name, result = campaign.round(number)
            line = _line(arguments.seed, number, kind, name, result)
            print(line, flush=True)
            tally.setdefault(kind, Counter()).update(["rounds", *(["broken"] if result.laws else [])])
            bad += [f"{line}\n    {law}" for law in result.laws]
            if arguments.round is not None:
                break
            number += 1
    print(f"\n{'kind':<14}{'rounds':>8}{'broken':>8}")
    for kind, counted in sorted(tally.items()):
        print(f"{kind:<14}{counted['rounds']:>8}{counted['broken']:>8}")
    total = sum(counted["rounds"] for counted in tally.values())
    print(f"{'all':<14}{total:>8}{sum(counted['broken'] for counted in tally.values()):>8}", *bad, sep="\n")
    return 1 if bad else 0


def _line(seed: int, number: int, kind: str, name: str, result: Result) -> str:
    laws = f"BROKEN: {' | '.join(result.laws[:FIRST_LAWS])}" if result.laws else "ok"
    place = f"{kind} of {name}"
    ended = f"exit {result.code!s:<5} {result.seconds:5.1f} s"
    return f"--seed {seed} --round {number:<5} {place:<34} {ended}  {result.told}: {laws}"


@contextmanager
def _place(wanted: Path | None) -> Iterator[Path]:
    """A folder that users of private servers can reach, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="plimsoll-torture-", dir=wanted))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.torture", description="Hurts Plimsoll at random.")
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="repeats a campaign")
    parser.add_argument("--first", type=int, default=1, help="number of the first round")
    parser.add_argument("--round", type=int, help="play only this round")
    parser.add_argument("--only", choices=[*sorted(faults()), MIXED], help="one kind of fault")
    parser.add_argument("--scenario", choices=sorted(SCENARIOS), help="one command")
    parser.add_argument(
        "--folder", type=Path, help="where the campaign's own folder is made; default: the temporary one"
    )
    return parser.parse_args()


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("the campaign mounts disks and serves volumes: run it as root, on a machine that may be hurt")
    if sys.argv[1:2] == ["every"]:
        sys.exit(every(sys.argv[2:]))
    sys.exit(main(_arguments()))
