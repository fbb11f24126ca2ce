"""Templates to pages. Every text is escaped, and cleaned of characters that could steer or hide what is shown."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import quote, urlencode

import numpy.ma  # noqa: F401 - medians load it, in the first history
import tomli_w  # noqa: F401 - reports write studies with it
from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup

from plimsoll import metrics, plugins
from plimsoll.report.charts import forest
from plimsoll.report.charts.bundle import library
from plimsoll.report.charts.vega import Vega
from plimsoll.report.printable import clean
from plimsoll.report.renderers import html
from plimsoll.report.sections.environment import time_text
from plimsoll.store.names import short_id
from plimsoll.units import SECOND, format_duration, format_number, format_size, format_value


@cache
def environment() -> Environment:
    """The templates of the server, which may use those of reports."""
    shared = html.environment()
    loaders = [PackageLoader("plimsoll.web"), *([shared.loader] if shared.loader else [])]
    made = shared.overlay(loader=ChoiceLoader(loaders), finalize=_finalize)
    made.filters |= {
        "short_id": short_id,
        "time": time_text,
        "iso": _iso,
        "day": _day,
        "duration": format_duration,
        "size": format_size,
        "count": format_number,
        "value": format_value,
        "path": lambda text: quote(str(text), safe=""),
    }
    made.globals |= {"query": query, "static": static_address, "metric_title": metrics.title}
    return made


@cache
def cleaned_environment() -> Environment:
    """The templates for what was cleaned when it was built, as reports are: twice takes a third longer."""
    return environment().overlay(finalize=None)


def prepare() -> None:
    """Load what reports are made of and compile all templates, so that nobody's first page has to wait for it."""
    plugins.found("sections")
    for name in environment().list_templates(["html"]):
        environment().get_template(name)
    cleaned_environment().get_template("report.html")
    cleaned_environment().get_template("parts.html")
    library()
    # What draws still pictures takes half a second to begin, and its first real picture a quarter of one.
    point = forest.Point(0, 0, 2.0, 1.5, 2.5, 0, "2× faster", "1.5…2.5")
    picture = Vega(forest.spec([point], ["a test"], [("target", 0)], ["better"], 0.1, (0.5, 3.0)), still=True)
    picture.inline("none")


def _finalize(value: Any) -> Any:
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _iso(time_ns: int) -> str:
    try:
        return datetime.fromtimestamp(time_ns / SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return ""


def _day(time_ns: int | None) -> str:
    """A date with hours, as tables show it; files of other tools do not always say when they were made."""
    return time_text(time_ns)[:16] if time_ns else "unknown"


def query(**values: Any) -> str:
    """`?name=value&…` of everything that is not empty."""
    kept = {name: value for name, value in values.items() if value not in (None, "", False, [])}
    return f"?{urlencode(kept, doseq=True)}" if kept else ""


SHARED_SCRIPTS = ("charts.js", "tables.js")
"""Those that reports have, too."""


@cache
def static_file(name: str) -> bytes:
    """The content of one of our own files; the style holds that of reports, too, which bring the scripts of charts."""
    if name == "vega.js":
        return library().encode()
    if name in SHARED_SCRIPTS:
        return html.script(name).encode()
    content = (resources.files("plimsoll.web") / "static" / name).read_bytes()
    return html.style().encode() + content if name == "style.css" else content


@cache
def static_address(name: str) -> str:
    """Where a file is served; the address changes with its content, so that it may be kept for ever."""
    return f"/static/{name}?{hashlib.sha256(static_file(name)).hexdigest()[:12]}"


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """The answer to a request: `template` filled with `values` and what every page needs."""
    state = request.app.state
    common = {
        "here": request.url.path,
        "public_read": state.settings.public_read,
        "visitor": getattr(request.state, "visitor", None),
    }
    return HTMLResponse(environment().get_template(template).render(status=status, **common, **values), status)
