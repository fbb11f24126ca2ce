"""Who asks, and what that visitor may do."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response

from plimsoll.store import tokens
from plimsoll.store.store import Store
from plimsoll.store.tokens import Scope
from plimsoll.web.faults import NotAllowed
from plimsoll.web.security import FORGET
from plimsoll.web.settings import Settings

COOKIE = "plimsoll"
OWNER_ID = "local"


@dataclass(frozen=True)
class Visitor:
    """Who asks. `scope` None: nobody who is known."""

    name: str = ""
    token_id: str = ""
    scope: Scope | None = None
    by_cookie: bool = False

    @property
    def may_keep(self) -> bool:
        """Whether this visitor may change what all see: labels, pins, saved comparisons."""
        return self.scope is not None and self.scope.allows(Scope.MERGE)


def identify(store: Store, settings: Settings, written: str, *, by_cookie: bool) -> Visitor:
    """The visitor who shows this key or token."""
    if hmac.compare_digest(written.encode(), settings.owner_key.encode()):
        return Visitor("this machine", OWNER_ID, Scope.MERGE, by_cookie)
    found = tokens.check(store, written)
    return Visitor() if found is None else Visitor(found.name, found.id, found.scope, by_cookie)


def visitor(request: Request) -> Visitor:
    """Who asks: by the header `Authorization: Bearer`, else by the cookie of a log-in."""
    kind, _, written = request.headers.get("authorization", "").partition(" ")
    by_cookie = kind.lower() != "bearer"
    written = request.cookies.get(COOKIE, "") if by_cookie else written.strip()
    if not written:
        return Visitor()
    found = identify(request.app.state.store, request.app.state.settings, written, by_cookie=by_cookie)
    if found.scope is None:
        if by_cookie:
            # A log-in that has ended costs its browser one attempt, not one for every page.
            gone = Response()
            gone.delete_cookie(COOKIE)
            setattr(request.state, FORGET, gone.headers["set-cookie"].encode())
        request.app.state.limits.log_in_failed(request)
    return found


def needs(scope: Scope) -> Callable[[Request, Visitor], Visitor]:
    """A dependency that lets only visitors with this right pass."""

    def check(request: Request, who: Annotated[Visitor, Depends(visitor)]) -> Visitor:
        if scope is Scope.READ and request.app.state.settings.public_read:
            return who
        if who.scope is None:
            given = "authorization" in request.headers
            words = _WRONG if given else "log in with a token first; `plimsoll token create NAME` makes one"
            raise NotAllowed(401, words, _CHALLENGE)
        if not who.scope.allows(scope):
            raise NotAllowed(403, f"the token {who.name} may {who.scope.value}, not {scope.value}; ask for another")
        if scope is not Scope.READ and who.by_cookie:
            check_origin(request)
        return who

    return check


_WRONG = "it may be mistyped, expired or revoked; `plimsoll token list` on the server says which are valid"
_CHALLENGE = {"www-authenticate": 'Bearer realm="plimsoll"'}

Reader = Annotated[Visitor, Depends(needs(Scope.READ))]
Uploader = Annotated[Visitor, Depends(needs(Scope.UPLOAD))]
Keeper = Annotated[Visitor, Depends(needs(Scope.MERGE))]


def check_origin(request: Request) -> None:
    """Refuses what another site's page makes a logged-in browser send."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    same = urlsplit(origin).netloc == request.headers.get("host") if origin else site == "same-origin"
    if not same:
        raise NotAllowed(403, "this request did not come from a page of this server; open the page again")
