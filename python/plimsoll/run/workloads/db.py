"""Database tests as a kind of workload: where the server comes from, and the way to the core and back."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from plimsoll import outages
from plimsoll.catalog.bounds import Pace
from plimsoll.declared import DbParameters, TpcbParameters, WebParameters, YcsbParameters
from plimsoll.drivers import drivers, embedded, server_driver, servers_for
from plimsoll.errors import NotStarted, TargetError
from plimsoll.metrics import PERCENTILES, score
from plimsoll.model import Interval, Plan, Score, Target
from plimsoll.parameter import value_text
from plimsoll.parameters import parameters_of
from plimsoll.run.outcome import DbOutcome, OnProgress
from plimsoll.run.places import Place
from plimsoll.run.private_server import PrivateServer, find_program, kind, running
from plimsoll.run.scores import burst_factor, saturated_share, window_factor
from plimsoll.run.turns import Turns, example, too_short
from plimsoll.run.workers import databases
from plimsoll.run.workers.databases import DbJob
from plimsoll.run.workers.execution import Execution, measured
from plimsoll.run.workers.sliced import Part
from plimsoll.run.workers.sliced import alternate as alternating
from plimsoll.stats.histogram import decode
from plimsoll.stats.steady import classify, of_slices
from plimsoll.targets import database
from plimsoll.units import MIB, SECOND

OVERHEAD_NS = SECOND
COMMON = frozenset(DbParameters.__annotations__)
"""Names of the parameters that every database test has."""
ROW_OVERHEAD = 3
"""Bytes on disk per byte of a record: index, page fill, logs; generous."""
ACCOUNT_BYTES = 250
"""Of one row of pgbench's accounts with its index entry, and the log of loading it."""
LOG_BYTES_PER_S = 16 * MIB
"""What a server's log grows by under load: some 10,000 updates of a record of YCSB in a second."""


def run_ns(plan: Plan, pace: Pace | None = None) -> int:  # noqa: ARG001
    """Warm-up, measured time, and what goes around it; loading, which happens once, is left out."""
    values = plan.values(DbParameters)
    return values["warmup"] + values["runtime"] + OVERHEAD_NS


def problems(plan: Plan) -> Iterator[str]:
    """What the core refuses, and servers that cannot carry out a test."""
    server = plan.values(DbParameters)["server"]
    able = servers_for(plan.workload)
    if server not in ("none", *able):
        yield f"server={server} cannot run this test; use one of {', '.join(able)}"
    elif refused := databases.impossible(spec(plan, _stand_in(plan))):
        yield refused


def on_target(plan: Plan, target: Target) -> Plan:
    """At a database address no private server is started."""
    values = plan.values(DbParameters).copy()
    if target.kind == "database":
        values["server"] = "none"
    return plan.having(values)


def check_place(plan: Plan, target: Target, destroy: Sequence[str]) -> None:  # noqa: ARG001
    """A directory needs a server; a database address must be one that a driver understands."""
    server = plan.values(DbParameters)["server"]
    here = f"target {target.name}, test {plan.case}"
    if target.kind == "database":
        database.check(target)
        if refused := databases.unusable(spec(plan, _running(plan, target))):
            raise TargetError(f"{here}: {refused}")
    elif target.kind != "directory":
        raise TargetError(
            f"{here}: a database test needs a directory for a private server, or the address of a running one"
        )
    elif server == "none":
        able = ", ".join(servers_for(plan.workload))
        raise TargetError(
            f"{here}: {target.where} is a directory; say which server to start on it with --server NAME ({able}), or "
            "give the address of a running one, such as postgresql://user@host/database"
        )
    elif server not in embedded():
        find_program(server)


def data_files(plan: Plan) -> Mapping[str, int]:
    """About what the private server puts on the target."""
    server = plan.values(DbParameters)["server"]
    if server == "none" or (server in embedded() and not drivers()[server].data):
        return {}
    return {_server_key(plan): _server_bytes(plan) + _own_bytes(plan)}


