"""Sends files to a server in parts that can be resumed. Needs no part of the server itself."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from plimsoll import __version__
from plimsoll.addresses import shown
from plimsoll.errors import PlimsollError, ResultFileError, UsageError

ATTEMPTS = 6
FINISH_S = 600.0
_AGAIN = {429, 502, 503, 504}


@dataclass(frozen=True)
class Sent:
    """What the server says of a file."""

    message: str
    sessions: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    new_sessions: int = 0
    new_runs: int = 0
    already_there: int = 0


def check_address(url: str, *, insecure: bool) -> str:
    """The address without a slash at its end. Raises UsageError where a token would travel in the clear."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise UsageError(f"{shown(url)!r} is not an address of a server; write it like https://bench.example.org")
    if parts.scheme == "http" and not insecure and not _is_local(parts.hostname):
        raise UsageError(
            f"{url} has no encryption, so everyone on the way could read the token; use https://, or --insecure if the "
            "network is yours"
        )
    return url.rstrip("/")


def _is_local(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


class Server:
    """A server that takes results."""

    def __init__(
        self, url: str, token: str, *, pause: Callable[[float], None] = time.sleep, attempts: int = ATTEMPTS
    ) -> None:
        self._url, self._pause, self._attempts = url, pause, attempts
        self._client = httpx.Client(
            base_url=f"{url}/api/v1",
            headers={"authorization": f"Bearer {token}", "user-agent": f"plimsoll/{__version__}"},
            timeout=httpx.Timeout(30.0, read=60.0),
        )

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def push(self, path: Path, name: str, target: str = "", progress: Callable[[int, int], None] | None = None) -> Sent:
        """Send a file; what arrived before is not sent again. Raises UsageError, ResultFileError or PlimsollError."""
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                size = file.seek(0, 2)
                begun = {"name": name, "size_bytes": size, "sha256": digest, "target": target}
                state = self._ask("POST", "/uploads", json=begun).json()
                while not state["known"] and state["offset"] < size:
                    file.seek(state["offset"])
                    state = self._part(state, file.read(state["chunk_bytes"]))
                    if progress is not None:
                        progress(state["offset"], size)
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}; check its name and rights") from None
        if state["known"]:
            return Sent("taken in before; nothing was sent")
        taken = self._ask("POST", f"/uploads/{state['id']}/finish", timeout=FINISH_S).json()
        return Sent(**{**taken, "sessions": tuple(taken["sessions"]), "says": tuple(taken["says"])})

    def _part(self, state: dict[str, Any], content: bytes) -> dict[str, Any]:
        headers = {"upload-offset": str(state["offset"])}
        answer = self._ask("PATCH", f"/uploads/{state['id']}", content=content, headers=headers, conflict=True)
        if answer.status_code == 409 and "upload-offset" in answer.headers:
            # An answer was lost on the way: the server knows better what has arrived.
            return {**state, "offset": int(answer.headers["upload-offset"])}
        found: dict[str, Any] = answer.json()
        return found

    def _ask(self, method: str, path: str, *, conflict: bool = False, **how: Any) -> httpx.Response:
        """One request, repeated while the network or the server asks for patience."""
        trouble = ""
        for attempt in range(self._attempts):
            wait_s = float(2**attempt)
            try:
                answer = self._client.request(method, path, **how)
            except httpx.TransportError as error:
                trouble = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            else:
                if answer.status_code not in _AGAIN:
                    return self._checked(answer, conflict)
                trouble = f"it answered {answer.status_code} ({_words(answer)})"
                asked = answer.headers.get("retry-after", "")
                wait_s = min(60.0, float(asked)) if asked.isdigit() else wait_s
            if attempt + 1 < self._attempts:
                self._pause(wait_s)
        raise PlimsollError(
            f"cannot reach {self._url}: {trouble}; check the address and the network, then give the same command: it "
            "goes on where it ended"
        )

    def _checked(self, answer: httpx.Response, conflict: bool) -> httpx.Response:
        status = answer.status_code
        if answer.is_success or (conflict and status == 409 and "upload-offset" in answer.headers):
            if "json" not in answer.headers.get("content-type", "") and status != 409:
                raise UsageError(f"{self._url} is not a Plimsoll server; check the address")
            return answer
        if status in (401, 403):
            raise UsageError(f"{self._url} refuses the token: {_words(answer)}")
        if status in (404, 405) and "json" not in answer.headers.get("content-type", ""):
            raise UsageError(f"{self._url} is not a Plimsoll server; check the address")
        raise ResultFileError(f"{self._url} refuses it: {_words(answer)}")


def _words(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["error"])[:1000]
    except (ValueError, KeyError, TypeError):
        return f"status {answer.status_code}"
