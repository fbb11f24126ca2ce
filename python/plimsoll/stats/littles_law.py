"""Little's law as a check of a run: what is in flight must equal throughput times mean latency."""

from __future__ import annotations

from plimsoll.errors import UsageError


def residual(operations_per_s: float, mean_latency_ns: float, in_flight: float) -> float:
    """X·R̄/N − 1: 0 if the numbers fit, −0.2 if a fifth of the time in flight was not seen as latency.

    `in_flight` is the number of operations that the clients keep outstanding; with think time Z add Z to the latency.
    Needs the mean latency; percentiles do not obey the law.
    """
    if in_flight <= 0:
        raise UsageError("Little's law needs at least one operation in flight")
    return operations_per_s * mean_latency_ns / 1e9 / in_flight - 1.0
