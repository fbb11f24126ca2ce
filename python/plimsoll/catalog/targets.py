"""Which volume a target is: emulated (`vol:…`), rented (`aws:…`), or said by the user with `as=gp3+size=100GiB`."""

from __future__ import annotations

from plimsoll.catalog.options import SHAPE_OPTIONS
from plimsoll.catalog.provider import providers
from plimsoll.catalog.shape import VolumeShape, options_from, volume_shape
from plimsoll.errors import UsageError
from plimsoll.model import RENTED, Target

AS = "as"
"""The target option that says which volume a place is; its parts are joined by `+`."""
SCHEME = "vol:"


def read_as(text: str) -> str:
    """Checks the text of the option; raises UsageError for what the provider does not sell."""
    shape = volume_shape(options_from(text, AS), AS)
    # The numbers of a file in its place, so that what is stored means the same without it.
    return "+".join(f"{name}={value}" for name, value in shape.options.items()) if "model" in shape.options else text


def is_emulated(target: Target) -> bool:
    """Whether Plimsoll itself serves the volume."""
    return target.kind == "volume" or target.where.startswith(SCHEME)


def rented_by(where: str) -> str | None:
    """The provider of a place that is written as something to rent, `aws:gp3,size=100GiB`; None for every other one."""
    scheme, colon, _ = where.partition(":")
    return scheme if colon and any(each.name == scheme for each in providers()) else None


def shape_of(target: Target) -> VolumeShape | None:
    """The volume that a target is; None where nobody said, or where a stored text means nothing any more."""
    text = target.options.get(AS, "")
    try:
        if is_emulated(target):
            return _written(target, SCHEME)
        if target.kind == RENTED and (provider := rented_by(target.where)):
            return _written(target, f"{provider}:")
        return volume_shape(options_from(text, AS), AS) if text else None
    except UsageError:
        # Sessions come from other machines and versions; a volume that is not known here has no price, nothing else.
        return None


def _written(target: Target, scheme: str) -> VolumeShape:
    # Of what is rented, only mount options hold a +, and they say nothing of the shape.
    words = (word for word in target.where.removeprefix(scheme).split(",") if not word.startswith("mount="))
    options = options_from(",".join(words), target.where)
    # What a volume has beside its shape, such as its file system, has no price.
    return volume_shape({name: options[name] for name in options if name in SHAPE_OPTIONS}, target.where)
