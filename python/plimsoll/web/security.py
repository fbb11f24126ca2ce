"""What stands before every page: headers that browsers obey, and bounds on what a request may send."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from plimsoll.units import MIB, format_size
from plimsoll.web.door import GRACE_S, LEAST_BYTES_PER_S
from plimsoll.web.faults import Refused
from plimsoll.web.limits import client_of
from plimsoll.web.request_counts import RequestCounts
from plimsoll.web.settings import CHUNK_BYTES, FORM_BYTES, Settings
from plimsoll.web.turns import Turn, Turns

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), interest-cohort=()",
    "cache-control": "private, no-cache",
}
FORGET = "forget_cookie"
"""Where a page puts the header that makes a browser forget a log-in which is no longer valid."""

HEAD_ONLY = "head_only"
"""Where a page finds whether nobody wants its content, for one that would never end."""

HEARD_S = 5.0
"""How long a refused body is listened to."""
_TAKES_LONG = re.compile(r"/uploads|/api/v1/uploads/[^/]+/finish")
_CHUNK_PATH = re.compile(r"/api/v1/uploads/[^/]+")


class SecurityMiddleware:
    """ASGI middleware; responses may set any of the headers themselves."""

    def __init__(self, app: ASGIApp, settings: Settings, counts: RequestCounts) -> None:
        self._app, self._settings, self._counts = app, settings, counts
        # Taking an upload in takes minutes, in which others want to read.
        self._readers, self._intake = Turns(), Turns(at_once=4, of_one=2)
        self._headers = dict(_HEADERS)
        if settings.secure:
            self._headers["strict-transport-security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request within the bounds."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        largest = _largest_body(scope, self._settings)
        turn = Turn(self._intake if _TAKES_LONG.fullmatch(scope["path"]) else self._readers, client_of(scope))
        body = _Bounded(receive, largest, turn)
        has_body = bool({name for name, _ in scope["headers"]} & {b"content-length", b"transfer-encoding"})
        began, method = time.monotonic(), scope["method"]
        head_only = method == "HEAD"
        # Whatever can be read can be asked about: the same answer without its content.
        state = {**scope.get("state", {}), HEAD_ONLY: head_only}
        scope = {**scope, "method": "GET" if head_only else method, "state": state}

        async def send_bounded(message: Message) -> None:
            # The turn ends before the client has to take what was made for it.
            turn.end()
            if message["type"] == "http.response.start":
                self._counts.note(method, scope, message["status"], time.monotonic() - began)
                message = {**message, "headers": [*message["headers"], *self._extra(message, scope)]}
                if has_body and not body.complete:
                    # Whoever goes on sending after the answer is not listened to.
                    message["headers"].append((b"connection", b"close"))
            elif head_only:
                message = {**message, "body": b""}
            await send(message)

        try:
            if _declared(scope) > largest:
                raise _too_large(largest)
            if not has_body:
                await turn.begin()
        except Refused as error:
            await _heard(receive, min(_declared(scope), 2 * largest))
            await _answer(error, scope, receive, send_bounded)
            return
        try:
            await self._app(scope, body, send_bounded)
        finally:
            turn.end()

    def _extra(self, message: Message, scope: Scope) -> list[tuple[bytes, bytes]]:
        """Headers that the answer itself has not set."""
        present = {name.lower() for name, _ in message["headers"]}
        extra = [(k.encode(), v.encode()) for k, v in self._headers.items() if k.encode() not in present]
        if FORGET in scope["state"] and b"set-cookie" not in present:
            extra.append((b"set-cookie", scope["state"][FORGET]))
        return extra


class _Bounded:
    """The body of a request, cut off where it is too large or too slow; once it is complete, the turn begins."""

    def __init__(self, receive: Receive, largest: int, turn: Turn) -> None:
        self._receive, self._left, self._largest, self._turn = receive, largest, largest, turn
        self._waited_s = 0.0
        self.complete = False

    async def __call__(self) -> Message:
        if self.complete:
            # The body is complete: this waits for the end of the connection, as long as it takes.
            return await self._receive()
        # Only time spent waiting for the client counts, not what the server needs in between.
        allowed_s = GRACE_S + (self._largest - self._left) / LEAST_BYTES_PER_S - self._waited_s
        began = time.monotonic()
        try:
            async with asyncio.timeout(allowed_s):
                message = await self._receive()
        except TimeoutError:
            slow = f"it arrived slower than {format_size(LEAST_BYTES_PER_S)} a second; send it again"
            raise Refused(408, slow) from None
        self._waited_s += time.monotonic() - began
        self.complete = not message.get("more_body")
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise _too_large(self._largest)
        if self.complete and message["type"] == "http.request":
            await self._turn.begin()
        return message


def _largest_body(scope: Scope, settings: Settings) -> int:
    path = scope["path"]
    if scope["method"] == "PATCH" and _CHUNK_PATH.fullmatch(path):
        return CHUNK_BYTES
    return settings.upload_bytes + MIB if scope["method"] == "POST" and path == "/uploads" else FORM_BYTES


def _declared(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() and len(value) < 19 else 2**63
    return 0


def _too_large(largest: int) -> Refused:
    return Refused(
        413, f"the request is larger than {format_size(largest)}, the most that is taken here; send less at once"
    )


async def _heard(receive: Receive, most: int) -> None:
    """Take in what is being sent, up to a bound: a connection closed before that takes the answer with it."""
    try:
        async with asyncio.timeout(HEARD_S):
            while most > 0:
                message = await receive()
                most -= len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body"):
                    return
    except TimeoutError:
        return


async def _answer(error: Refused, scope: Scope, receive: Receive, send: Any) -> None:
    from starlette.responses import PlainTextResponse

    await PlainTextResponse(f"{error}\n", error.status, error.headers)(scope, receive, send)
