"""Files that visitors take away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from urllib.parse import quote

from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask

from plimsoll.drafts import scratch_folder
from plimsoll.store import exchange
from plimsoll.store.store import Store

# Whatever a file holds, a browser that opens it instead of saving it must not run it as one of our pages.
_HARMLESS = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def attachment(content: bytes, name: str, kind: str, *, inline: bool = False) -> Response:
    """A file to save; `inline` lets the browser show it, as it may do with pictures."""
    return Response(content, headers=headers(name, inline=inline), media_type=kind)


def headers(name: str, *, inline: bool = False) -> dict[str, str]:
    """What keeps a file from being more than a file, and its name."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:100] or "file"
    how = "inline" if inline else "attachment"
    return {
        "content-disposition": f"{how}; filename=\"{plain}\"; filename*=UTF-8''{quote(name[:200], safe='')}",
        "content-security-policy": _HARMLESS,
    }


def exported(store: Store, session_ids: Sequence[str], name: str) -> FileResponse:
    """Sessions as a result file, which is removed once it is sent."""
    with ExitStack() as made:
        path = made.enter_context(scratch_folder()) / "results"
        exchange.export(store, session_ids, path)
        sent = BackgroundTask(made.pop_all().close)
    return FileResponse(path, headers=headers(name), media_type="application/gzip", background=sent)
