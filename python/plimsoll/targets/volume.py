"""`vol:type=gp2,size=100GiB,fs=xfs`: a target that is made for the session and taken away after it.

What says how the volume is belongs to the place; every other option overrides a parameter of the test, as on any
target. So the size of the test's file on a volume is set for all targets, with `--set size=…`.
"""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.catalog.shape import SHAPE_OPTIONS, options_from
from plimsoll.catalog.targets import SCHEME
from plimsoll.model import Target

SERVICE_OPTIONS: dict[str, str] = {
    "fs": "file system to make; ext4",
    "backing": "sparse (a file below PLIMSOLL_HOME) or memory",
    "instance_name": "volumes with the same one share the limits of their instance",
    "memory": "memory of the machine, such as 1.3GiB, or yes for all that its instance has; a cgroup that tests run in",
    "write_cache": "size of a volatile cache whose content a power loss drops",
}
"""What a served volume has beside its shape, and what each means."""


def is_volume(where: str) -> bool:
    """Whether a place is written as a volume."""
    return where.startswith(SCHEME)


def volume_target(name: str, where: str, options: Mapping[str, str]) -> Target:
    """The target with all that says how the volume is in its place, and nothing else there.

    An option given beside the place replaces the one in it. Raises UsageError.
    """
    own = options_from(where.removeprefix(SCHEME), f"target {name or where!r}")
    own |= {option: value for option, value in options.items() if option in SHAPE_OPTIONS or option in SERVICE_OPTIONS}
    return Target(
        name=name or own.get("type", "volume"),
        kind="volume",
        where=SCHEME + ",".join(f"{option}={value}" for option, value in own.items()),
        options={option: value for option, value in options.items() if option not in own},
    )


def volume_options(target: Target) -> tuple[dict[str, str], dict[str, str]]:
    """The shape and the service options of a volume target."""
    own = options_from(target.where.removeprefix(SCHEME), f"target {target.name}")
    service = {option: own.pop(option) for option in SERVICE_OPTIONS if option in own}
    return own, service
