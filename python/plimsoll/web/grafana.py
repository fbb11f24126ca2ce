"""A Grafana dashboard over what `/metrics` of the team's server tells: `plimsoll export --grafana`.

It asks for the families of `prometheus.py` alone; a test holds it against what a server really answers.
"""

from __future__ import annotations

from typing import Any

TITLE = "Plimsoll"
SCHEMA = 39
"""Of dashboards in Grafana 10 and newer, which bring older ones up to date when they are imported."""

_SOURCE = {"type": "prometheus", "uid": "${source}"}
_PINNED = "plimsoll_pinned_"
_WIDTH, _HEIGHT = 24, 8
_STORY = "{{case}} on {{target}} ({{metric}}, {{host}})"
_SCORES = (
    ("Rates of pinned histories", "operations_per_second", "ops", "more is better"),
    ("Throughput of pinned histories", "bytes_per_second", "Bps", "more is better"),
    ("Times of pinned histories", "seconds", "s", "less is better"),
)
"""Title, end of the family's name, Grafana's unit, and which way is better."""


def dashboard() -> dict[str, Any]:
    """The dashboard as Grafana imports it; which Prometheus it asks is chosen there."""
    total, took = "plimsoll_http_requests_total", "plimsoll_http_request_duration_seconds_bucket"
    small = [
        _panel("Sessions", "stat", "short", ("sum by (state) (plimsoll_sessions)", "{{state}}")),
        _panel("Stored runs that count", "stat", "short", ('sum(plimsoll_stored_runs{valid="true"})', "")),
        _panel("Size of the store", "stat", "bytes", ("sum(plimsoll_store_size_bytes)", "")),
        _panel(
            "Since the last measurement", "stat", "s", (f"time() - {_PINNED}session_start_timestamp_seconds", _STORY)
        ),
    ]
    scores = [
        _panel(
            title,
            "timeseries",
            unit,
            (f"{_PINNED}score_{end}", _STORY),
            (f"plimsoll_baseline_score_{end}", "baseline {{baseline}}: {{case}} on {{target}} ({{metric}})"),
            about=f"Medians of the newest session of each pinned history, beside the baselines; {better}.",
        )
        for title, end, unit, better in _SCORES
    ]
    server = [
        _panel(
            "Requests", "timeseries", "reqps", (f"sum by (route, status) (rate({total}[5m]))", "{{route}} {{status}}")
        ),
        _panel(
            "Time to an answer, p95",
            "timeseries",
            "s",
            (f"histogram_quantile(0.95, sum by (le, route) (rate({took}[5m])))", "{{route}}"),
        ),
    ]
    return {
        "title": TITLE,
        "uid": "plimsoll",
        "tags": ["plimsoll", "storage", "benchmark"],
        "schemaVersion": SCHEMA,
        "time": {"from": "now-30d", "to": "now"},
        "refresh": "1m",
        "templating": {
            "list": [{"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}]
        },
        "panels": _placed([small, *([each] for each in scores), server]),
    }


def _panel(title: str, kind: str, unit: str, *queries: tuple[str, str], about: str = "") -> dict[str, Any]:
    targets = [
        {"refId": chr(ord("A") + place), "datasource": _SOURCE, "expr": expression, "legendFormat": legend or title}
        for place, (expression, legend) in enumerate(queries)
    ]
    return {
        "title": title,
        "type": kind,
        "description": about,
        "datasource": _SOURCE,
        "targets": targets,
        "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
    }


def _placed(rows: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Panels with their places: rows from the top, each as wide as the page."""
    found: list[dict[str, Any]] = []
    for line, row in enumerate(rows):
        for place, panel in enumerate(row):
            wide = _WIDTH // len(row)
            at = {"x": place * wide, "y": line * _HEIGHT, "w": wide, "h": _HEIGHT}
            found.append({"id": len(found) + 1, "gridPos": at, **panel})
    return found
