"""What a private server stands on: its folder, port, user, settings and password."""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.errors import TargetError

PASSWORD_ENV = "PLIMSOLL_PRIVATE_SERVER"
"""Environment variable of this process that holds the password of its own servers; it is made anew in each process."""

USER_NAME = "plimsoll"


def password() -> str:
    """The password of this process's servers."""
    return os.environ.setdefault(PASSWORD_ENV, secrets.token_urlsafe(24))


@dataclass(frozen=True)
class Ground:
    """One server before it runs."""

    program: str
    folder: Path
    """Its own; belongs to the user that runs it."""
    port: int
    durability: str
    settings: Mapping[str, str]
    """In the server's own words; they win over everything else."""
    become: Sequence[str]
    """Words before a command that make it run as the server's user, and end with this process."""
    page_bytes: int = 0

    def run(self, *words: str) -> None:
        """A preparing command of the server's own; raises TargetError with its last words if it fails."""
        done = subprocess.run([*self.become, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-3:]
            raise TargetError(
                f"{Path(words[0]).name} could not make a server's data in {self.folder}: {' '.join(said)}"
            )

    def secret_file(self, name: str, content: str) -> Path:
        """A file that only the server's user can read."""
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_text(content)
        status = self.folder.stat()
        if os.geteuid() == 0:
            os.chown(path, status.st_uid, status.st_gid)
        return path
