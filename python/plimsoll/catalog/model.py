"""What the model of `crates/volume` says of a description: the only way from the catalog into the compiled module."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from plimsoll import _core
from plimsoll.errors import UsageError


def device_bytes(spec: Mapping[str, Any], where: str) -> int:
    """Size of the device that a `VolumeSpec` gives, arrays included.

    Raises UsageError for numbers, levels and members that no mechanism can carry out; `where` names their origin.
    """
    try:
        return _core.volume_validate(json.dumps(spec))
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from None
