"""One test on one target over all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup

from plimsoll import metrics
from plimsoll.errors import ResultFileError, UnknownName
from plimsoll.identity import place_facts
from plimsoll.model import RunStatus
from plimsoll.report.document import Block, Chart, Phrase, Section, Table, Tone, columns, number, phrase, text
from plimsoll.report.labels import ratio_text
from plimsoll.report.sections.environment import time_text
from plimsoll.stats.histogram import merge
from plimsoll.store import search
from plimsoll.store.search import Point
from plimsoll.store.store import Store
from plimsoll.units import format_value
from plimsoll.web import history
from plimsoll.web.access import Reader
from plimsoll.web.faults import NotHere
from plimsoll.web.pages.session import picture_file
from plimsoll.web.pictures import Column, heat_map, over_time, untold_text
from plimsoll.web.rendering import page, query
from plimsoll.web.reports import show as shown_sections

router = APIRouter(prefix="/history")

MOST_COLUMNS = 60
MOST_HISTOGRAMS = 60
ALL_HOSTS = "*"
Word = Annotated[str, Query(max_length=400)]


@dataclass(frozen=True)
class Asked:
    """A series; what is empty is chosen: the newest plan, its first metric, the host of the newest run."""

    case: Annotated[str, Query(max_length=400, description="The case as reports call it: randread, ping depth=4.")] = ""
    target: Annotated[str, Query(max_length=400, description="Name of the target.")] = ""
    metric: Annotated[str, Query(max_length=100, description="As iops or read_p99; default: the first judged.")] = ""
    plan: Annotated[str, Query(max_length=16, description="Hash of all parameters; default: the newest.")] = ""
    host: Annotated[str, Query(max_length=300, description="A host's name, or * for all.")] = ""


@dataclass(frozen=True)
class Found:
    """A series with everything that was chosen for it."""

    case: str
    target: str
    metric: str
    unit: str
    direction: str
    plan: str
    host: str
    plans: tuple[tuple[str, int, int], ...]
    metrics: tuple[str, ...]
    hosts: tuple[str, ...]
    points: tuple[Point, ...]
    sessions: tuple[history.Session, ...]
    levels: tuple[history.Level, ...]

    @property
    def title(self) -> str:
        """What it shows, in a few words."""
        return f"{self.case} on {self.target}: {metrics.title(self.metric)}"

    def query(self, **other: str) -> str:
        """The address of this series, or of one that differs in `other`."""
        same = {"case": self.case, "target": self.target, "metric": self.metric, "plan": self.plan, "host": self.host}
        return query(**(same | other))


def find(store: Store, asked: Asked) -> Found:
    """The series that was asked for. Raises NotHere, or UnknownName for a plan."""
    plans = search.plans_of(store, asked.case, asked.target)
    if not plans:
        raise NotHere("series", f"{asked.case} on {asked.target}")
    plan = asked.plan or plans[0][0]
    if plan not in {each[0] for each in plans}:
        raise UnknownName("plan", plan, (each[0] for each in plans))
    metrics = search.metrics_of(store, asked.case, asked.target, plan)
    metric = asked.metric or next(iter(metrics), "")
    unit, direction = metrics.get(metric, ("1", "higher"))
    hosts = search.hosts_of(store, asked.case, asked.target, plan)
    host = asked.host or (ALL_HOSTS if len(hosts) < 2 else hosts[0] or ALL_HOSTS)
    points = search.points(store, asked.case, asked.target, plan, metric, None if host == ALL_HOSTS else host)
    places = search.places_of(store, asked.case, asked.target, plan)
    facts = {session: place_facts(*known) for session, known in places.items()}
    sessions = history.placed(history.by_session(points), facts)
    return Found(
        case=asked.case,
        target=asked.target,
        metric=metric,
        unit=unit,
        direction=direction,
        plan=plan,
        host=host,
        plans=tuple(plans),
        metrics=tuple(metrics),
        hosts=tuple(hosts),
        points=tuple(points),
        sessions=tuple(sessions),
        levels=tuple(history.levels(sessions)),
    )


@router.get("", response_class=HTMLResponse)
def show(request: Request, who: Reader, asked: Annotated[Asked, Depends()], text: Word = "") -> HTMLResponse:
    """A series; without one, what there is to choose from."""
    request.state.visitor = who
    store = request.app.state.store
    if not asked.case:
        return page(request, "history_list.html", series=search.series(store, text), text=text)
    found = find(store, asked)

    def report() -> Markup:
        sections = [Section("history", "Score over time", _told(found)), *_heat_section(store, found)]
        return shown_sections(sections, "/history/charts", found.query())

    return page(
        request,
        "history.html",
        found=found,
        label=metrics.title,
        untold=untold_text,
        all_hosts=ALL_HOSTS,
        report=request.app.state.pages.get(("history", found.query(), found.plans), report),
    )


@router.get("/charts/{name}.{kind}")
def picture(request: Request, _who: Reader, name: str, kind: str, asked: Annotated[Asked, Depends()]) -> Response:
    """One of the pictures of a series."""
    store = request.app.state.store
    found = find(store, asked)
    blocks = [*_told(found), *(block for section in _heat_section(store, found) for block in section.blocks)]
    charts = {block.id: block for block in blocks if isinstance(block, Chart)}
    if name not in charts:
        raise UnknownName("picture", name, charts)
    return picture_file(charts[name].svg(), kind, f"{name}-{found.case}-{found.target}")


def _told(found: Found) -> tuple[Block, ...]:
    drawn = [each for each in found.sessions if each.valid and each.started_ns > 0]
    if not drawn:
        return (text("No session has a valid score of this metric at a known time.", tone=Tone.UNKNOWN),)
    words = ["A point is the median of one session's valid runs, its line reaches from the lowest to the highest."]
    events = [each for each in found.sessions if each.event]
    if events:
        words.append(
            f"This name stands for {len({each.place for each in found.sessions})} places, each with a symbol of its "
            "own; ◆ and a line mark where another one begins. Levels are looked for on each place apart."
        )
    if not found.levels:
        words.append(
            f"Changes of level are looked for from {history.FEWEST_SESSIONS} sessions on; there are {len(drawn)}."
        )
    elif len(found.levels) == 1 and not events:
        words.append(f"One level: {format_value(found.levels[0].value, found.unit)}; no change was found.")
    else:
        words.append("Orange lines are levels; ▲ and ▼ above the chart mark where a new one begins.")
    if any(each.pattern for each in drawn):
        words.append(
            "Sessions whose runs have no common score have no median: a step has a point for each of its levels, a "
            "trend or two groups only the line."
        )
    chart = over_time(found.title, found.metric, found.unit, found.sessions, found.levels)
    tables = [_events(events)] if events else []
    return (text(*words), chart, *tables, *([_changes(found)] if _pairs(found) else []))


def _pairs(found: Found) -> list[tuple[history.Level, history.Level]]:
    """Neighbouring levels of one place."""
    return [
        (before, after)
        for before, after in pairwise(found.levels)
        if not any(each.event for each in found.sessions[before.last + 1 : after.first + 1])
    ]


def _events(events: Sequence[history.Session]) -> Table:
    rows = tuple((phrase(time_text(each.started_ns)), phrase(each.event)) for each in events)
    notes = ("A place is its file system, volume, size, devices and host, not its name.",)
    return Table("Changes of the place", columns("First session", "What changed"), rows, notes)


def _changes(found: Found) -> Table:
    rows = []
    for before, after in _pairs(found):
        ratio = after.value / before.value
        better = (ratio > 1) == (found.direction == "higher")
        rows.append(
            (
                phrase(time_text(found.sessions[after.first].started_ns)),
                Phrase("better" if better else "worse", Tone.BETTER if better else Tone.WORSE),
                number(ratio, "x", ratio_text(ratio)),
                number(before.value, found.unit),
                number(after.value, found.unit),
                number(before.sessions, "1"),
                number(after.sessions, "1"),
            )
        )
    heads = columns("First session", "Change", ">Ratio", ">From", ">To", ">Sessions before", ">Sessions after")
    notes = (
        "Change points: PELT on the logarithms of the medians; levels of 3 or more sessions that differ by 5 % or "
        "more. Between sessions more than the target may have changed; compare the environments around a change.",
    )
    return Table("Changes of level", heads, tuple(rows), notes)


def _heat_section(store: Store, found: Found) -> list[Section]:
    """Latency of the newest sessions, from added histograms."""
    shown = [each for each in found.sessions if each.started_ns > 0][-MOST_COLUMNS:]
    runs: dict[str, list[str]] = {}
    for point in found.points:
        if point.status == RunStatus.OK:
            runs.setdefault(point.session_id, []).append(point.run_id)
    each_has = max(1, MOST_HISTOGRAMS // max(1, len(shown)))
    wanted = {session.id: runs.get(session.id, [])[:each_has] for session in shown}
    kind, encoded = _encoded(store, found.metric, [run for chosen in wanted.values() for run in chosen])
    drawn = []
    for session in shown:
        parts = [encoded[run] for run in wanted[session.id] if run in encoded]
        try:
            if parts:
                drawn.append(Column(time_text(session.started_ns)[:10], merge(parts)))
        except ResultFileError:
            continue
    if not drawn:
        return []
    words = [f"Latency of {kind} operations, one column per session; the stronger the colour, the more operations."]
    if any(len(runs.get(session.id, [])) > each_has for session in shown):
        those = "The first valid run" if each_has == 1 else f"The first {each_has} valid runs"
        words.append(f"{those} of each session {'is' if each_has == 1 else 'are'} in it.")
    chart = heat_map("heat-map", f"{found.case} on {found.target}: {kind} latency", drawn)
    return [Section("heat", "Latency over time", (text(*words), chart))]


def _encoded(store: Store, metric: str, run_ids: list[str]) -> tuple[str, dict[str, bytes]]:
    """The histograms of the kind that the metric is about, else of the first kind that there is."""
    kinds = ("read", "write", "commit", "sync", "trim")
    named = [kind for kind in kinds if metric.startswith(f"{kind}_")]
    for kind in (*named, *kinds):
        if encoded := store.histograms(run_ids, kind):
            return kind, encoded
    return "", {}
