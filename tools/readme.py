"""Runs the example of README.md on this machine and puts its output and a picture of its report there.

python -m tools.readme       (needs chromium for the picture; takes about half a minute)
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.pages import picture

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "report.png"
PLIMSOLL = str(Path(sys.executable).parent / "plimsoll")
COMMAND = re.compile(r"```sh\n\.venv/bin/plimsoll (run .*)\n```")
MARKED = re.compile(r"(<!-- example: begin -->\n).*?(<!-- example: end -->)", re.DOTALL)
SCREEN = (1100, 420)
"""Down to the links to the evidence, which is folded."""


def run(words: str, folder: Path) -> str:
    """Standard output of a plimsoll command with a store of its own."""
    environment = {**os.environ, "PLIMSOLL_HOME": str(folder / "home"), "COLUMNS": "100"}
    done = subprocess.run(
        [PLIMSOLL, *shlex.split(words)], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def main() -> None:
    """Run, then write."""
    text = README.read_text()
    command = COMMAND.search(text)
    assert command, "README.md has no `plimsoll run` example"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shown = run(command[1], folder)
        # Cautions are about this machine at this moment, and the verdicts say once more what the answer says.
        shown = "\n".join(line.rstrip() for line in shown.partition("\nCautions")[0].strip().splitlines())
        README.write_text(MARKED.sub(lambda found: f"{found[1]}```text\n{shown}\n```\n{found[2]}", text))
        run("report -o report.html", folder)
        picture.take(folder / "report.html", PICTURE, *SCREEN)


if __name__ == "__main__":
    main()
