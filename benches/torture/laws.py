"""What holds after every round, whatever happened in it: nothing lost, nothing left, nothing claimed that is not so."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import sqlalchemy
from benches.torture.outputs import is_whole
from benches.torture.sandbox import Answer, Sandbox
from benches.torture.scenarios import Scenario
from benches.torture.stored import Stored, stored

ENDINGS = frozenset({0, 1, 2, 3, 4, 130})
"""The exit codes that `plimsoll --help` lists, but for a fault of Plimsoll."""
INTERRUPTED = 130
"""Ctrl-C before anything has begun needs no words."""
_FAULT = re.compile(r"Traceback|internal error|Exception ignored|core dumped")
_FINISHED = re.compile(r" left$", re.MULTILINE)


def broken(
    sandbox: Sandbox,
    scenario: Scenario,
    answer: Answer,
    before: Stored | None,
    endings: set[int],
    *,
    was_done: bool = False,
) -> list[str]:
    """The laws that this round broke, a sentence for each.

    `before` is None where the store was taken away for good; with `was_done`, after all that the command measured was
    in it. `endings` are exit codes that are also right.
    """
    found = _ended_well(answer, endings)
    found += [f"{name} is neither whole nor absent" for name in scenario.outputs if not is_whole(sandbox.out / name)]
    succeeded = answer.code == 0
    following = sandbox.run("list", "sessions", "--json")
    found += [f"the next command: {each}" for each in _ended_well(following, set())]
    if following.code == 0:
        running = [each["title"] for each in json.loads(following.out) if each["state"] == "running"]
        found += [f"session {title} is still said to run" for title in running]
    else:
        found.append(f"the next command ends with {following.code}: {following.err.strip()}")
    now = _read(sandbox, before, found)
    if now is not None and not was_done:
        found += _nothing_lost(now, before, scenario, answer)
        if succeeded:
            found += scenario.missing(sandbox, now)
    if scenario.after:
        # What was not made, or went already, cannot be taken away: only what is left counts.
        sandbox.run(*scenario.after)
    found += [f"left behind: {each}" for each in sandbox.left()]
    strange = {path.name for path in sandbox.out.iterdir()} - {*scenario.outputs, *scenario.beside, "lost+found"}
    return found + [f"a strange file in the folder of the outputs: {name}" for name in sorted(strange)]


def _ended_well(answer: Answer, endings: set[int]) -> list[str]:
    if answer.code is None:
        return ["it did not end"]
    found = []
    if answer.code not in ENDINGS | endings:
        found.append(f"it ended with {answer.code}")
    # Ctrl-C before our first line ends the interpreter in its own way.
    too_early = answer.code == -signal.SIGINT and "cli/main.py" not in answer.said
    if (match := _FAULT.search(answer.said)) and not too_early:
        at = answer.said.rfind("\n", 0, match.start()) + 1
        found.append(f"it says: {answer.said[at : at + 3000].strip()}")
    elif answer.code not in (0, INTERRUPTED) and answer.code > 0 and not answer.err.strip():
        found.append(f"it ended with {answer.code} without a word")
    return found


def _read(sandbox: Sandbox, before: Stored | None, found: list[str]) -> Stored | None:
    try:
        if sandbox.store is None:
            found += _sound(sandbox.results)
        return stored(sandbox, before)
    except sqlalchemy.exc.SQLAlchemyError as error:
        found.append(f"the store cannot be read: {str(error).splitlines()[0]}")
    return None


def _sound(path: Path) -> list[str]:
    engine = sqlalchemy.create_engine(f"sqlite:///{path}")
    try:
        with engine.connect() as connection:
            checks = ("PRAGMA integrity_check", "PRAGMA foreign_key_check")
            said = [(check, connection.exec_driver_sql(check).all()) for check in checks]
    finally:
        engine.dispose()
    wanted = ([("ok",)], [])
    return [
        f"{check} of the store says {rows[:3]}"
        for (check, rows), good in zip(said, wanted, strict=True)
        if [tuple(row) for row in rows] != good
    ]


def _nothing_lost(now: Stored, before: Stored | None, scenario: Scenario, answer: Answer) -> list[str]:
    found = []
    if before is not None and (lost := before.rows - now.rows):
        found.append(f"{lost.total()} rows that were stored before are gone or changed: {next(iter(lost))[:300]}")
    kept = sum(each.runs for each in now.new)
    if scenario.measures and kept < (told := len(_FINISHED.findall(answer.err))):
        found.append(f"{told} runs were told to be finished, and {kept} are stored")
    if scenario.atomic and any(not each.runs for each in now.new):
        found.append("a session was stored without its runs")
    return found
