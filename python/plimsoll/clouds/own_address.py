"""The address of this machine as a provider sees it: the only one that may reach what is rented."""

from __future__ import annotations

import os
from ipaddress import IPv4Network, ip_network

import httpx

from plimsoll.errors import CloudError, UsageError

VARIABLE = "PLIMSOLL_FROM_ADDRESS"
"""Says it where it is known, or where nobody can be asked: 203.0.113.7, or a network such as 203.0.113.0/28."""
SERVICE = "https://checkip.amazonaws.com"
TIMEOUT_S = 10.0
WIDEST = 16
"""A network of more addresses would open the machines to strangers."""


def own_address() -> str:
    """As `203.0.113.7/32`. Raises UsageError for a variable that means nothing, CloudError where nobody answers."""
    if text := os.environ.get(VARIABLE):
        return _network(text)
    try:
        answer = httpx.get(SERVICE, timeout=TIMEOUT_S, follow_redirects=False).raise_for_status().text.strip()
    except httpx.HTTPError as error:
        raise CloudError(
            f"{SERVICE}, which tells from which address this machine is seen, does not answer "
            f"({type(error).__name__}); give the address yourself: {VARIABLE}=203.0.113.7"
        ) from None
    try:
        return str(IPv4Network(answer))
    except ValueError:
        raise CloudError(
            f"{SERVICE} answers with no IPv4 address; give the address yourself: {VARIABLE}=203.0.113.7"
        ) from None


def _network(text: str) -> str:
    try:
        found = ip_network(text.strip())
    except ValueError:
        found = None
    if not isinstance(found, IPv4Network) or found.prefixlen < WIDEST:
        raise UsageError(
            f"{VARIABLE}={text}: write an IPv4 address or a network of at most 65,536, such as 203.0.113.7"
        )
    return str(found)
