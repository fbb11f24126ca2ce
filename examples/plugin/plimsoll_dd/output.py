"""What dd of GNU coreutils prints at its end."""

from __future__ import annotations

import re
from dataclasses import dataclass

# 67108864 bytes (67 MB, 64 MiB) copied, 0.0421 s, 1.6 GB/s
_LINE = re.compile(
    r"^(\d{1,18}) bytes? (?:\([^)\n]{1,60}\) )?copied, (\d{1,9}(?:\.\d{1,9})?(?:e-\d\d)?) s(?:,|$)", re.MULTILINE
)


@dataclass(frozen=True)
class Copied:
    """One copy."""

    bytes: int
    elapsed_s: float

    @property
    def bytes_per_s(self) -> float | None:
        """None where the time is too short to be told."""
        return self.bytes / self.elapsed_s if self.elapsed_s else None


def copies(text: str) -> list[Copied]:
    """Every copy that the text tells of."""
    return [Copied(int(match[1]), float(match[2])) for match in _LINE.finditer(text)]
