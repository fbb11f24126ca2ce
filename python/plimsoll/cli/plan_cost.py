"""What a session will cost at most, for targets whose volume is known: the cost part of `plimsoll plan`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.model import Target


def rows(targets: Sequence[Target], duration_ns: int) -> list[dict[str, Any]]:
    """For programs: one entry per target whose volume is known; USD, None where a price is missing."""
    from plimsoll.catalog.targets import is_emulated, shape_of
    from plimsoll.prices.cost import cost_of
    from plimsoll.units import SECOND

    found = []
    for target in targets:
        shape = shape_of(target)
        if shape is None:
            continue
        price = cost_of(target, shape)
        found.append(
            {
                "target": target.name,
                "volume": shape.summary,
                "emulated": is_emulated(target),
                "instance": shape.instance.name if shape.instance else None,
                "usd_per_month": price.per_month,
                "usd_for_session": price.of_time(duration_ns / SECOND),
                "usd_per_million_requests": price.requests.usd if price.requests else 0.0,
                "prices_as_of": price.as_of,
                "region": price.region,
                "unknown": list(price.unknown),
            }
        )
    return found


def sentences(targets: Sequence[Target], duration_ns: int) -> Iterator[str]:
    """For people: one line per target whose volume is known."""
    from plimsoll.prices.cost import usd

    for row in rows(targets, duration_ns):
        if row["usd_for_session"] is None:
            unknown = f"{', '.join(row['unknown'])} in {row['region']}; prices.csv takes yours"
            yield f"{row['target']}: {row['volume']}: no price is known of {unknown}"
            continue
        per_request = row["usd_per_million_requests"]
        asked = f", and {usd(per_request)} per million requests" if per_request else ""
        paid = "would cost" if row["emulated"] else "costs"
        machine = f" with {row['instance']}" if row["instance"] else ""
        dated = f"(prices as of {row['prices_as_of']}, {row['region']})"
        yield (
            f"{row['target']}: {row['volume']}: {paid} at most {usd(row['usd_for_session'])} for this session"
            f"{asked}; {usd(row['usd_per_month'])} a month{machine} {dated}"
        )
