"""nginx with one static page, as the Apache Benchmark profile asks for. It stores nothing; durability is moot."""

from __future__ import annotations

import os
import signal

from plimsoll.run.servers._config import ServerConfig
from plimsoll.targets.held import make_file, make_folder

OTHER_NAMES: tuple[str, ...] = ()
PROGRAM = "nginx"
PLACES = "/usr/sbin"
PACKAGE = "nginx-light"
USER = "www-data"
READY = ""
LOG_PREFIX = r"[\d/]+ [\d:]+ (?=\[)"
STOP = signal.SIGTERM
BY_NAME = False
DRIVER = "http"
BASE_BYTES = 2**20
LOG_BYTES = 0

_CONFIGURATION = """daemon off;
pid pid;
error_log error.log;
worker_processes {worker_processes};
worker_rlimit_nofile 12100;
events {{ worker_connections 12000; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{port} backlog=12000;
        root pages;
    }}
}}
"""


def prepare(config: ServerConfig) -> list[str]:
    """Write page and settings; returns the server's command."""
    pages = make_folder(config.held, "pages")
    try:
        page = make_file(pages, "test.html", b"x" * config.page_bytes)
        for made in (pages.descriptor, page):
            config.give(made)
        os.close(page)
    finally:
        os.close(pages.descriptor)
    values = {"worker_processes": "auto", **config.settings}
    config.secret_file("nginx.conf", _CONFIGURATION.format(port=config.port, **values))
    # Names from the folder that it is started in: each request opens the page by its name.
    return [config.program, "-p", "./", "-c", "nginx.conf", "-e", "error.log"]


def url(config: ServerConfig) -> str:
    """Address of the page."""
    return f"http://127.0.0.1:{config.port}/test.html"
