"""Puts a Markdown file under the pull or merge request that a pipeline runs for: `python comment.py FILE`.

GitHub Actions: GITHUB_TOKEN with `pull-requests: write`. GitLab: PLIMSOLL_COMMENT_TOKEN with `api`. A comment that an
earlier pipeline left there is replaced. Where there is no request, or no right, it says so and ends with 0: a gate is
no worse without its comment.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

MARK = "<!-- plimsoll -->"
MOST = 60_000
"""Characters; GitHub takes 65,536."""


@dataclass(frozen=True)
class Request:
    """Where comments of a pull or merge request are."""

    comments: str
    one: str
    """Of the comment `{id}`."""
    method: str
    """That replaces it."""
    headers: Mapping[str, str]


def github(env: Mapping[str, str]) -> Request | None:
    """The pull request of a workflow; None where it runs for something else, or has no token."""
    event = json.loads(Path(env["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = event.get("pull_request", {}).get("number")
    if number is None or not env.get("GITHUB_TOKEN"):
        return None
    issues = f"{env['GITHUB_API_URL']}/repos/{env['GITHUB_REPOSITORY']}/issues"
    headers = {"Authorization": f"Bearer {env['GITHUB_TOKEN']}", "Accept": "application/vnd.github+json"}
    return Request(f"{issues}/{number}/comments", f"{issues}/comments/{{id}}", "PATCH", headers)


def gitlab(env: Mapping[str, str]) -> Request | None:
    """The merge request of a pipeline; None where it runs for something else, or has no token."""
    number, token = env.get("CI_MERGE_REQUEST_IID"), env.get("PLIMSOLL_COMMENT_TOKEN")
    if not number or not token:
        return None
    notes = f"{env['CI_API_V4_URL']}/projects/{env['CI_PROJECT_ID']}/merge_requests/{number}/notes"
    return Request(notes, f"{notes}/{{id}}", "PUT", {"PRIVATE-TOKEN": token})


def put(request: Request, text: str) -> None:
    """Replace the comment of an earlier pipeline, or write the first. Raises httpx.HTTPError."""
    body = {"body": f"{MARK}\n{text[:MOST]}"}
    with httpx.Client(headers=request.headers, timeout=30) as client:
        found = client.get(request.comments, params={"per_page": 100}).raise_for_status().json()
        own = [each["id"] for each in found if each["body"].startswith(MARK)]
        if own:
            client.request(request.method, request.one.format(id=own[-1]), json=body).raise_for_status()
        else:
            client.post(request.comments, json=body).raise_for_status()


def main() -> None:
    """Comment, or say why not."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    request = github(os.environ) if os.environ.get("GITHUB_ACTIONS") == "true" else gitlab(os.environ)
    if request is None:
        print("no comment: this pipeline runs for no pull or merge request, or has no token")
        return
    try:
        put(request, text)
    except httpx.HTTPStatusError as error:
        print(
            f"no comment: the server answered {error.response.status_code}; the token needs the right to write comments"
        )
    except httpx.HTTPError as error:
        print(f"no comment: {error or type(error).__name__}")


if __name__ == "__main__":
    main()
