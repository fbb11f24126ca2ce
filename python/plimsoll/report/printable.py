"""Text from strangers, made harmless before anything else happens to it."""

from __future__ import annotations

import re

# C0 and C1 controls but tab and newline, marks that reverse the reading direction, lone surrogates.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def clean(text: object) -> str:
    """`text` without anything that could steer a terminal or hide what is written."""
    return _UNPRINTABLE.sub("\ufffd", str(text))
