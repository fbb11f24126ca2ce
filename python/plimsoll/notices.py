"""Sentences for the user from where there is no voice, such as the store: the command line listens and says them.

Where nobody listens, as in a program that uses the library, they go to the log of Python.
"""

from __future__ import annotations

from collections.abc import Callable

_listeners: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None]) -> None:
    """From here on `listener` hears every sentence."""
    _listeners.append(listener)


def tell(sentence: str) -> None:
    """A sentence for the user."""
    if not _listeners:
        import logging

        logging.getLogger("plimsoll").warning(sentence)
    for listener in _listeners:
        listener(sentence)
