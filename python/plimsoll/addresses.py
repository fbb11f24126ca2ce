"""Addresses with a password in them, however it was written: recognised, and shown without it.

Who types a password into an address seldom writes its `@`, `/` or `#` as `%40`, `%2F`, `%23`. A reader of URLs then
ends the password too early and takes the rest for a host, which is stored and shown. So what may be a password is taken
to reach from the first colon to the last `@` of the whole text.
"""

from __future__ import annotations

import re

_HIDDEN = "***"
_WORD = "PASSWORD"
"""As advice writes how an address is made."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
_SECRET_VALUE = re.compile(r"([?&;][^=&;\s]*(?:pass|pwd|secret|token|sig)[^=&;\s]*=)[^&;\s'\"]*", re.IGNORECASE)
_PORT_AND_PATH = re.compile(r"\d+[/?#]")
_PAGES = ("http", "https")


def holds_password(address: str) -> bool:
    """Whether an address may hold one. The path of a page may hold an `@`: there only what is no port begins one."""
    return _parts(address)[2] is not None


def is_ambiguous(address: str) -> bool:
    """Whether readers of URLs may end the password too early: it holds a sign that ends it, unescaped."""
    _, _, secret, _ = _parts(address)
    return secret is not None and any(sign in secret for sign in "@/?#")


def shown(address: str) -> str:
    """The address for messages: the password, and values of parameters that are called like one, are `***`."""
    scheme, user, secret, rest = _parts(address)
    bare = address if secret is None else f"{scheme}://{user}:{_HIDDEN}@{rest}"
    return _SECRET_VALUE.sub(rf"\1{_HIDDEN}", bare)


def shown_in(text: str) -> str:
    """A text with every address in it as `shown`."""
    return _ADDRESS.sub(lambda found: shown(found[0]), text)


def _parts(address: str) -> tuple[str, str, str | None, str]:
    """Scheme, user, password or None, and what comes behind it."""
    scheme, mark, rest = address.partition("://")
    before, at, after = rest.rpartition("@")
    user, colon, secret = before.partition(":")
    is_page = scheme.lower() in _PAGES and _PORT_AND_PATH.match(secret)
    if not (mark and at and colon) or secret == _WORD or is_page or re.search(r"[/?#]", user):
        return scheme, "", None, rest
    return scheme, user, secret, after
