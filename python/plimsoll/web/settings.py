"""What a server is started with."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from plimsoll.units import GIB, KIB, MIB

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
LOOPBACK_PROXIES = ("127.0.0.1", "::1")
CHUNK_BYTES = 4 * MIB
"""How much of an upload one request carries."""

FORM_BYTES = 64 * KIB
"""Largest request that is no upload."""


@dataclass(frozen=True)
class Settings:
    """Limits and rights of one server."""

    spool: Path
    """A private folder for uploads that are under way; names in it are made by the server."""
    address: str = "http://127.0.0.1:8321"
    """How people reach the server; links, cookies and the check of the Host header follow it."""
    public_read: bool = False
    """Whether everyone who reaches the server may read."""
    any_host: bool = False
    """Whether any Host header is accepted: the server listens on all addresses and may have many names."""
    upload_bytes: int = 256 * MIB
    unpacked_bytes: int = 2 * GIB
    records: int = 100_000
    """Sessions and runs in one upload."""
    uploads_per_minute: float = 30.0
    log_in_attempts_per_minute: float = 10.0
    proxies: tuple[str, ...] = ()
    """Addresses or networks of proxies that are believed when they name the client; empty: see `trusted`."""
    owner_key: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """Valid while the server runs: the key in the link that it prints at its start."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names under which the server answers; a page of another site cannot make a browser talk to it as its own."""
        if self.any_host:
            return ("*",)
        return tuple(dict.fromkeys((*LOOPBACK, urlsplit(self.address).hostname or "localhost")))

    @property
    def trusted(self) -> tuple[str, ...]:
        """Proxies that are believed: those that were named; else, where people come by HTTPS, one on this machine."""
        named = self.proxies or (LOOPBACK_PROXIES if self.secure else ())
        # A socket for both versions of the protocol shows addresses of the old one as addresses of the new one.
        old = [ip_network(each) for each in named if ":" not in each]
        return (*named, *(f"::ffff:{each.network_address}/{96 + each.prefixlen}" for each in old))

    @property
    def secure(self) -> bool:
        """Whether people reach it by HTTPS."""
        return self.address.startswith("https://")
