"""The comments of one pull or merge request, as the servers of GitHub and GitLab keep them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

GITHUB = re.compile(r"/repos/o/r/issues/(?:7/comments|comments/(\d+))")
GITLAB = re.compile(r"/projects/3/merge_requests/7/notes(?:/(\d+))?")


class Forge(ThreadingHTTPServer):
    """Takes comments from whoever has the token."""

    def __init__(self, token: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.token, self.comments = token, ["somebody: looks good"]
        self.address = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Forge

    def do_GET(self) -> None:
        self._answer([{"id": number, "body": body} for number, body in enumerate(self.server.comments)])

    def do_POST(self) -> None:
        self._change(lambda body, _: self.server.comments.append(body))

    def do_PATCH(self) -> None:
        self._change(self._replace)

    def do_PUT(self) -> None:
        self._change(self._replace)

    def _replace(self, body: str, number: int) -> None:
        self.server.comments[number] = body

    def _change(self, change: Callable[[str, int], object]) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        found = GITHUB.fullmatch(self.path) or GITLAB.fullmatch(self.path)
        if found is None:
            self.send_error(404)
        elif self.server.token not in (self.headers.get("Authorization", ""), self.headers.get("PRIVATE-TOKEN", "")):
            self.send_error(403)
        else:
            change(body, int(found[1] or 0))
            self._answer({})

    def _answer(self, value: object) -> None:
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def forge(token: str) -> Iterator[Forge]:
    """A server on loopback, while the context lasts."""
    with Forge(token) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
