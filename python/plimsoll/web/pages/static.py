"""Style, script and icon."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from plimsoll.errors import UnknownName
from plimsoll.web.rendering import SHARED_SCRIPTS, static_file

router = APIRouter(prefix="/static")

_SCRIPTS = ("site.js", "vega.js", *SHARED_SCRIPTS)
KINDS = {"style.css": "text/css", "icon.svg": "image/svg+xml", **dict.fromkeys(_SCRIPTS, "text/javascript")}


@router.get("/{name}")
def show(name: str) -> Response:
    """One of our own files."""
    if name not in KINDS:
        raise UnknownName("file", name, KINDS)
    kept = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(static_file(name), headers=kept, media_type=KINDS[name])
