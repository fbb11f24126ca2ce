"""What a private server is started with: its folder, port, user, settings and password."""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.errors import NotStarted
from plimsoll.targets.held import HeldFolder, make_file, readable

PASSWORD_ENV = "PLIMSOLL_PRIVATE_SERVER"
"""Environment variable of this process that holds the password of its own servers; it is made anew in each process."""

USER_NAME = "plimsoll"


def password() -> str:
    """The password of this process's servers."""
    return os.environ.setdefault(PASSWORD_ENV, secrets.token_urlsafe(24))


@dataclass(frozen=True)
class ServerConfig:
    """One server before it runs."""

    program: str
    held: HeldFolder
    """Its own; belongs to the user that runs it."""
    port: int
    durability: str
    settings: Mapping[str, str]
    """In the server's own words; they win over everything else."""
    become: Sequence[str]
    """Words before a command that make it run as the server's user, and end with this process."""
    page_bytes: int = 0

    @property
    def folder(self) -> Path:
        """Its folder, for this process and for the server alike: both have it open under the same number."""
        return Path(self.held)

    @property
    def environment(self) -> dict[str, str]:
        """Ours, but for the folder of temporary files, which may be closed to the server's user."""
        return {**os.environ, "TMPDIR": str(self.folder)}

    def run(self, *words: str) -> None:
        """A preparing command of the server's own; raises NotStarted with its last words if it fails."""
        done = subprocess.run(
            [*self.become, *words],
            cwd=self.folder,
            env=self.environment,
            pass_fds=[self.held.descriptor],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            said = " ".join((done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-3:]).split()
            raise NotStarted(
                f"{Path(words[0]).name} could not make a server's data in {self.held}: {readable(' '.join(said))}"
            )

    def secret_file(self, name: str, content: str) -> Path:
        """A new file that only the server's user can read."""
        descriptor = make_file(self.held, name, content.encode())
        try:
            self.give(descriptor)
        finally:
            os.close(descriptor)
        return self.folder / name

    def give(self, descriptor: int) -> None:
        """Make a file or folder the server's user's."""
        owner = os.fstat(self.held.descriptor)
        if os.geteuid() == 0:
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
