"""`vol:type=gp2,size=100GiB,fs=xfs`: a target that is made for the session and taken away after it.

What says how the volume is belongs to the place; every other option overrides a parameter of the test, as on any
target. So the size of the test's file on a volume is set for all targets, with `--set size=…`.
"""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.catalog.options import SHAPE_OPTIONS
from plimsoll.catalog.shape import options_from, volume_shape
from plimsoll.catalog.targets import SCHEME
from plimsoll.model import Target
from plimsoll.parameter import Parameter, read_flag, read_plain, read_text
from plimsoll.units import parse_size

SERVED_OPTIONS: Mapping[str, Parameter] = {
    each.name: each
    for each in (
        Parameter("fs", None, read_text, "file system to make and mount, such as ext4, xfs or btrfs"),
        Parameter(
            "backing",
            "sparse",
            read_text,
            "where its bytes are: a sparse file below PLIMSOLL_HOME, or memory",
            choices=("sparse", "memory"),
        ),
        Parameter("instance_name", None, read_plain, "volumes with the same one share the limits of their instance"),
        Parameter(
            "write_cache", 0, parse_size, "size of a volatile cache whose content a power loss drops; EBS has none"
        ),
    )
}
"""What a served volume has beside its shape."""
MEMORY = Parameter(
    "memory",
    None,
    read_plain,
    "memory of the machine, such as 1.3GiB, or yes for all that its instance has; a cgroup that tests run in",
)
"""What a target has beside its volume."""
RESTART = Parameter(
    "restart",
    False,
    read_flag,
    "yes: each run finds its buckets and credits as they were at the start; no: as the run before left them",
)
TARGET_OPTIONS: Mapping[str, Parameter] = {**SERVED_OPTIONS, MEMORY.name: MEMORY, RESTART.name: RESTART}
"""What a target that is a volume has beside its shape."""
FILE_SYSTEM = "ext4"
"""Of a target that names none."""


def is_volume(where: str) -> bool:
    """Whether a place is written as a volume."""
    return where.startswith(SCHEME)


def volume_target(name: str, where: str, options: Mapping[str, str]) -> Target:
    """The target with all that says how the volume is in its place, and nothing else there.

    An option given beside the place replaces the one in it. Raises UsageError.
    """
    own = options_from(where.removeprefix(SCHEME), f"target {name or where!r}")
    own |= {option: value for option, value in options.items() if option in SHAPE_OPTIONS or option in TARGET_OPTIONS}
    if "model" in own:
        # The numbers themselves, so that the session means the same without the file.
        shaped = {option: value for option, value in own.items() if option in SHAPE_OPTIONS}
        own["model"] = volume_shape(shaped, f"target {name or where!r}").options["model"]
    return Target(
        name=name or own.get("type", "volume"),
        kind="volume",
        where=SCHEME + ",".join(f"{option}={value}" for option, value in own.items()),
        options={option: value for option, value in options.items() if option not in own},
    )


def volume_options(target: Target) -> tuple[dict[str, str], dict[str, str]]:
    """The options of a volume target: those of its shape, and the others."""
    own = options_from(target.where.removeprefix(SCHEME), f"target {target.name}")
    others = {option: own.pop(option) for option in TARGET_OPTIONS if option in own}
    return own, others
