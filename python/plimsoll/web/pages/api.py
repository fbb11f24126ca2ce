"""What the JSON API offers, for people; programs read `/api/openapi.json`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from plimsoll.web.access import Reader
from plimsoll.web.rendering import page

router = APIRouter()


@router.get("/docs", response_class=HTMLResponse)
@router.get("/api", response_class=HTMLResponse)
def show(request: Request, who: Reader) -> HTMLResponse:
    """Every operation with its parameters."""
    request.state.visitor = who
    described: dict[str, Any] = request.app.openapi()
    operations = [
        {
            "method": method.upper(),
            "path": path,
            **about,
            "body": _body(about, described),
            "answer": _answer(about, described),
        }
        for path, methods in described["paths"].items()
        for method, about in methods.items()
    ]
    return page(request, "api.html", operations=operations, address=request.app.state.settings.address)


def _body(about: dict[str, Any], described: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of the JSON that an operation takes; none where it takes no JSON."""
    content = about.get("requestBody", {}).get("content", {})
    return _fields(content.get("application/json", {}).get("schema", {}), described)


def _answer(about: dict[str, Any], described: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of the JSON that it answers with; of a list, those of each entry."""
    answers = about.get("responses", {})
    best: dict[str, Any] = next((answers[code] for code in ("200", "201") if code in answers), {})
    return _fields(best.get("content", {}).get("application/json", {}).get("schema", {}), described)


def _fields(schema: dict[str, Any], described: dict[str, Any]) -> list[dict[str, Any]]:
    schema = schema.get("items", schema)
    found = described.get("components", {}).get("schemas", {}).get(schema.get("$ref", "").rsplit("/", 1)[-1], {})
    needed = found.get("required", [])
    return [
        {"name": name, "kind": _kind(about), "needed": name in needed, "meaning": about.get("description", "")}
        for name, about in found.get("properties", {}).items()
    ]


def _kind(about: dict[str, Any]) -> str:
    """The type of a field in a word or two: `string`, `integer or null`, `list of Place`."""
    if "$ref" in about:
        return str(about["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in about:
        return " or ".join(_kind(each) for each in about["anyOf"])
    if about.get("type") == "array":
        return f"list of {_kind(about.get('items', {}))}"
    return str(about.get("type", "any"))
