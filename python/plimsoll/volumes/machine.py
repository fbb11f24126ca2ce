"""What serving a volume needs of this machine, and the programs that do the rest."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from plimsoll.errors import TargetError

TIMEOUT_S = 60.0
"""For one program; formatting the largest volume takes seconds."""


def check(file_system: str | None, *, array: bool = False, root: Path = Path("/")) -> None:
    """Refuse what cannot work here, naming everything that is missing. Raises TargetError."""
    missing = [] if os.geteuid() == 0 else ["root (mounting and loop devices need it; use sudo)"]
    if not (root / "dev/fuse").exists():
        missing.append("/dev/fuse (load the kernel module fuse; in a container, pass --device /dev/fuse)")
    if not (root / "dev/loop-control").exists():
        missing.append("/dev/loop-control (load the kernel module loop; in a container, pass it and /dev/loop*)")
    programs = {"losetup": "mount", "mount": "mount", "umount": "mount"}
    if file_system is not None:
        programs[f"mkfs.{file_system}"] = PACKAGES.get(file_system, f"{file_system}-tools")
    if array:
        programs["mdadm"] = "mdadm"
        if not (root / "proc/mdstat").exists():
            missing.append(
                "md (this kernel has no /proc/mdstat: load the module md_mod, or leave out --raid-with mdadm and the "
                "model combines the members itself)"
            )
    missing += [
        f"the program {name} (package {package})" for name, package in programs.items() if shutil.which(name) is None
    ]
    if missing:
        raise TargetError(f"a volume cannot be served here; missing: {'; '.join(missing)}")


PACKAGES = {
    "ext2": "e2fsprogs",
    "ext3": "e2fsprogs",
    "ext4": "e2fsprogs",
    "xfs": "xfsprogs",
    "btrfs": "btrfs-progs",
    "f2fs": "f2fs-tools",
    "jfs": "jfsutils",
    "nilfs2": "nilfs-tools",
}


class Failed(TargetError):
    """A program of the system did not do what was asked."""


def run(what: str, *command: str) -> str:
    """Standard output of a program; `what` says what it is for. Raises Failed with the program's own words.

    It has a session of its own, so that Ctrl-C does not stop a clean-up halfway.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        # Not waited for: it may hang in the kernel.
        process.kill()
        raise Failed(f"{what}: {command[0]} took longer than {TIMEOUT_S:.0f} s") from None
    except BaseException:
        process.kill()
        raise
    if process.returncode != 0:
        reason = " ".join((errors.strip() or output.strip()).split()) or f"exit code {process.returncode}"
        raise Failed(f"{what}: {reason}")
    return output
