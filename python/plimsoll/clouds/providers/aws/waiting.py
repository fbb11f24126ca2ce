"""Waiting for what AWS does in its own time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from plimsoll.clouds.providers.aws.errors import Gone
from plimsoll.errors import CloudError, Unanswered
from plimsoll.units import SECOND, format_duration

POLL_S = 2.0
APPEARS_S = 90.0
"""What was made is described after seconds; after so long it is not there."""
BOOTS_S = 600.0
T = TypeVar("T")


def until(look: Callable[[], T | None], what: Callable[[], str], within_s: float) -> T:
    """What `look` finds; it may find nothing yet, or not be there yet. Raises CloudError with `what` after a time."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            if (found := look()) is not None:
                return found
        except (Gone, Unanswered):
            if time.monotonic() > deadline:
                raise
        if time.monotonic() > deadline:
            raise CloudError(f"{what()}, {format_duration(within_s * SECOND)} after it was asked for")
        time.sleep(POLL_S)
