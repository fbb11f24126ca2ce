"""What can be asked before anything is rented: zones, types, images, quotas, permissions."""

from __future__ import annotations

from plimsoll.clouds.providers.aws import zones
from plimsoll.clouds.wanted import Rental


def check(rental: Rental) -> list[str]:
    """Warnings. Raises UsageError with the reasons why it cannot be rented."""
    zones.choose(rental)
    return []
