"""What Prometheus collects, read as its text format says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import httpx
import pytest
from tests.factories import make_study
from tests.integration.web.conftest import Filled, Site, Start, add

import plimsoll
from plimsoll.model import RunStatus
from plimsoll.store.baselines import set_baseline
from plimsoll.store.pins import Pin, add_pin, pins, remove_pin
from plimsoll.store.store import Store
from plimsoll.store.tokens import Scope
from plimsoll.web.grafana import dashboard

_LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
_SAMPLE = re.compile(rf"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{{({_LABEL}(?:,{_LABEL})*)\}})? (\S+)")
_PART = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')
_NAME, _LEGEND = re.compile(r"plimsoll_\w+"), re.compile(r"\{\{(\w+)\}\}")
_SUFFIXES = {"histogram": ("_bucket", "_sum", "_count")}


@dataclass
class Family:
    kind: str = ""
    samples: dict[tuple[str, tuple[tuple[str, str], ...]], float] = field(default_factory=dict)


def parsed(text: str) -> dict[str, Family]:
    """The text exposition format 0.0.4: every line fits it, families are together, each sample stands there once."""
    assert text.endswith("\n")
    found: dict[str, Family] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split(" ")[2]
            assert name not in found
            found[name] = Family()
        elif line.startswith("# TYPE "):
            _, _, typed, kind = line.split(" ")
            assert typed == name
            assert kind in ("gauge", "counter", "histogram")
            found[name].kind = kind
        else:
            match = _SAMPLE.fullmatch(line)
            assert match, line
            assert match[1] in [name + end for end in _SUFFIXES.get(found[name].kind, ("",))], line
            labels = tuple(
                (key, re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], value))
                for key, value in _PART.findall(match[2] or "")
            )
            assert (match[1], labels) not in found[name].samples
            found[name].samples[match[1], labels] = float(match[3])
    assert all(each.kind and each.samples for each in found.values())
    return found


def collected(client: httpx.Client) -> dict[str, Family]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return parsed(answer.text)


def value(found: dict[str, Family], name: str, **labels: str) -> float:
    family = next(each for key, each in found.items() if name.startswith(key))
    fitting = [
        each for (sample, has), each in family.samples.items() if sample == name and labels.items() <= dict(has).items()
    ]
    assert len(fitting) == 1, (name, labels, family.samples)
    return fitting[0]


def test_the_store_is_counted(filled: Filled) -> None:
    with filled.site.client(filled.site.token(Scope.READ)) as reader:
        found = collected(reader)
    store = filled.site.store
    runs = store.runs([each.id for each in store.sessions()])
    valid = sum(run.status is RunStatus.OK for run in runs)
    assert value(found, "plimsoll_build_info", version=plimsoll.__version__) == 1
    assert value(found, "plimsoll_sessions", state="done") == len(store.sessions())
    assert value(found, "plimsoll_stored_runs", valid="true") == valid
    assert value(found, "plimsoll_stored_runs", valid="false") == len(runs) - valid > 0
    assert value(found, "plimsoll_store_size_bytes") > 100_000


def test_pins_and_baselines_have_their_scores_in_base_units(filled: Filled) -> None:
    store = filled.site.store
    set_baseline(store, "first", filled.nights[0].id)
    pinned = [Pin("randread", "gp3", "bench-1"), Pin("ping", "share", "other-host"), Pin("gone", "gone")]
    for pin in pinned:
        add_pin(store, pin)
    with filled.site.client(filled.site.token(Scope.READ)) as reader:
        found = collected(reader)
        asked = {"case": "randread", "target": "gp3"}
        sessions = reader.get("/api/v1/history", params=asked).json()["sessions"]
        ping = reader.get("/api/v1/history", params={"case": "ping", "target": "share"}).json()["sessions"][-1]
    which = asked | {"host": "bench-1", "metric": "iops"}
    assert value(found, "plimsoll_pinned_score_operations_per_second", **which) == sessions[-1]["value"]
    assert value(found, "plimsoll_pinned_session_start_timestamp_seconds", **which) * 1e9 == pytest.approx(
        sessions[-1]["started_ns"]
    )
    assert value(found, "plimsoll_pinned_score_seconds", target="share", metric="read_p50") == ping["value"] / 1e9
    assert not any("gone" in dict(labels).values() for each in found.values() for _, labels in each.samples)
    score = value(found, "plimsoll_baseline_score_operations_per_second", baseline="first", target="gp3")
    assert score == pytest.approx(sessions[0]["value"])
    for pin in pins(store):
        remove_pin(store, pin)


def test_requests_are_counted_by_route_and_timed(site: Site) -> None:
    with site.client(site.token(Scope.READ)) as reader:
        for _ in range(3):
            assert reader.get("/sessions/nothing").status_code == 404
        reader.head("/history")
        reader.get("/no/such/page")
        found = collected(reader)
    total = "plimsoll_http_requests_total"
    assert value(found, total, method="GET", route="/sessions/{session_id}", status="404") == 3
    assert value(found, total, method="HEAD", route="/history", status="200") == 1
    assert value(found, total, route="none", status="404") == 1
    assert found[total].kind == "counter"
    took = "plimsoll_http_request_duration_seconds"
    buckets = [
        (dict(labels)["le"], count)
        for (name, labels), count in found[took].samples.items()
        if name.endswith("_bucket") and dict(labels)["route"] == "/sessions/{session_id}"
    ]
    assert [count for _, count in buckets] == sorted(count for _, count in buckets)
    assert buckets[-1] == ("+Inf", 3)
    assert value(found, f"{took}_count", route="/sessions/{session_id}") == 3
    assert 0 < value(found, f"{took}_sum", route="/sessions/{session_id}") < 60


def test_what_is_asked_for_makes_no_new_samples(site: Site) -> None:
    with site.client(site.token(Scope.READ)) as reader:
        reader.get("/")
        before = len(collected(reader)["plimsoll_http_requests_total"].samples)
        for number in range(50):
            reader.get(f"/nothing/{number}")
            reader.request(f"METHOD{number}", "/")
        after = collected(reader)["plimsoll_http_requests_total"].samples
    assert len(after) <= before + 4


def test_metrics_need_a_token_also_where_everyone_may_read(store: Store, start: Start) -> None:
    with start(store, public_read=True) as site, site.client() as stranger:
        answer = stranger.get("/metrics")
        assert answer.status_code == 401
        assert "plimsoll_" not in answer.text
        with site.client(site.token(Scope.READ)) as reader:
            assert collected(reader)


def test_names_that_would_break_the_format_are_only_values(site: Site) -> None:
    nasty = 'a"} 1\n# TYPE evil counter\\'
    session, runs = make_study(("a", "b"), ("randread",), 2)
    named = [
        run.model_copy(
            update={
                "target": run.target.model_copy(update={"name": f"{run.target.name} {nasty}"}),
                "plan": run.plan.model_copy(update={"case": nasty}),
            }
        )
        for run in runs
    ]
    add(site.store, session, named)
    add_pin(site.store, Pin(nasty, f"a {nasty}"))
    set_baseline(site.store, "gold", session.id)
    with site.client(site.token(Scope.READ)) as reader:
        found = collected(reader)
    assert value(found, "plimsoll_pinned_score_operations_per_second", metric="iops") > 0
    assert not any(name.startswith("evil") for name in found)


def test_the_dashboard_asks_for_nothing_that_is_not_told(store: Store, start: Start) -> None:
    for case in ("randread", "seqread", "ping"):
        add(store, *make_study(cases=(case,), targets=["gp3"], blocks=3, seed=len(case)))
        add_pin(store, Pin(case, "gp3"))
    set_baseline(store, "first", store.sessions()[0].id)
    for session in store.sessions():
        set_baseline(store, f"of-{session.id[-4:]}", session.id)
    with start(store) as site, site.client(site.token(Scope.READ)) as reader:
        reader.get("/")
        told = {sample for family in collected(reader).values() for sample, _ in family.samples}
    asked = {
        name for panel in dashboard()["panels"] for each in panel["targets"] for name in _NAME.findall(each["expr"])
    }
    assert len(asked) > 8
    assert not asked - told
    labels = {
        name
        for panel in dashboard()["panels"]
        for each in panel["targets"]
        for name in _LEGEND.findall(each["legendFormat"])
    }
    assert labels <= {"state", "case", "target", "metric", "host", "baseline", "route", "status"}
