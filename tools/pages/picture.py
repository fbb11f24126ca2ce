"""A picture of a page, by Chromium."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

CHROMIUM = (
    "chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --hide-scrollbars "
    "--disable-component-update --disable-sync --force-device-scale-factor=1.5"
)


def possible() -> bool:
    """Whether Chromium is installed."""
    return shutil.which("chromium") is not None


def take(page: Path, picture: Path, width: int, height: int) -> None:
    """Write the first screen of a page as PNG; `width` and `height` are the window's, in CSS pixels."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [*CHROMIUM.split(), f"--window-size={width},{height}", f"--user-data-dir={profile}",
             f"--screenshot={picture}", page.as_uri()],
            check=True, capture_output=True,
        )  # fmt: skip
