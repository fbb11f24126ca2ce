"""What stands before every page: headers that browsers obey, and bounds on what a request may send."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from plimsoll.units import MIB, format_size
from plimsoll.web.faults import Refused
from plimsoll.web.limits import Limits
from plimsoll.web.settings import CHUNK_BYTES, FORM_BYTES, Settings

BODY_TIMEOUT_S = 30.0
"""A client that sends nothing for so long in the middle of a request is cut off."""

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
HEARD_S = 5.0
"""How long a refused body is listened to."""
_CHUNK_PATH = re.compile(r"/api/v1/uploads/[^/]+")


class Shield:
    """ASGI middleware; responses may set any of the headers themselves."""

    def __init__(self, app: ASGIApp, settings: Settings, limits: Limits) -> None:
        self._app, self._settings, self._limits = app, settings, limits
        self._headers = dict(_HEADERS)
        if settings.secure:
            self._headers["strict-transport-security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request within the bounds."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        largest = _largest_body(scope, self._settings)
        body = _Bounded(receive, largest)
        names = {name for name, _ in scope["headers"]}

        async def shielded(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                extra = [(k.encode(), v.encode()) for k, v in self._headers.items() if k.encode() not in present]
                if not body.complete and names & {b"content-length", b"transfer-encoding"}:
                    # Whoever goes on sending after the answer is not listened to.
                    extra.append((b"connection", b"close"))
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        try:
            self._limits.asked(scope)
            if _declared(scope) > largest:
                raise _too_large(largest)
        except Refused as error:
            await _heard(receive, min(_declared(scope), 2 * largest))
            await _answer(error, scope, receive, shielded)
            return
        await self._app(scope, body, shielded)


class _Bounded:
    """The body of a request, cut off where it is too large or too slow."""

    def __init__(self, receive: Receive, largest: int) -> None:
        self._receive, self._left, self._largest = receive, largest, largest
        self.complete = False

    async def __call__(self) -> Message:
        if self.complete:
            # The body is complete: this waits for the end of the connection, as long as it takes.
            return await self._receive()
        try:
            async with asyncio.timeout(BODY_TIMEOUT_S):
                message = await self._receive()
        except TimeoutError:
            raise Refused(408, f"nothing arrived for {BODY_TIMEOUT_S:.0f} s; send it again") from None
        self.complete = not message.get("more_body")
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise _too_large(self._largest)
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
