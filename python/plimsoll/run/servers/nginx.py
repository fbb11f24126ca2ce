"""nginx with one static page, as the Apache Benchmark profile asks for. It stores nothing; durability is moot."""

from __future__ import annotations

import signal

from plimsoll.run.servers._ground import Ground

PROGRAM = "nginx"
PLACES = "/usr/sbin"
PACKAGE = "nginx-light"
USER = "www-data"
READY = ""
STOP = signal.SIGTERM
DRIVER = "http"
BASE_BYTES = 2**20
LOG_BYTES = 0

_CONFIGURATION = """daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
worker_processes {worker_processes};
worker_rlimit_nofile 12100;
events {{ worker_connections 12000; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=12000;
        root {folder}/pages;
    }}
}}
"""


def prepare(ground: Ground) -> list[str]:
    """Write page and settings; returns the server's command."""
    pages = ground.folder / "pages"
    pages.mkdir()
    (pages / "test.html").write_text("x" * ground.page_bytes)
    values = {"worker_processes": "auto", **ground.settings}
    text = _CONFIGURATION.format(folder=ground.folder, port=ground.port, **values)
    return [ground.program, "-c", str(ground.secret_file("nginx.conf", text)), "-e", f"{ground.folder}/error.log"]


def url(ground: Ground) -> str:
    """Address of the page."""
    return f"http://127.0.0.1:{ground.port}/test.html"
