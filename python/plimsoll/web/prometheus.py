"""The state of the server as Prometheus text: the store, pinned scores and baselines, and requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

from plimsoll import __version__
from plimsoll.report.prometheus import family, in_base_units, labelled
from plimsoll.stats.paired import valid_scores
from plimsoll.store.search import Line
from plimsoll.store.size import size_of
from plimsoll.store.store import Store
from plimsoll.units import SECOND
from plimsoll.web.pinned import Pinned, baseline_lines
from plimsoll.web.request_counts import RequestCounts

Values = Mapping[str, float]


def text_of(store: Store, pinned: list[Pinned], requests: RequestCounts) -> str:
    """Everything, in families."""
    return "".join([*_store(store), *_pinned(pinned), *_baselines(store), *_requests(requests)])


def _store(store: Store) -> Iterator[str]:
    size = size_of(store)
    yield family(
        "plimsoll_build_info",
        "The version that answers",
        {f"plimsoll_build_info{labelled({'version': __version__})}": 1},
    )
    states = {f"plimsoll_sessions{labelled({'state': state})}": count for state, count in size.sessions.items()}
    yield family("plimsoll_sessions", "Sessions in the store by their stored state", states)
    runs = {"true": size.valid, "false": size.runs - size.valid}
    counts = {f"plimsoll_stored_runs{labelled({'valid': valid})}": count for valid, count in runs.items()}
    yield family("plimsoll_stored_runs", "Runs in the store by whether they count", counts)
    yield family("plimsoll_store_size_bytes", "What the store takes", {"plimsoll_store_size_bytes": size.bytes})


def _pinned(pinned: list[Pinned]) -> Iterator[str]:
    families: dict[str, dict[str, float]] = {}
    times: dict[str, float] = {}
    for each in pinned:
        if each.found is None or each.last is None:
            continue
        which = {"case": each.pin.case, "target": each.pin.target, "host": each.found.host, "metric": each.found.metric}
        name, divisor = in_base_units("plimsoll_pinned_score", each.found.unit)
        if each.last.value is not None:
            families.setdefault(name, {})[f"{name}{labelled(which)}"] = each.last.value / divisor
        times[f"plimsoll_pinned_session_start_timestamp_seconds{labelled(which)}"] = each.last.started_ns / SECOND
    for name, samples in families.items():
        yield family(name, "Median of the newest session of a pinned history", samples)
    if times:
        yield family("plimsoll_pinned_session_start_timestamp_seconds", "When that session began", times)


def _baselines(store: Store) -> Iterator[str]:
    families: dict[str, dict[str, float]] = {}
    for baseline, line in baseline_lines(store).items():
        for (case, metric, target), (unit, value) in _scores(store, line).items():
            name, divisor = in_base_units("plimsoll_baseline_score", unit)
            which = {"baseline": baseline, "case": case, "target": target, "metric": metric}
            families.setdefault(name, {})[f"{name}{labelled(which)}"] = value / divisor
    for name, samples in families.items():
        yield family(name, "Median of the valid runs of a baseline", samples)


def _scores(store: Store, line: Line) -> dict[tuple[str, str, str], tuple[str, float]]:
    """Unit and median of the metric that decides each case, by case, metric and target."""
    deciding = {key: plan.metrics[:1] for key, plan in store.plans([line.id]).items()}
    rows = store.score_rows([line.id], deciding)
    units = {(row.case, row.metric, row.target): row.unit for row in rows}
    return {key: (units[key], median(values)) for key, values in valid_scores(rows).items() if values}


def _requests(requests: RequestCounts) -> Iterator[str]:
    total, took = "plimsoll_http_requests_total", "plimsoll_http_request_duration_seconds"
    names = ("method", "route", "status")
    counts = {f"{total}{labelled(dict(zip(names, key, strict=True)))}": n for key, n in list(requests.answers.items())}
    if not counts:
        return
    yield family(total, "Requests since the server began", counts, "counter")
    samples: dict[str, float] = {}
    for route, end, count in requests.durations():
        samples[f"{took}_bucket{labelled({'route': route, 'le': end})}"] = count
        if end == "+Inf":
            samples[f"{took}_sum{labelled({'route': route})}"] = requests.sums_s[route]
            samples[f"{took}_count{labelled({'route': route})}"] = count
    yield family(took, "Time from a request to the beginning of its answer", samples, "histogram")
