"""`python -m benches.rules`."""

from __future__ import annotations

import argparse
import json
import random
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import benches.rules
from benches.rules.measure import RULES, WAYS, measured
from benches.rules.questions import QUESTIONS, Question
from benches.rules.results import Result, append, as_json, read, table

ROOT = Path(__file__).resolve().parents[2]


def main(words: Sequence[str]) -> int:
    """Measure until the time is up or all is there; or print what is there."""
    options = argparse.ArgumentParser(
        "python -m benches.rules",
        description=benches.rules.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("--directory", type=Path, default=Path("."), help="on the disk that is measured")
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument(
        "--results", type=Path, default=Path("rules.jsonl"), help="JSON lines; goes on with what is there"
    )
    options.add_argument("--through", default="", metavar="COMMAND", help="put before each measurement")
    options.add_argument("--only", nargs="+", choices=QUESTIONS, default=list(QUESTIONS), metavar="QUESTION")
    options.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY")
    options.add_argument("--table", action="store_true", help="print the table of the results, and measure nothing")
    options.add_argument(
        "--measure", nargs=2, metavar=("QUESTION", "WAY"), help="one measurement, as JSON; as the campaign does it"
    )
    chosen = options.parse_args(words)
    if chosen.measure:
        question, way = chosen.measure
        print(json.dumps(as_json(measured(QUESTIONS[question], way, chosen.directory.resolve()))))
        return 0
    if not chosen.table:
        campaign(chosen)
    print(table(read(chosen.results)))
    return 0


def campaign(chosen: argparse.Namespace) -> None:
    """Ask what is least far, again and again."""
    work = [(QUESTIONS[name], way) for name in chosen.only for way in chosen.ways]
    until = time.monotonic() + 60 * chosen.minutes
    while time.monotonic() < until:
        question, way = next_of(work, read(chosen.results))
        if question is None:
            return
        found = elsewhere(question, way, chosen)
        append(chosen.results, found)
        for each in found:
            print(
                f"{each.question}, {each.rule}: {each.answer}{' (WRONG)' * each.wrong}, {each.seconds} s {each.error}",
                file=sys.stderr,
            )


def next_of(work: Sequence[tuple[Question, str]], results: Sequence[Result]) -> tuple[Question | None, str]:
    """One of those with the smallest share of what is wanted, by lot; none where all is there, or fails three times."""
    shares = {}
    for question, way in work:
        of_it = [each for each in results if (each.question, each.way) == (question.name, way)]
        # A series of fio's runs has one result for each rule.
        count = len(of_it) // len(RULES) if way == "fio" else len(of_it)
        hopeless = count >= 3 and all(each.answer == "failed" for each in of_it)
        if count < question.wanted[way] and not hopeless:
            shares[question.name, way] = count / question.wanted[way]
    if not shares:
        return None, ""
    least = min(shares.values())
    name, way = random.choice([key for key, share in shares.items() if share == least])
    return QUESTIONS[name], way


def elsewhere(question: Question, way: str, chosen: argparse.Namespace) -> list[Result]:
    """One measurement in a process of its own, behind the command that was given."""
    command = [sys.executable, "-m", "benches.rules", "--measure", question.name, way]
    command += ["--directory", str(chosen.directory.resolve())]
    done = subprocess.run(
        [*shlex.split(chosen.through), *command], cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("[")]
    if done.returncode or not lines:
        sys.exit(f"{shlex.join([*shlex.split(chosen.through), *command])}: exit code {done.returncode}")
    return [Result(**each) for each in json.loads(lines[-1])]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
