"""What is being done on which machine, as lines for whoever waits: a minute without a word looks like a fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable


class Progress:
    """Lines such as `installing Plimsoll on m2 (2 of 3)`; machines are counted as they come to a step."""

    def __init__(self, tell: Callable[[str], None], machines: int) -> None:
        self._tell, self._machines = tell, machines
        self._reached: Counter[str] = Counter()

    def all(self, doing: str) -> None:
        """A step for all of them at once."""
        self._tell(doing)

    def one(self, doing: str, machine: str, **about: str) -> None:
        """A step on one of them: `doing` has `{machine}` for its name, and the names of what is said `about` it."""
        self._reached[doing] += 1
        place = f" ({self._reached[doing]} of {self._machines})" if self._machines > 1 else ""
        self._tell(f"{doing.format(machine=machine, **about)}{place}")
