"""What a volume is written with: its options, each declared once, with reader, bounds, default and help.

Those that the model itself knows come from the core (`VolumeSpec` and `ArraySpec` in `crates/volume/src/spec.rs`); what
only a provider's type or an instance knows stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from plimsoll.catalog.levels import read_levels
from plimsoll.declared import VolumeParameters
from plimsoll.errors import UnknownName
from plimsoll.parameter import Parameter, parameters_in, read_flag, read_plain, read_text
from plimsoll.units import parse_count, parse_share, parse_size

_WITHOUT_DEFAULT = ("size", "queue", "raid", "members")
"""Of these the core's default is none of a volume's: its type has another, or there is no array unless it is said."""
_CHANGEABLE = ("size", "queue")
"""Of the model's own, those that a volume in use may be given anew."""


def read_first_touch(value: Any) -> int | None:
    """`yes` → 0, `no` → None, `200MiB` → bytes per second."""
    word = read_text(value)
    if word in ("yes", "true", "on"):
        return 0
    return None if word in ("no", "false", "off") else parse_size(word.removesuffix("/s"))


_BOUGHT = (
    Parameter("type", None, read_text, "volume type; `plimsoll list volumes`"),
    Parameter("iops", None, parse_count, "provisioned IOPS, where the type takes them"),
    Parameter(
        "throughput", None, read_plain, "provisioned throughput, such as 250MiB (a bare number is the provider's unit)"
    ),
    Parameter(
        "instance",
        None,
        read_text,
        "instance type it is attached to, whose limits it shares; `plimsoll list instances`",
        fixed=True,
    ),
    Parameter(
        "era",
        None,
        read_plain,
        "year or month whose limits hold, such as 2013 or 2018-02; without it, today's",
        fixed=True,
    ),
)
_MODEL = Parameter(
    "model",
    None,
    read_plain,
    "a file of `plimsoll volume fit`: its measured numbers in place of the provider's",
    fixed=True,
)
_STATE = (
    Parameter("credits", 1.0, parse_share, "share of burst credits, the instance's as well, at the start", fixed=True),
    Parameter(
        "levels",
        None,
        read_levels,
        "what its buckets hold at the start, such as iops:0%/iops_credits:12%; others are full",
        fixed=True,
    ),
    Parameter(
        "first_touch",
        None,
        read_first_touch,
        "yes: restored from a snapshot, slow where first touched; 200MiB: and initialised at that rate",
    ),
    Parameter(
        "degradation",
        False,
        read_flag,
        "yes: now and then the volume gives less, as far as the provider's promise allows",
    ),
)
_OF_MODEL = tuple(
    replace(each, default=None if each.name in _WITHOUT_DEFAULT else each.default, fixed=each.name not in _CHANGEABLE)
    for each in parameters_in(VolumeParameters)
)
SHAPE_OPTIONS: Mapping[str, Parameter] = {each.name: each for each in (*_BOUGHT, _MODEL, *_OF_MODEL, *_STATE)}
"""What a shape is written with, by name."""

FOR_LIFE = tuple(each.name for each in SHAPE_OPTIONS.values() if each.fixed)
"""Options that a volume in use keeps: it is another volume with other ones."""


def read_options(
    known: Mapping[str, Parameter], options: Mapping[str, str], where: str, what: str = "volume option"
) -> dict[str, Any]:
    """The given options in base units; `where` names their origin in errors, `what` what they are.

    Raises UnknownName for an option that does not exist, UsageError for a value that means nothing or is out of bounds.
    """
    found = {}
    for name, text in options.items():
        if name not in known:
            raise UnknownName(what, name, known, where)
        found[name] = known[name].read_given(text, where)
    return found
