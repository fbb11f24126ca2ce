"""`plimsoll cloud list`: what is rented now, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plimsoll.cli.cloud._options import Provider, Region
from plimsoll.cli.options import Json

if TYPE_CHECKING:
    from plimsoll.clouds.listed import Listed

EXAMPLES = "`plimsoll cloud list`, `plimsoll cloud list --region eu-west-1 --json`."


def command(provider: Provider = "aws", region: Region = None, json: Json = False) -> None:
    """List what is rented now, what it costs, and when it ends."""
    from plimsoll.cli.listing import print_list
    from plimsoll.cli.output import print_json, say
    from plimsoll.clouds.listed import listed

    found = listed(provider, region)
    if json:
        print_json([_as_json(each) for each in found.rows])
        return
    print_list([_row(each) for each in found.rows])
    asked = f"asked: {provider}, {', '.join(found.regions)}"
    say(f"nothing is rented ({asked})" if not found.rows else f"{asked}; --region asks another region")
    for sentence in found.sentences:
        say(sentence)


def _as_json(each: Listed) -> dict[str, Any]:
    """For programs; nanoseconds since 1970, USD."""
    resource = each.resource
    return {
        "rental": resource.rental,
        "kind": resource.kind,
        "id": resource.id,
        "name": resource.name,
        "region": resource.region,
        "state": resource.state,
        "lease_end_ns": resource.lease_end_ns,
        "usd_per_hour": each.per_hour_usd,
        "here": each.here,
    }


def _row(each: Listed) -> dict[str, Any]:
    from plimsoll.clouds import lease
    from plimsoll.prices.cost import usd

    resource = each.resource
    return {
        "rental": resource.rental or "unknown",
        "what": f"{resource.kind} {resource.id}",
        "region": resource.region,
        "state": resource.state,
        "an hour": "" if each.per_hour_usd is None else usd(each.per_hour_usd),
        "ends by itself": "" if resource.lease_end_ns is None else lease.text(resource.lease_end_ns),
        "by": each.here,
    }
