"""Throw-away certificates for servers of tests on this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.conftest import need_program


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost and 127.0.0.1 that is its own authority, and its key; any user may read them."""
    openssl = need_program("openssl")
    folder.mkdir(exist_ok=True)
    made, key = folder / "certificate.pem", folder / "key.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run([openssl, *words, "-keyout", key, "-out", made], check=True, capture_output=True)
    for path in (folder, made, key):
        path.chmod(0o755)
    return made, key
