"""The tags on everything that is rented: whose it is, and when it ends."""

from __future__ import annotations

import getpass
import platform
import re
from collections.abc import Iterable, Mapping
from typing import Any

from plimsoll.clouds import lease
from plimsoll.clouds.provider import Resource
from plimsoll.clouds.wanted import Rental

_FORBIDDEN = re.compile(r"[^\w .:/=+@-]", re.ASCII)
"""What values of tags must not have, for all services."""
RENTAL, NAME, LEASE_END, OWNER = "plimsoll-rental", "plimsoll-name", "plimsoll-lease-end", "plimsoll-owner"


def tags(rental: Rental, name: str) -> list[dict[str, str]]:
    """As calls take them; the user's own first, so that none of them takes the place of ours."""
    ours = {RENTAL: rental.id, NAME: name, LEASE_END: lease.tag(rental.lease_end_ns), OWNER: _owner()}
    return [{"Key": key, "Value": value} for key, value in {**rental.tags, **ours}.items()]


def specifications(rental: Rental, name: str, kinds: Iterable[str]) -> list[dict[str, Any]]:
    """For calls that make things of several kinds."""
    return [{"ResourceType": kind, "Tags": tags(rental, name)} for kind in kinds]


def filters(rental: str | None) -> list[dict[str, Any]]:
    """Of a listing: everything of a rental, or of any."""
    if rental is None:
        return [{"Name": "tag-key", "Values": [RENTAL]}]
    return [{"Name": f"tag:{RENTAL}", "Values": [rental]}]


def resource(kind: str, identity: str, region: str, described: Mapping[str, Any], state: str = "") -> Resource:
    """What a listing describes."""
    told = {each["Key"]: each["Value"] for each in described.get("Tags", ())}
    return Resource(
        kind=kind,
        id=identity,
        region=region,
        rental=told.get(RENTAL, ""),
        name=told.get(NAME, ""),
        lease_end_ns=lease.from_tag(told.get(LEASE_END, "")),
        state=state,
    )


def _owner() -> str:
    """User and machine, as far as they are known."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"
    return _FORBIDDEN.sub("-", f"{user}@{platform.node()}")[:255]
