"""One test on one target over all sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup

from plimsoll import metrics
from plimsoll.errors import ResultFileError, UnknownName
from plimsoll.model import RunStatus
from plimsoll.report.document import Block, Chart, Phrase, Section, Table, Tone, columns, number, phrase, text
from plimsoll.report.sections.environment import time_text
from plimsoll.stats.direction import directed
from plimsoll.stats.histogram import merge
from plimsoll.store import histories
from plimsoll.store.histories import Wanted, Work
from plimsoll.store.pins import Pin, pins
from plimsoll.store.store import Store
from plimsoll.units import format_value
from plimsoll.web import history
from plimsoll.web.access import Reader
from plimsoll.web.days import Day, begin_ns, end_ns
from plimsoll.web.faults import NotHere
from plimsoll.web.lru_cache import LruCache
from plimsoll.web.pages.session import picture_file
from plimsoll.web.pictures import Column, heat_map, over_time, untold_text
from plimsoll.web.rendering import page, query
from plimsoll.web.reports import show as shown_sections

router = APIRouter(prefix="/history")

MOST_COLUMNS = 60
MOST_HISTOGRAMS = 60
MOST_EVENTS = 50
"""Changes of the place that a table lists."""

MOST_KEPT = 32
"""Series that are kept as they were computed."""

ALL_HOSTS = "*"
Word = Annotated[str, Query(max_length=400)]


@dataclass(frozen=True)
class Asked:
    """A series; what is empty is chosen: the newest plan, its first metric, the host of the newest run."""

    case: Annotated[str, Query(max_length=400, description="The case as reports call it: randread, ping depth=4.")] = ""
    target: Annotated[str, Query(max_length=400, description="Name of the target.")] = ""
    metric: Annotated[str, Query(max_length=100, description="As iops or read_p99; default: the first judged.")] = ""
    plan: Annotated[str, Query(max_length=16, description="Hash of all parameters; default: the newest.")] = ""
    host: Annotated[str, Query(max_length=300, description="Host that the target belongs to, or * for all.")] = ""
    since: Day = ""
    until: Day = ""


_found: LruCache[Found] = LruCache(MOST_KEPT)


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
    since: str
    until: str
    plans: tuple[tuple[str, int, int], ...]
    """Hash, number of runs and start of the last one."""
    metrics: tuple[str, ...]
    hosts: tuple[str, ...]
    wanted: Wanted
    complete: bool
    """Whether no older session was left out."""
    sessions: tuple[history.Session, ...]
    levels: tuple[history.Level, ...]

    @property
    def title(self) -> str:
        """What it shows, in a few words."""
        return f"{self.case} on {self.target}: {metrics.title(self.metric)}"

    def query(self, **other: str) -> str:
        """The address of this series, or of one that differs in `other`."""
        names = ("case", "target", "metric", "plan", "host", "since", "until")
        return query(**({name: getattr(self, name) for name in names} | other))

    @property
    def other_names(self) -> list[str]:
        """What the target was called in other sessions."""
        return sorted({each.name for each in self.sessions} - {self.target})


def find(store: Store, asked: Asked, most: int = histories.MAX_SESSIONS) -> Found:
    """The series that was asked for, of its newest `most` sessions. Raises NotHere, or UnknownName for a plan."""
    known = histories.works(store, asked.case, asked.target)
    # Runs never change, so their numbers tell whether there are new ones.
    key = (store, asked, most, tuple((each.key, each.sessions, each.runs, each.last_ns) for each in known))
    return _found.get(key, lambda: _find(store, asked, most, known))


def _find(store: Store, asked: Asked, most: int, known: list[Work]) -> Found:
    if not known:
        raise NotHere("series", f"{asked.case} on {asked.target}")
    plans = _plans(known)
    plan = asked.plan or plans[0][0]
    if plan not in {each[0] for each in plans}:
        raise UnknownName("plan", plan, (each[0] for each in plans))
    metrics = histories.metrics_of(store, asked.case, asked.target, plan)
    metric = asked.metric or next(iter(metrics), "")
    unit, direction = metrics.get(metric, ("1", "higher"))
    known = [each for each in known if each.plan == plan]
    hosts = list(dict.fromkeys(each.host for each in known))
    host = asked.host or (ALL_HOSTS if len(hosts) < 2 else hosts[0] or ALL_HOSTS)
    mine = [each for each in known if host in (ALL_HOSTS, each.host)]
    wanted = Wanted(
        asked.case,
        plan,
        (*mine, *histories.renamed(store, asked.case, plan, mine)),
        begin_ns(asked.since),
        end_ns(asked.until),
    )
    # One more tells whether there are older ones.
    scores = histories.scores(store, wanted, metric, most + 1) if mine else []
    newest = scores[-most:]
    facts = {each.session_id: each.work.facts for each in newest}
    names = {each.session_id: each.work.target for each in newest}
    sessions = history.placed([history.of_scores(each) for each in newest], facts, names)
    return Found(
        case=asked.case,
        target=asked.target,
        metric=metric,
        unit=unit,
        direction=direction,
        plan=plan,
        host=host,
        since=asked.since,
        until=asked.until,
        plans=tuple(plans),
        metrics=tuple(metrics),
        hosts=tuple(hosts),
        wanted=wanted,
        complete=len(scores) <= most,
        sessions=tuple(sessions),
        levels=tuple(history.levels(sessions)),
    )


def _plans(works: Sequence[Work]) -> list[tuple[str, int, int]]:
    """Hash, number of runs and start of the last one of each plan, the newest first."""
    runs: Counter[str] = Counter()
    last: dict[str, int] = {}
    for each in works:
        runs[each.plan] += each.runs
        last[each.plan] = max(each.last_ns, last.get(each.plan, 0))
    return sorted(((plan, runs[plan], last[plan]) for plan in last), key=lambda each: (-each[2], each[0]))


@router.get("", response_class=HTMLResponse)
def show(request: Request, who: Reader, asked: Annotated[Asked, Depends()], text: Word = "") -> HTMLResponse:
    """A series; without one, what there is to choose from."""
    request.state.visitor = who
    store = request.app.state.store
    if not asked.case:
        return page(request, "history_list.html", series=histories.series(store, text), text=text)
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
        pin=(shown := Pin(found.case, found.target, found.host)),
        pinned=shown in pins(store),
        may_keep=who.may_keep,
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
    many = len(drawn) > history.MOST_DRAWN
    shown, levels = history.condensed(found.sessions, found.levels) if many else (found.sessions, found.levels)
    words = [_of_points(len(drawn), len(shown))]
    if not found.complete:
        words.append(
            f"The newest {len(found.sessions):,} sessions are in it; choose days (From, To) to see those before them."
        )
    if found.other_names:
        words.append(
            f"The target was also called {', '.join(found.other_names)}: the same devices, never side by side."
        )
    events = [each for each in found.sessions if each.event]
    if any(each.event for each in shown):
        words.append(
            f"This name stands for {len({each.place for each in found.sessions})} places, each with a symbol of its "
            "own; ◆ and a line mark where another one begins. Levels are looked for on each place apart."
        )
    elif events:
        words.append(
            f"The place changes {len(events):,} times, too often to be marked: choose a host, or days (From, To)."
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
    chart = over_time(found.title, found.metric, found.unit, shown, levels, "group" if many else "session")
    tables = [_events(events)] if events else []
    return (text(*words), chart, *tables, *([_changes(found)] if _pairs(found) else []))


def _of_points(sessions: int, points: int) -> str:
    if sessions <= history.MOST_DRAWN:
        return "A point is the median of one session's valid runs, its line reaches from the lowest to the highest."
    return (
        f"{sessions:,} sessions cannot be told apart in one picture: a point is the median of about "
        f"{sessions / points:.0f} neighbouring ones, its line reaches from their lowest run to their highest. "
        f"Choose days (From, To) with at most {history.MOST_DRAWN} sessions to see each."
    )


def _pairs(found: Found) -> list[tuple[history.Level, history.Level]]:
    """Neighbouring levels of one place."""
    return [
        (before, after)
        for before, after in pairwise(found.levels)
        if not any(each.event for each in found.sessions[before.last + 1 : after.first + 1])
    ]


def _events(events: Sequence[history.Session]) -> Table:
    rows = tuple((phrase(time_text(each.started_ns)), phrase(each.event)) for each in events[-MOST_EVENTS:])
    notes = ["A place is its file system, volume, size, devices and host, not its name."]
    if len(events) > MOST_EVENTS:
        notes.append(f"The newest {MOST_EVENTS} of {len(events):,} changes.")
    return Table("Changes of the place", columns("First session", "What changed"), rows, tuple(notes))


def _changes(found: Found) -> Table:
    rows = []
    for before, after in _pairs(found):
        ratio = after.value / before.value
        better = (ratio > 1) == (found.direction == "higher")
        rows.append(
            (
                phrase(time_text(found.sessions[after.first].started_ns)),
                Phrase("better" if better else "worse", Tone.BETTER if better else Tone.WORSE),
                number(ratio, "x", directed(found, ratio)),
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
    for point in histories.points(store, found.wanted, found.metric, [each.id for each in shown]):
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
