"""A fit as the file that `model=FILE` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator

from plimsoll.catalog.fitted import LATENCY_PARTS, LIMITS, NUMBERS
from plimsoll.fitting.fit import Fit

_BOUGHT = ("size", "iops", "throughput")
"""Of the options of a volume, those that its limits hold for."""
_WHOLE = tuple(part for part in LATENCY_PARTS if part.endswith(("_ns", "_per_s")))


def as_toml(fit: Fit, session: str, day: str) -> str:
    """The text of the file."""
    return "\n".join(_lines(fit, session, day)) + "\n"


def _lines(fit: Fit, session: str, day: str) -> Iterator[str]:
    yield f"# {fit.shape.summary}"
    yield f"# Fitted by `plimsoll volume fit` to {fit.runs} runs of session {session}, {day}; use it as model=FILE."
    yield "# Base units: operations, bytes, ns. A number that is taken out is the provider's again."
    yield f"type = {json.dumps(fit.shape.type.name)}"
    yield ""
    yield "[numbers]"
    known = {each.name: each for each in fit.numbers}
    for name in NUMBERS:
        if name in known:
            each = known[name]
            runs = "1 run" if each.runs == 1 else f"{each.runs} runs"
            yield f"{name} = {_text(name, each.value)}  # {_text(name, each.low)} … {_text(name, each.high)}, {runs}"
    yield ""
    yield "[volume]  # what the limits above hold for"
    for name in _BOUGHT:
        if name in fit.shape.options:
            yield f"{name} = {json.dumps(fit.shape.options[name])}"
    for missing in fit.missing:
        yield ""
        yield f"# Not shown: {', '.join(missing.names)}: {missing.why}."
        yield f"#   {missing.test}"


def _text(name: str, value: float) -> str:
    whole = name.startswith(LIMITS) or name.endswith(_WHOLE)
    return str(round(value)) if whole else f"{value:.4g}" if "e" not in f"{value:.4g}" else f"{value:.10f}"
