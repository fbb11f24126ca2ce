"""Whether the files that a command writes are there to their end."""

from __future__ import annotations

import gzip
import json
from pathlib import Path


def is_whole(path: Path) -> bool:
    """Whether an output is absent, or complete for its kind."""
    if not path.exists():
        return True
    if path.suffix == ".html":
        return whole_page(path)
    if path.suffix == ".gz":
        try:
            return all(json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines())
        except (OSError, EOFError, ValueError):
            return False
    return True


def whole_page(path: Path) -> bool:
    """Whether a page is there to its last word."""
    return path.is_file() and path.read_text(errors="replace").rstrip().endswith("</html>")
