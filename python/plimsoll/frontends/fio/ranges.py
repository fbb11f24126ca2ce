"""Which numbers fio 3.33 takes for an option: told where the option stands, before anything is made or measured."""

from __future__ import annotations

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.options import BOOLEANS

PERCENT = (0, 100)
WHOLE: dict[str, tuple[int, int | None]] = {
    "iodepth": (1, None),
    "iodepth_batch": (1, None),
    "iodepth_batch_complete_min": (0, None),
    "iodepth_batch_complete_max": (0, None),
    "iodepth_low": (0, None),
    "loops": (1, None),
    "number_ios": (0, None),
    "fsync": (0, None),
    "fdatasync": (0, None),
    "rwmixread": PERCENT,
    "rwmixwrite": PERCENT,
    "buffer_compress_percentage": PERCENT,
    "dedupe_percentage": PERCENT,
    "thinktime_blocks": (1, None),
    "rate_cycle": (0, None),
    "randseed": (0, None),
    "log_avg_msec": (0, None),
    "log_hist_msec": (0, None),
    "log_hist_coarseness": (0, 6),
    "log_entries": (1, None),
    "bwavgtime": (0, None),
    "iopsavgtime": (0, None),
    "significant_figures": (1, 10),
}
"""Options with one whole number: the least and the largest, if there is one."""


def check(name: str, value: str) -> None:
    """Refuse a value that no job could use, by the option's name. Raises UsageError."""
    try:
        if name in BOOLEANS:
            values.boolean(value)
        elif name in WHOLE:
            _within(value, *WHOLE[name])
        elif name == "percentage_random":
            for part in filter(None, value.split(",")):
                _within(part, *PERCENT)
        elif name == "percentile_list":
            values.percentiles(value)
    except UsageError as error:
        raise UsageError(f"{name}={value}: {error}") from None


def _within(text: str, least: int, most: int | None) -> None:
    number = values.whole(text)
    if number < least or (most is not None and number > most):
        raise UsageError(f"use {least} to {most}" if most is not None else f"use {least} or more")
