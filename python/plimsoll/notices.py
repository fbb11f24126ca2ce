"""Sentences for the user from where there is no voice, such as the store; the command line listens and says them."""

from __future__ import annotations

from collections.abc import Callable

_listeners: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None]) -> None:
    """From here on `listener` hears every sentence."""
    _listeners.append(listener)


def tell(sentence: str) -> None:
    """A sentence for the user; nobody may be listening."""
    for listener in _listeners:
        listener(sentence)
