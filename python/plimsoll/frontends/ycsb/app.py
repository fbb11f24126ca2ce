"""`plimsoll ycsb` from its words to YCSB's output."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from plimsoll.errors import NothingMeasured, TargetError, UsageError
from plimsoll.frontends import notes
from plimsoll.frontends.recording import Places, Recorder
from plimsoll.frontends.results import check_result, open_result
from plimsoll.frontends.side_by_side import Stop, wait_for
from plimsoll.frontends.ycsb import output
from plimsoll.frontends.ycsb.bindings import Database, database
from plimsoll.frontends.ycsb.command_line import CommandLine, parse, without_secrets
from plimsoll.frontends.ycsb.properties import Properties, read_file
from plimsoll.frontends.ycsb.status import Teller
from plimsoll.frontends.ycsb.workload import Wanted, wanted
from plimsoll.model import Level, Plan, RunStatus, Target
from plimsoll.profile import Entry, cases
from plimsoll.run.outcome import DbOutcome, OnProgress
from plimsoll.run.places import Place
from plimsoll.run.private_server import PrivateServer
from plimsoll.run.workers import databases
from plimsoll.run.workers.execution import Execution
from plimsoll.run.workloads import db
from plimsoll.store.store import Store
from plimsoll.targets import database as addresses

INTERRUPTED = 130
RESULTS = re.compile(r"\A\[\w[^\]]*\], |\A\s*\[?\s*\{\s*\"(metric|measurement)\"")
"""How what YCSB exports begins."""
PASSWORD_ENV = "PLIMSOLL_YCSB_PASSWORD"
"""Variable of this process that carries the password of the properties to the core."""
OWN = "plimsoll."
"""Prefix of properties that are parameters of our tests."""

Say = Callable[[str], None]


def run(words: Sequence[str], open_store: Callable[[], Store], say: Say) -> int:
    """Carry out a command line of YCSB; returns the exit code. Raises PlimsollError."""
    line = parse(words)

    def note(text: str) -> None:
        say(f"plimsoll ycsb: {text}")

    properties = _properties(line, lambda text: notes.note(note, text))
    where = database(line.binding, properties)
    # What lies in memory ends with its process, so that a run has to load first.
    there = "reuse" if where.address == "memory://" and line.phase == "run" else None
    asked = wanted(properties, line.phase, line.data or there)
    printed = replace(output.settings(properties, line.status), force=line.force)
    plan = _plan(line, where, asked, properties.starting(OWN))
    properties.refuse_the_rest(line.binding)
    target = Target(name=line.binding if "/" not in line.binding else "database", kind="database", where=where.address)
    _check(plan, target)
    if printed.file is not None:
        check_result(printed.file, "exportfile", note, force=line.force, looks_right=RESULTS)
    say(f"Command line: {_client_words(line, words)}")
    with open_store() as store, Places(line.destroy) as places:
        place = places.address(target)
        recorder = Recorder(store, "ycsb", f"{plan.case} on {where.address}", without_secrets(words), [place])
        stop = Stop()
        try:
            return _measure(plan, place, recorder, printed, asked, stop, say)
        finally:
            recorder.finish(interrupted=stop.interrupted)


def _properties(line: CommandLine, note: Say) -> Properties:
    """Files in their order, then what was typed."""
    values: dict[str, str] = {}
    for name in line.files:
        values |= read_file(name)
    for option in line.java:
        note(f"option {option} has no effect: there is no Java virtual machine")
    return Properties(values | line.properties, note)


def _plan(line: CommandLine, where: Database, asked: Wanted, own: Mapping[str, str]) -> Plan:
    workload = next((Path(name).name for name in reversed(line.files)), "")
    if where.password is not None:
        os.environ[PASSWORD_ENV] = where.password
        own = {"password_env": PASSWORD_ENV, **own}
    (case,) = cases([Entry("ycsb-a", {**asked.parameters, **where.parameters, **own})], {}, "ycsb")
    plan = case.plan({}, "ycsb")
    metrics = ("operation_rate", *(f"{kind}_p99" for kind in asked.kinds))
    label = " ".join(word for word in ("ycsb", line.phase, workload) if word)
    return plan.model_copy(update={"test": "ycsb", "case": label, "metrics": metrics})


def _check(plan: Plan, target: Target) -> None:
    """Refuse what cannot work before anything is opened."""
    addresses.check(target)
    server = PrivateServer(addresses.driver(target), addresses.url(target), None)
    if problem := databases.impossible(db.spec(plan, server)):
        raise UsageError(problem)


def _client_words(line: CommandLine, words: Sequence[str]) -> str:
    """What `bin/ycsb` would hand to YCSB's client; readers of YCSB's output look for it."""
    rest = [word for word in without_secrets(words) if word not in (line.phase, line.binding, "-t", "-load")]
    return " ".join(["-db", line.binding, *rest, "-load" if line.phase == "load" else "-t"])


def _measure(
    plan: Plan, place: Place, recorder: Recorder, printed: output.Settings, asked: Wanted, stop: Stop, say: Say
) -> int:
    """The run, stored and printed; an interrupt ends it with what was measured until then."""
    teller = Teller(printed, asked.operations) if printed.status else None
    started_ns = time.time_ns()
    execution = _execute(plan, place, teller.see if teller else None, stop)
    kept = recorder.add(place, plan, execution, started_ns)
    outcome = execution.outcome
    if outcome["elapsed_ns"]:
        if teller:
            teller.finish(outcome)
        _print(output.text(list(output.rows(outcome, printed)), printed.exporter), printed)
    if stop.interrupted:
        say(f"plimsoll ycsb: {kept.reason or 'stopped'}")
        return INTERRUPTED
    if kept.status is RunStatus.FAILED:
        raise NothingMeasured(kept.reason)
    for finding in kept.findings:
        if finding.level is not Level.OK:
            say(f"plimsoll ycsb: {finding.level}: {finding.message}")
    return 0


def _execute(plan: Plan, place: Place, see: OnProgress | None, stop: Stop) -> Execution[DbOutcome]:
    job = partial(db.execute, interval_histograms=see is not None)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="plimsoll-job") as pool:
        future = pool.submit(job, plan, place, see or (lambda _progress: None), stop.event.is_set)
        wait_for([future], stop)
    return future.result()


def _print(text: str, printed: output.Settings) -> None:
    file = printed.file
    if file is None:
        print(text, end="", flush=True)
        return
    try:
        with open_result(file, force=printed.force) as opened:
            opened.write(text)
    except OSError as error:
        raise TargetError(f"cannot write exportfile {file}: {error.strerror}; the run is in the store") from None
