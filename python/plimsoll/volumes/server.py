"""`python -m plimsoll.volumes.server FOLDER`: the process that serves one volume.

Says `ready`, or why not, on the descriptor it was started with as standard output, and nothing afterwards.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from plimsoll.errors import PlimsollError
from plimsoll.targets.owner import current_owner
from plimsoll.volumes import core


def main(folder: Path) -> int:
    """Serve the volume in `folder` until it is stopped; the exit code."""
    os.umask(0o077)
    # Relative, because the address of a socket holds 107 bytes only.
    os.chdir(folder)
    Path("server.json").write_text(current_owner().model_dump_json())

    def ready() -> None:
        os.write(1, b"ready\n")
        os.dup2(2, 1)

    try:
        core.serve(json.loads(Path("spec.json").read_text()), folder / "device", Path("socket"), ready)
    except PlimsollError as error:
        os.write(1, f"{error}\n".encode())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
