"""A session as OpenTelemetry spans and metrics, by OTLP over HTTP: `plimsoll run --otlp ADDRESS`.

Everything is sent when a run is stored, on the session's own thread: while one measures, nothing is sent and no thread
of the library works. What cannot be delivered is told once, and the session goes on.
"""

from __future__ import annotations

import logging
import math
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import Span, Status, StatusCode, set_span_in_context

from plimsoll import __version__
from plimsoll.addresses import shown
from plimsoll.api.watching import Progress
from plimsoll.errors import UsageError
from plimsoll.model import Run, RunStatus, Unit
from plimsoll.units import SECOND

TIMEOUT_S = 3
"""Longest that one delivery may take, its repeats included."""
_UNITS: dict[Unit, tuple[str, float]] = {"ns": ("s", 1 / SECOND), "B": ("By", 1.0), "B/s": ("By/s", 1.0)}
"""The codes of OpenTelemetry (UCUM); times are seconds there."""


class Telemetry:
    """Takes the events of one session. Raises UsageError for an address that is none, or where nobody answers."""

    def __init__(self, address: str, tell: Callable[[str], None]) -> None:
        base = address.rstrip("/")
        _reach(base)
        self._heard = _Heard(shown(base), tell)
        logging.getLogger("opentelemetry").addHandler(self._heard)
        resource = Resource.create({"service.name": "plimsoll", "service.version": __version__})
        spans = OTLPSpanExporter(f"{base}/v1/traces", timeout=TIMEOUT_S)
        self._traces = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._traces.add_span_processor(SimpleSpanProcessor(spans))
        numbers = OTLPMetricExporter(f"{base}/v1/metrics", timeout=TIMEOUT_S)
        reader = PeriodicExportingMetricReader(numbers, export_interval_millis=math.inf)
        self._metrics = MeterProvider([reader], resource, shutdown_on_exit=False)
        self._tracer = self._traces.get_tracer("plimsoll", __version__)
        meter = self._metrics.get_meter("plimsoll", __version__)
        self._runs = meter.create_counter("plimsoll.runs", "{run}", "Runs that were stored, by status")
        self._gauge = meter.create_gauge
        self._gauges: dict[str, Any] = {}
        self._session: Span | None = None

    def __call__(self, event: Progress) -> None:
        """The session is a span, each of its runs one inside; looks and notes are events of the session."""
        if self._heard.told:
            return
        if event.kind == "session":
            attributes = {"plimsoll.session.id": event.session_id}
            self._session = self._tracer.start_span("plimsoll session", attributes=attributes)
        elif event.kind in ("look", "note") and self._session is not None:
            self._session.add_event(event.kind, {"text": event.text})
        elif event.run is not None:
            self._run(event.run, event)
            self._metrics.force_flush(TIMEOUT_S * 1000)

    def ended(self, error: BaseException | None) -> None:
        """Ends the span of the session, and delivers what is left."""
        if self._session is not None:
            if error is not None:
                told = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
                self._session.set_status(Status(StatusCode.ERROR, told))
            if not self._heard.told:
                self._session.end()
        self._traces.shutdown()
        if not self._heard.told:
            self._metrics.shutdown(TIMEOUT_S * 1000)
        logging.getLogger("opentelemetry").removeHandler(self._heard)

    def _run(self, run: Run, event: Progress) -> None:
        which = {
            "plimsoll.test": run.plan.test,
            "plimsoll.case": run.plan.case,
            "plimsoll.target": run.target.name,
        }
        attributes: dict[str, str | int | float] = {**which, "plimsoll.run.id": run.id, "plimsoll.block": run.block}
        attributes["plimsoll.status"] = run.status.value
        attributes |= {f"plimsoll.score.{score.metric}": score.value for score in run.scores}
        inside = set_span_in_context(self._session) if self._session is not None else None
        span = self._tracer.start_span(f"run {run.plan.case}", inside, attributes=attributes, start_time=run.started_ns)
        if run.status is not RunStatus.OK:
            span.set_status(Status(StatusCode.ERROR, run.reason))
        for found in run.findings:
            span.add_event(found.guard, {"level": found.level.value, "message": found.message}, run.ended_ns)
        span.end(run.ended_ns)
        self._runs.add(1, {**which, "plimsoll.status": run.status.value})
        for score in run.scores:
            unit, factor = _UNITS.get(score.unit, (score.unit, 1.0))
            self._set(f"plimsoll.score.{score.metric}", unit, score.value * factor, which)
        if event.left_most_ns is not None:
            self._set("plimsoll.session.time_left", "s", event.left_most_ns / SECOND, {})

    def _set(self, name: str, unit: str, value: float, which: dict[str, str]) -> None:
        if name not in self._gauges:
            self._gauges[name] = self._gauge(name, unit)
        self._gauges[name].set(value, which)


class _Heard(logging.Handler):
    """What the library says of deliveries that failed, as one sentence, once."""

    def __init__(self, address: str, tell: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._address, self._tell = address, tell
        self.told = False

    def emit(self, record: logging.LogRecord) -> None:
        """Says it; the library repeats itself for each delivery."""
        if not self.told and "export" in record.name:
            self.told = True
            self._tell(f"nothing is delivered to {self._address}: {_reason(record)}; the session goes on")


def _reach(address: str) -> None:
    """Asks whether anybody listens there, before anything is measured."""
    wanted = "use one such as http://127.0.0.1:4318, which a collector listens on"
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        if not parts.hostname:
            raise KeyError
    except (KeyError, ValueError):
        raise UsageError(f"{shown(address)!r} is no address for OTLP over HTTP; {wanted}") from None
    try:
        socket.create_connection((parts.hostname, port), TIMEOUT_S).close()
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"nobody answers at {shown(address)} ({why}): start the collector, or {wanted}") from None


def _reason(record: logging.LogRecord) -> str:
    return record.getMessage().partition("\n")[0][:200]
