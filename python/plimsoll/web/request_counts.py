"""How many requests there were, and how long their answers took to begin."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Any

BOUNDS_S = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 10.0)
"""Upper ends of the buckets of durations; one of them is what a page may take."""

_METHODS = ("GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PUT")


class RequestCounts:
    """Since the server began, by route; only the event loop uses it. Routes are few, whatever is asked for."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, str, str]] = Counter()
        """By method, route and status."""
        self.sums_s: Counter[str] = Counter()
        self._buckets: dict[str, list[int]] = {}

    def note(self, method: str, scope: Any, status: int, duration_s: float) -> None:
        """Count one request; `scope` is what the application was called with."""
        route = str(getattr(scope.get("route"), "path", "none"))
        self.answers[method if method in _METHODS else "other", route, str(status)] += 1
        self.sums_s[route] += duration_s  # type: ignore[assignment]
        self._buckets.setdefault(route, [0] * (len(BOUNDS_S) + 1))[bisect_left(BOUNDS_S, duration_s)] += 1

    def durations(self) -> Iterator[tuple[str, str, int]]:
        """Route, upper end and how many were at most so long."""
        for route, buckets in list(self._buckets.items()):
            so_far = 0
            for end, count in zip((*map(str, BOUNDS_S), "+Inf"), buckets, strict=True):
                so_far += count
                yield route, end, so_far
