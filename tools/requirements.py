"""Prints what the package needs: `python tools/requirements.py [EXTRA…]`, the needs of the extras if any are named."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

OF_ITSELF = "plimsoll["
PROJECT = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text())["project"]


def requirements(extra: str) -> list[str]:
    """Of an extra; what it says of the package's other extras is followed."""
    found = []
    for line in PROJECT["optional-dependencies"][extra]:
        others = line.removeprefix(OF_ITSELF).rstrip("]").split(",") if line.startswith(OF_ITSELF) else []
        found += [each for other in others for each in requirements(other)] or [line]
    return found


if __name__ == "__main__":
    wanted = dict.fromkeys(each for extra in sys.argv[1:] for each in requirements(extra))
    print(*(wanted or PROJECT["dependencies"]), sep="\n")
