"""`plimsoll serve`: the store as pages, for a team."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLES = (
    "`plimsoll serve` shows this machine's results to you; `plimsoll serve --host 0.0.0.0 --url "
    "https://bench.example.org` serves a team behind a proxy; `plimsoll token create NAME` lets somebody in."
)


def command(
    store_place: Annotated[
        str | None, typer.Option("--store", metavar="FILE|URL", help="The store; default: PLIMSOLL_STORE, or yours.")
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 for a free one.")] = 8321,
    public_read: Annotated[
        bool, typer.Option("--public-read", help="Everyone who reaches the server may read, without a token.")
    ] = False,
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="How people reach it, if through a proxy; https:// secures cookies."),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy",
            metavar="ADDRESS|NETWORK",
            help="A proxy whose X-Forwarded-For is believed; repeat. Default with an https URL: one on this machine.",
        ),
    ] = None,
    upload_size: Annotated[
        str, typer.Option("--upload-size", metavar="SIZE", help="Largest file that may be uploaded.")
    ] = "256MiB",
) -> None:
    """Serve the store as web pages and a JSON API. Search, reports, comparisons, history, uploads."""
    from plimsoll.cli.output import say
    from plimsoll.errors import UsageError
    from plimsoll.extras import explained
    from plimsoll.location import home
    from plimsoll.store.opening import open_store
    from plimsoll.units import parse_size

    try:
        from plimsoll.web.server import listen, serve
        from plimsoll.web.settings import Settings
    except ImportError as error:
        raise explained(error) from None
    if url is not None and not url.startswith(("http://", "https://")):
        raise UsageError(f"--url {url!r} is not an address; write it like https://bench.example.org")
    proxies = _networks(proxy or [])
    with open_store(store_place) as store:
        taken = listen(host, port)
        shown = f"[{host}]" if ":" in host else host
        own = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else shown}:{taken.getsockname()[1]}"
        settings = Settings(
            spool=home() / "uploads",
            address=(url or own).rstrip("/"),
            public_read=public_read,
            any_host=host in ("0.0.0.0", "::") and url is None,
            upload_bytes=parse_size(upload_size),
            proxies=proxies,
        )

        def ready() -> None:
            readers = "everyone who reaches it may read" if public_read else "only people with a token may read"
            say(f"serving {store.place} at {settings.address}; {readers}. Ctrl-C stops.")
            say(f"your own login link, valid until the server stops: {own}/login?key={settings.owner_key}")

        serve(store, settings, taken, ready)
    say("stopped")


def _networks(typed: list[str]) -> tuple[str, ...]:
    """Addresses and networks in one form. Raises UsageError."""
    from ipaddress import ip_network

    from plimsoll.errors import UsageError

    found = []
    for each in typed:
        try:
            network = ip_network(each.strip("[]"))
        except ValueError as error:
            raise UsageError(f"--proxy {each!r}: {error}; write it like 10.0.0.7 or 10.0.0.0/24") from None
        found.append(str(network if network.num_addresses > 1 else network.network_address))
    return tuple(found)