def _own_bytes(plan: Plan) -> int:
    """Of the workload's data."""
    if plan.workload == "ycsb":
        ycsb = plan.values(YcsbParameters)
        return ycsb["records"] * ycsb["fields"] * (ycsb["field_length"] + 10) * ROW_OVERHEAD
    if plan.workload == "tpcb":
        return plan.values(TpcbParameters)["scale"] * 100_000 * ACCOUNT_BYTES
    return _page_bytes(plan) or 0


def _page_bytes(plan: Plan) -> int | None:
    """Of the page of a private web server; a database has none."""
    return plan.values(WebParameters)["page_bytes"] if plan.workload == "web" else None


def _server_bytes(plan: Plan) -> int:
    """Of a private server without the workload's data: what it makes when it starts, and the log of one run."""
    values = plan.values(DbParameters)
    if values["server"] in embedded():
        return 0
    server = kind(values["server"])
    seconds = -(-(values["warmup"] + values["runtime"]) // SECOND)
    return int(server.BASE_BYTES + min(server.LOG_BYTES, seconds * LOG_BYTES_PER_S))


def _server_key(plan: Plan) -> str:
    """Plans with the same server and settings share one server on a target."""
    values = plan.values(DbParameters)
    own = {
        "server": values["server"],
        "durability": values["durability"],
        "server_settings": values["server_settings"],
        "page_bytes": _page_bytes(plan),
    }
    digest = hashlib.sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()[:8]
    return f"{values['server']}-{digest}"


def scratch_bytes(plan: Plan) -> int:  # noqa: ARG001 (asked of every kind)
    """Nothing beside the server's data."""
    return 0


def writes(plan: Plan) -> bool:  # noqa: ARG001
    """Always: loading writes, whatever is measured then."""
    return True


def written_bytes(plan: Plan) -> int | None:  # noqa: ARG001
    """As much as the server can take."""
    return None


def summary(plan: Plan) -> str:
    """Server, clients, and the parameters that are not as in the original."""
    values = plan.values(DbParameters)
    where = f" on {values['server']} ({values['durability']} durability)" if values["server"] != "none" else ""
    own = [each for each in parameters_of(plan.workload) if each.name not in COMMON]
    said = [each for each in own if plan.parameters[each.name] != each.default]
    changed = [f"{each.name} {value_text(each, plan.parameters[each.name])}" for each in said]
    return ", ".join(
        [f"{plan.workload}{where}", f"{values['clients']} client{'' if values['clients'] == 1 else 's'}", *changed]
    )


def _stand_in(plan: Plan) -> PrivateServer:
    """Something to check a plan with before there is a server."""
    server = plan.values(DbParameters)["server"]
    able = [each for each in drivers().values() if each.server and plan.workload in each.workloads]
    driver = able[0] if server == "none" else server_driver(server)
    return PrivateServer(driver.name, driver.url, None)


def spec(plan: Plan, server: PrivateServer, destroy: Sequence[str] = (), *, interval_histograms: bool = False) -> DbJob:
    """The job that carries out a plan on a database."""
    common = {name: value for name, value in plan.parameters.items() if name in COMMON}
    own = {name: value for name, value in plan.parameters.items() if name not in COMMON}
    return {
        **cast(DbParameters, common),
        "driver": server.driver,
        "url": server.url,
        "destroy": list(destroy),
        "workload": {"kind": plan.workload, **own},
        "password_env": server.password_env,
        "interval_histograms": interval_histograms,
    }


def execute(
    plan: Plan,
    place: Place,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
    *,
    interval_histograms: bool = False,
) -> Execution[DbOutcome]:
    """Run it against the target's server, which is started by the first run that needs it.

    With `interval_histograms`, progress and outcome tell those of each interval, once.
    """
    server, request = _request(plan, place)
    request["interval_histograms"] = interval_histograms
    log_begin = server.log_bytes()
    where = server.url or plan.values(DbParameters)["server"]
    execution = measured(databases.start, request, DbOutcome, where, place.sampler, on_progress, deadline_reached)
    _keep_in_mind(plan, place, execution.outcome, server, log_begin)
    return execution


def _request(plan: Plan, place: Place) -> tuple[PrivateServer, DbJob]:
    """The server of a plan, started where it is private, and what the core is asked to do there."""
    server, fresh = _server(plan, place)
    request = spec(plan, server, place.destroy)
    if fresh and request["data"] == "reuse":
        # A private server's data are ours: what does not fit was loaded for another case of this session.
        request["data"] = "recreate"
    place.sampler.with_family = True
    return server, request


def _keep_in_mind(plan: Plan, place: Place, outcome: DbOutcome, server: PrivateServer, log_begin: int) -> None:
    """What a private server said of a run, and what its data are like after it."""
    _add_words(plan, outcome, server, log_begin)
    if outcome["status"] == "ok":
        place.services[f"data of {_server_key(plan)}"] = _data_shape(plan)


def against_slices(plan: Plan, asked: bool) -> Iterator[str]:
    """Outages, writes unless they are asked for, and what the core refuses."""
    values = plan.values(DbParameters)
    if values["fault"] == "expected":
        yield "waits for an outage, which targets that alternate would share"
    if not (asked or _only_reads(plan)):
        yield "writes, and a database does part of that later, while another works"
    turn = example(values["runtime"], values["warmup"])
    request = spec(plan, _stand_in(plan))
    if not too_short(values["runtime"]) and (
        refused := databases.cannot_alternate(request, turn.of["a"], turn.discard_ns)
    ):
        yield f"cannot: {refused}"


def _only_reads(plan: Plan) -> bool:
    """Whether the measured part changes nothing in the database."""
    if plan.workload == "ycsb":
        ycsb = plan.values(YcsbParameters)
        return not (ycsb["update"] or ycsb["insert"] or ycsb["read_modify_write"] or ycsb["measure"] == "load")
    return plan.workload == "web" or plan.values(TpcbParameters)["script"] == "select_only"


def alternate(
    plans: Sequence[Plan],
    places: Sequence[Place],
    turns: Turns,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> list[Execution]:
    """Load the data of all targets, and let them alternate; where that fails for one, none is measured."""
    parts, servers = [], []
    for plan, place in zip(plans, places, strict=True):
        server, request = _request(plan, place)
        where, log_begin = server.url or plan.values(DbParameters)["server"], server.log_bytes()
        # One operation: what is there is as the plan asks for, and the jobs that alternate change nothing about it.
        loading: DbJob = {**request, "max_operations": 1, "warmup": 0}
        loaded = measured(databases.start, loading, DbOutcome, where, place.sampler, on_progress, deadline_reached)
        _keep_in_mind(plan, place, loaded.outcome, server, log_begin)
        if loaded.outcome["status"] != "ok":
            return [loaded] * len(plans)
        servers.append((server, server.log_bytes()))
        ready: DbJob = {**request, "data": "keep"}
        parts.append(Part(databases.start, ready, DbOutcome, where, place.sampler, place.target.name))
    executions = alternating(parts, turns, on_progress, deadline_reached)
    for plan, execution, (server, log_begin) in zip(plans, executions, servers, strict=True):
        _add_words(plan, cast(DbOutcome, execution.outcome), server, log_begin)
    return executions


def _add_words(plan: Plan, outcome: DbOutcome, server: PrivateServer, log_begin: int) -> None:
    """Of a private server that ended or was away also how, and what it said of it."""
    ended = server.ended()
    if not ended and not outcome["outages"]:
        return
    words, error = server.said(log_begin), outcome["error"]
    if ended and error:
        name = plan.values(DbParameters)["server"]
        error["message"] += f"; the private {name} {ended}: {words or 'its log says nothing of it'}"
    outcome["server_ended"], outcome["server_said"] = ended or "", words


def _server(plan: Plan, place: Place) -> tuple[PrivateServer, bool]:
    """The server of a plan, and whether its data have to be loaded anew; what it did not start for, it is not again."""
    values = plan.values(DbParameters)
    if values["server"] == "none":
        return _running(plan, place.target), False
    key = _server_key(plan)
    assert place.folder is not None  # check_place
    if key not in place.services:
        if values["server"] in embedded():
            address = drivers()[values["server"]].below(os.fspath(place.folder))
            place.services[key] = PrivateServer(values["server"], address, None)
        else:
            place.services[key] = _private(plan, place, key)
    if isinstance(found := place.services[key], Exception):
        raise found
    return found, place.services.get(f"data of {key}") != _data_shape(plan)


def _running(plan: Plan, target: Target) -> PrivateServer:
    """The server at a database address."""
    return PrivateServer(database.driver(target), database.url(target), plan.values(DbParameters)["password_env"])


def _private(plan: Plan, place: Place, key: str) -> PrivateServer | Exception:
    """A server of this session's own, or why there is none: its folder is used up then."""
    assert place.folder is not None  # check_place
    values = plan.values(DbParameters)
    shape = (values["durability"], values["server_settings"], _page_bytes(plan) or 0)
    try:
        return place.stack.enter_context(running(values["server"], place.folder, key, *shape))
    except (NotStarted, BlockingIOError) as error:
        return error


def _data_shape(plan: Plan) -> list[object]:
    """Plans with the same shape can use the same data."""
    if plan.workload == "tpcb":
        return [plan.workload, plan.values(TpcbParameters)["scale"]]
    if plan.workload != "ycsb":
        return [plan.workload]
    ycsb = plan.values(YcsbParameters)
    values = (ycsb["field_length"], ycsb["field_length_min"], ycsb["field_length_distribution"], ycsb["data_integrity"])
    keys = (ycsb["insert_order"], ycsb["zero_padding"])
    return [plan.workload, ycsb["table"], ycsb["records"], ycsb["fields"], *values, *keys]


def file_facts(plan: Plan, place: Place) -> Mapping[str, Any]:  # noqa: ARG001
    """The files are the server's."""
    return {}


def scores(
    plan: Plan, outcome: DbOutcome, histograms: Mapping[str, bytes], intervals: Sequence[Interval]
) -> tuple[Score, ...]:
    """The rate of whole operations, over the steady part, and latencies by kind unless a schedule was not kept."""
    whole = outcome["whole"]
    series = [
        sum(each.operations[name].operations for name in whole if name in each.operations) * SECOND / each.duration_ns
        for each in intervals[:-1] or intervals
    ]
    if not series or not outcome["completed"]:
        return ()
    # The last interval may be shorter.
    interval_s = intervals[0].duration_ns / SECOND
    regime = of_slices(series, interval_s) if "slices" in outcome else classify(series, interval_s)
    rate = outcome["completed"] * SECOND / outcome["elapsed_ns"]
    named = {"operation_rate": rate * window_factor(intervals, regime)}
    if (burst := burst_factor(series, regime)) is not None:
        named["operation_rate_burst"] = rate * burst
    found = [score(name, value) for name, value in named.items()]
    # Scores are also made anew of runs that other versions have stored.
    if plan.values(DbParameters).get("fault") == "expected":
        found += _of_the_fault(outcome, intervals)
    if saturated_share(outcome, outcome["completed"]):
        return tuple(found)
    for name, encoded in histograms.items():
        decoded = decode(encoded)
        for label, percent in PERCENTILES.items():
            value = decoded.percentile(percent)
            if value is not None:
                found.append(score(f"{name}_{label}", value))
    return tuple(found)


def _of_the_fault(outcome: DbOutcome, intervals: Sequence[Interval]) -> Iterator[Score]:
    """Where an outage is what is measured: its figures, as far as they are known."""
    if not outages.outages(outcome):
        return
    yield score("outage", outages.without_service_ns(outcome))
    recovery = outages.recovery_ns(outcome, intervals)
    if recovery is not None:
        yield score("recovery", recovery)
    lost = outages.writes_lost(outcome)
    if lost is not None:
        yield score("writes_lost", lost)
