"""A cache of bounded size that forgets what was not used for longest; several threads may use it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class LruCache(Generic[V]):
    """Values by key, the longest unused forgotten when their sizes add up to too much."""

    def __init__(self, most: int, size: Callable[[V], int] = lambda _: 1) -> None:
        self._most, self._size, self._total = most, size, 0
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()

    def __contains__(self, key: Hashable) -> bool:
        """Whether the value of `key` is there."""
        with self._lock:
            return key in self._values

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of `key`, made if it is not there. Two at once may make it twice, which is harmless."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = made
                self._total += self._size(made)
            while self._total > self._most and self._values:
                _, dropped = self._values.popitem(last=False)
                self._total -= self._size(dropped)
        return made
