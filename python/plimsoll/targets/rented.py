"""`aws:gp3,size=500GiB,iops=6000`: a target that is rented for the session and given back after it.

As with `vol:`, what says how the volume is belongs to the place, and every other option overrides a parameter of the
test. The options are those of the one catalog, without what only a model can be told, and what a provider wants beside.
"""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.catalog.options import SHAPE_OPTIONS
from plimsoll.catalog.targets import rented_by
from plimsoll.errors import UsageError
from plimsoll.model import RENTED, Target
from plimsoll.parameter import Parameter, read_flag, read_plain, read_text

BOUGHT = ("type", "size", "iops", "throughput", "instance", "raid", "members", "chunk")
"""Options of a shape that a provider sells, or that its volumes are joined with."""
NO_FILE_SYSTEM = "none"
FILE_SYSTEMS = ("ext4", "ext3", "xfs", "btrfs", NO_FILE_SYSTEM)
RENTED_OPTIONS: Mapping[str, Parameter] = {
    each.name: each
    for each in (
        Parameter("fs", "ext4", read_text, "file system to make; none: the device is measured", choices=FILE_SYSTEMS),
        Parameter("mount", "", read_plain, "mount options, several joined by +, such as noatime+nodiscard"),
        Parameter("encrypted", False, read_flag, "yes: encrypted with the account's default key"),
        Parameter("snapshot", None, read_plain, "snapshot that it is made from, whose blocks are slow at first touch"),
        Parameter("image", None, read_plain, "image of its machine, by id or public parameter; Python 3.11 or later"),
        Parameter("zone", None, read_text, "availability zone, such as us-east-1a; all that is rented is in one"),
        Parameter("spot", False, read_flag, "yes: its machine is a spot instance, which the provider may take away"),
    )
}
"""What a rented volume has beside its shape."""


def is_rented(target: Target) -> bool:
    """Whether it is rented for the session."""
    return target.kind == RENTED


def rented_target(name: str, where: str, options: Mapping[str, str]) -> Target:
    """The target with all that says what is rented in its place, and nothing else there.

    An option given beside the place replaces the one in it. Raises UsageError.
    """
    provider, given = _split(where, f"target {name or where!r}")
    known = {*SHAPE_OPTIONS, *RENTED_OPTIONS}
    own = given | {option: value for option, value in options.items() if option in known}
    if "mount" in own:
        own["mount"] = own["mount"].replace(",", "+")
    return Target(
        name=name or own.get("type", provider),
        kind=RENTED,
        where=f"{provider}:" + ",".join(f"{option}={value}" for option, value in own.items()),
        options={option: value for option, value in options.items() if option not in own},
    )


def rented_options(target: Target) -> tuple[dict[str, str], dict[str, str]]:
    """The options of a rented target: those of its shape, and the others."""
    where = f"target {target.name}"
    own = _split(target.where, where)[1]
    others = {option: own.pop(option) for option in RENTED_OPTIONS if option in own}
    for option in own:
        if option in SHAPE_OPTIONS and option not in BOUGHT:
            raise UsageError(f"{where}: {option}= is for emulated volumes (vol:…); a rented one is as it is")
    return own, others


def _split(where: str, who: str) -> tuple[str, dict[str, str]]:
    """Provider and options of `aws:gp3,size=500GiB`: a first word without `=` is the type."""
    provider = rented_by(where)
    assert provider is not None  # whoever calls has looked
    found: dict[str, str] = {}
    for place, word in enumerate(filter(None, where.partition(":")[2].split(","))):
        name, equals, value = word.strip().partition("=")
        if not equals:
            if place:
                raise UsageError(f"{who}: {name!r} is not an option; write NAME=VALUE, as in size=500GiB")
            name, value = "type", name
        if name in found:
            raise UsageError(f"{who}: {name} is given twice; keep one of them")
        found[name] = value.strip()
    return provider, found
