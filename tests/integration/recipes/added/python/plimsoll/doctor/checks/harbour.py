"""Is there a harbour?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level

NAME = "harbour"


def check(host: Examined) -> Check | None:
    """There is one, wherever that is."""
    return Check(name=NAME, level=Level.OK, message=f"harbour of {type(host).__name__.lower()}: open")
