"""How often one client may do what costs much. Counted in memory, in a table of bounded size.

Reading is not among it: readers take turns (`turns.py`), so nobody is refused while there is time.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock
from typing import Any

from plimsoll.web.faults import Refused
from plimsoll.web.settings import Settings

MOST_CLIENTS = 10_000
IPV6_CLIENT_BITS = 64


class Buckets:
    """A token bucket per key: `rate_per_s` on average, `depth` at once. The longest unused keys are forgotten."""

    def __init__(self, rate_per_s: float, depth: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._depth, self._clock = rate_per_s, depth, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, key: str, amount: float = 1.0) -> float:
        """Take from the bucket of `key`; 0, or the seconds after which there is enough again."""
        with self._lock:
            now = self._clock()
            left, seen = self._left.pop(key, (self._depth, now))
            left = min(self._depth, left + (now - seen) * self._rate)
            wait = 0.0 if left >= amount else (amount - left) / self._rate
            self._left[key] = (left if wait else left - amount, now)
            if len(self._left) > MOST_CLIENTS:
                self._left.popitem(last=False)
            return wait


class Limits:
    """The limits of one server."""

    def __init__(self, settings: Settings) -> None:
        per_minute = settings.log_in_attempts_per_minute, settings.uploads_per_minute
        self._log_ins = Buckets(per_minute[0] / 60, per_minute[0])
        self._uploads = Buckets(per_minute[1] / 60, per_minute[1])

    def log_in_failed(self, scope: Mapping[str, Any]) -> None:
        """Count a wrong key or token. Raises Refused (429)."""
        _refuse(self._log_ins.take(client_of(scope)), "too many wrong tokens")

    def upload_begun(self, token_id: str) -> None:
        """Count an upload. Raises Refused (429)."""
        _refuse(self._uploads.take(token_id), "too many uploads")


def client_of(scope: Mapping[str, Any]) -> str:
    """The client that asks."""
    return network_of(str((scope.get("client") or ("unknown", 0))[0]))


def network_of(address: str) -> str:
    """What counts as one client: an address, or a network of IPv6, because each of these has 2⁶⁴ addresses."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or ip_network((found, IPV6_CLIENT_BITS), strict=False))


def _refuse(wait_s: float, what: str) -> None:
    if wait_s > 0:
        seconds = math.ceil(wait_s)
        raise Refused(429, f"{what}; try again in {seconds} s", {"retry-after": str(seconds)})
