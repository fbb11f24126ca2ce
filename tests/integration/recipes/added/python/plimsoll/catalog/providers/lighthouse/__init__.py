"""A provider that sells one type."""

from plimsoll.catalog.provider import Provider

PROVIDER = Provider(home_region="cape", documents={"page26": "price page, 2026"})
