"""The model of `crates/volume`: the only way into the compiled module for volumes.

A volume is a `VolumeSpec` (`crates/volume/src/spec.rs`): resolved numbers in base units. Unknown fields are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from plimsoll import _core
from plimsoll.errors import TargetError, UsageError


def simulate(request: Mapping[str, Any]) -> dict[str, Any]:
    """A load on a volume in virtual time.

    `request` holds `volume` and one of `workload`, `trace` and `schedule`; these and the answer are described in
    `_core.pyi` and `crates/volume/src/simulate`. The same request gives the same answer to the last bit. Ctrl-C
    interrupts it.
    Raises UsageError, TargetError where a trace cannot be read.
    """
    try:
        answer: dict[str, Any] = json.loads(_core.simulate(json.dumps(request)))
    except ValueError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise TargetError(error.strerror or str(error)) from None
    return answer


def serve(spec: Mapping[str, Any], mountpoint: Path, socket: Path, ready: Callable[[], None]) -> None:
    """Serve a volume as the file `mountpoint` until it is stopped. Raises UsageError, TargetError."""
    try:
        _core.serve(json.dumps(spec), str(mountpoint), str(socket), ready)
    except ValueError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise TargetError(error.strerror or str(error)) from None
