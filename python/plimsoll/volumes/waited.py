"""For how long I/Os waited for each limit of the volumes below a place, as their servers count it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from plimsoll.errors import PlimsollError
from plimsoll.targets.chain import Chain
from plimsoll.volumes import control, registry

TIMEOUT_S = 0.5
"""A server that is busy or stopped must not hold up what measures it."""


def counters_below(chain: Chain) -> Callable[[], Mapping[str, int]]:
    """What reads the counters: ns since the volume was made, by bucket (`volume.iops`, `instance.throughput_credits`).

    Of several volumes below one place (an array) the longest wait counts, for they wait side by side. Without volumes,
    or where one does not answer, there are none.
    """
    folders = registry.folders_below(chain)
    return lambda: _counters(folders)


def _counters(folders: Sequence[Path]) -> dict[str, int]:
    found: dict[str, int] = {}
    for folder in folders:
        try:
            page = control.ask(folder, {"command": "stats"}, TIMEOUT_S)["stats"]["plimsoll"]
        except (PlimsollError, KeyError):
            return {}
        for bucket in page["buckets"]:
            found[bucket["name"]] = max(bucket["exceeded_ns"], found.get(bucket["name"], 0))
    return found
