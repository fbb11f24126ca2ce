"""What the JSON API offers, for people; programs read `/api/openapi.json`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from plimsoll.web.access import Reader
from plimsoll.web.rendering import page

router = APIRouter(prefix="/api")


@router.get("", response_class=HTMLResponse)
def show(request: Request, who: Reader) -> HTMLResponse:
    """Every operation with its parameters."""
    request.state.visitor = who
    described: dict[str, Any] = request.app.openapi()
    operations = [
        {"method": method.upper(), "path": path, **about}
        for path, methods in described["paths"].items()
        for method, about in methods.items()
    ]
    return page(request, "api.html", operations=operations, address=request.app.state.settings.address)
