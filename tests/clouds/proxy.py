"""A proxy in front of moto: it counts and keeps all calls, and lets tests answer, change or lose each of them.

proxy.before.append(f)   f(call) → Answer, LOST or None: answered so, and moto never sees the call; None goes on
proxy.after.append(f)    f(call, answer) → Answer, LOST or None: what the caller gets in the place of any answer
proxy.started.append(f)  f(Started): a RunInstances took effect; the user data, tags and volumes of the new instance
proxy.addresses[ID] = A  the public address that DescribeInstances tells of an instance
"""

from __future__ import annotations

import base64
import http.client
import re
import threading
import urllib.parse
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_SCOPE = re.compile(r"Credential=([^/]+)/\d+/([^/]+)/([^/]+)/aws4_request")
_HOP = {"connection", "transfer-encoding", "content-length", "server", "date", "keep-alive"}


@dataclass(frozen=True)
class Call:
    """One call of the API."""

    number: int
    """Counted from 0 since the last `reset`."""
    service: str
    action: str
    """Such as RunInstances; of REST services `GET /path`."""
    parameters: dict[str, str]
    """Of the query protocol, flat as sent: `TagSpecification.1.Tag.1.Key`; else empty."""
    body: bytes

    @property
    def user_data(self) -> str:
        return base64.b64decode(self.parameters.get("UserData", "")).decode()

    def tags(self, of: str = "instance") -> dict[str, str]:
        """What the resources of a kind are tagged with."""
        kinds = [name for name, value in self.parameters.items() if name.endswith("ResourceType") and value == of]
        starts = tuple(f"{name.removesuffix('ResourceType')}Tag." for name in kinds)
        keys = [name for name in self.parameters if name.startswith(starts) and name.endswith(".Key")] if starts else []
        return {self.parameters[name]: self.parameters[f"{name.removesuffix('Key')}Value"] for name in keys}


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


LOST = Answer(0, b"")
"""The connection ends without a word."""


@dataclass(frozen=True)
class Started:
    """An instance that a RunInstances has made."""

    instance: str
    user_data: str
    tags: dict[str, str]
    volumes: dict[str, str]
    """Device name → id, the root volume included."""


def refusal(code: str, message: str = "", status: int = 400) -> Answer:
    """An error as EC2 tells it."""
    text = f"<Errors><Error><Code>{code}</Code><Message>{message or code}</Message></Error></Errors>"
    body = f"<?xml version='1.0'?><Response>{text}<RequestID>r-1</RequestID></Response>".encode()
    return Answer(status, body, {"Content-Type": "text/xml"})


@dataclass
class Proxy:
    """What is in front of moto, and what it has seen."""

    moto: str
    url: str = ""
    calls: list[Call] = field(default_factory=list)
    before: list[Callable[[Call], Answer | None]] = field(default_factory=list)
    after: list[Callable[[Call, Answer], Answer | None]] = field(default_factory=list)
    started: list[Callable[[Started], None]] = field(default_factory=list)
    addresses: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _known: set[str] = field(default_factory=set)

    def reset(self) -> None:
        """No rules, no calls."""
        with self._lock:
            for each in (self.calls, self.before, self.after, self.started, self.addresses, self._known):
                each.clear()

    def actions(self) -> list[str]:
        return [call.action for call in self.calls]

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        call = self._call(method, path, headers, body)
        answers = (rule(call) for rule in list(self.before))
        answer = next((each for each in answers if each is not None), None)
        if answer is LOST:
            return answer
        if answer is None:
            answer = _forward(self.moto, method, path, headers, body)
            if call.action == "RunInstances" and answer.status == 200:
                self._tell(call, answer)
            if call.action == "DescribeInstances":
                answer = self._readdressed(answer)
        for change in list(self.after):
            answer = change(call, answer) or answer
        return answer

    def _call(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Call:
        scope = _SCOPE.search(headers.get("Authorization", ""))
        target = headers.get("X-Amz-Target", "")
        form = "x-www-form-urlencoded" in headers.get("Content-Type", "")
        parameters = dict(urllib.parse.parse_qsl(body.decode())) if form else {}
        action = parameters.get("Action") or target.rpartition(".")[2] or f"{method} {path}"
        with self._lock:
            call = Call(len(self.calls), scope[3] if scope else "", action, parameters, body)
            self.calls.append(call)
        return call

    def _tell(self, call: Call, answer: Answer) -> None:
        for item in _instances(answer.body):
            name = _text(item, "instanceId")
            with self._lock:
                new = name not in self._known
                self._known.add(name)
            mapping = item.findall(".//{*}blockDeviceMapping/{*}item")
            volumes = {_text(each, "deviceName"): _text(each, "volumeId") for each in mapping}
            for listener in list(self.started) if new else []:
                listener(Started(name, call.user_data, call.tags(), volumes))

    def _readdressed(self, answer: Answer) -> Answer:
        if not self.addresses or answer.status != 200:
            return answer
        root = ElementTree.fromstring(answer.body)
        for item in _instances(root):
            if address := self.addresses.get(_text(item, "instanceId")):
                for each in (*item.findall("{*}ipAddress"), *item.iter()):
                    if each.tag.endswith(("}ipAddress", "}publicIp")):
                        each.text = address
        return Answer(answer.status, ElementTree.tostring(root), answer.headers)


@contextmanager
def proxying(moto: str) -> Iterator[Proxy]:
    """A proxy on loopback; its `url` is what AWS_ENDPOINT_URL is set to."""
    proxy = Proxy(moto)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(proxy))
    server.daemon_threads = True
    proxy.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(proxy: Proxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer = proxy.answer(self.command, self.path, dict(self.headers.items()), body)
            if answer is LOST:
                self.close_connection = True
                return
            try:
                self.send_response_only(answer.status)
                for name, value in {"Date": self.date_time_string(), **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)
            except OSError:
                self.close_connection = True  # who asked was killed

        def log_message(self, *_arguments: Any) -> None:
            """Nothing: the proxy keeps the calls themselves."""

    for verb in ("GET", "POST", "PUT", "DELETE"):
        setattr(Handler, f"do_{verb}", Handler._handle)
    return Handler


def _forward(moto: str, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
    connection = http.client.HTTPConnection(moto.removeprefix("http://"), timeout=120)
    try:
        kept = {name: value for name, value in headers.items() if name.lower() not in ("connection", "expect")}
        connection.request(method, path, body, kept)
        answer = connection.getresponse()
        told = {name: value for name, value in answer.getheaders() if name.lower() not in _HOP}
        return Answer(answer.status, answer.read(), told)
    finally:
        connection.close()


def _instances(source: bytes | ElementTree.Element) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(source) if isinstance(source, bytes) else source
    return [item for item in root.findall(".//{*}instancesSet/{*}item") if item.find("{*}instanceId") is not None]


def _text(element: ElementTree.Element, name: str) -> str:
    return next((each.text or "" for each in element.iter() if each.tag.endswith("}" + name)), "")
