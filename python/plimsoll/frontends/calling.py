"""What a front end is called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.store.store import Store

StoreOpener = Callable[[], "Store"]
Say = Callable[[str], None]
"""Tells the user something, on standard error."""
