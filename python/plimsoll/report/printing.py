"""A report as PDF: its page, printed by a browser that is installed here.

The page needs nothing but itself, so the browser gets a profile of its own and no network.
"""

from __future__ import annotations

import os
import shutil
import subprocess

from plimsoll.drafts import scratch_folder
from plimsoll.errors import UsageError

FORMAT, SUFFIX = "pdf", ".pdf"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
LONGEST_S = 120
_OPTIONS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # /dev/shm is tiny in containers
    "--no-first-run",
    "--no-pdf-header-footer",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


def browser() -> str:
    """The path of a browser that prints. Raises UsageError where there is none, with what helps."""
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    raise UsageError(
        "a PDF is printed by Chromium or Chrome, and none is installed here (Debian: apt install chromium); "
        "or write a page (-o report.html) and print it from any browser"
    )


def pdf(page: str) -> bytes:
    """The HTML `page` as PDF. Raises UsageError if there is no browser or it fails."""
    program = browser()
    with scratch_folder() as made:
        source, target = made / "report.html", made / "report.pdf"
        source.write_text(page, encoding="utf-8")
        # Chromium refuses its sandbox to root; the page is our own and runs no foreign script.
        root = ("--no-sandbox",) if os.geteuid() == 0 else ()
        words = [
            program,
            *_OPTIONS,
            *root,
            f"--user-data-dir={made}/profile",
            f"--print-to-pdf={target}",
            source.as_uri(),
        ]
        try:
            done = subprocess.run(
                words,
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LONGEST_S,
                env=os.environ | {"HOME": str(made)},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UsageError(f"{program} did not print the report ({error}); write a page: -o report.html") from None
        content = target.read_bytes() if target.exists() else b""
        if done.returncode or not content.startswith(b"%PDF"):
            said = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            raise UsageError(f"{program} did not print the report: {said[0]}; write a page: -o report.html")
        return content
