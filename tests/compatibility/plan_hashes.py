"""The hash of every plan that comes with Plimsoll: two runs are comparable where it is the same."""

from __future__ import annotations

from plimsoll.profile import CLASSIC, Entry, cases, profiles, suites
from plimsoll.run.studies import studies

OVERRIDES = (
    ("randrw", {"block_size": "4KiB:60 16KiB:40", "write_block_size": "64KiB", "distribution": "zipf:1.1:0.5"}),
    ("randread", {"rate": "1000/s", "arrival": "poisson", "cpus": "0+1", "think_time": "5us", "interval": "100ms"}),
    ("seqwrite", {"rate": "10MiB/s", "sync": "fdatasync", "sync_every": "8", "max_bytes": "1GiB", "runtime": "1h"}),
    ("ycsb-a", {"clients": "64", "rate": "500/s", "request": "hotspot:0.2:0.8", "server_settings": "a=1 b=2"}),
)
"""Values that are written in other ways than their defaults."""


def plan_hashes() -> dict[str, str]:
    """By `test`, `test:mode`, either with ` quick`, suite or study with the label of the case; then `OVERRIDES`."""
    found: dict[str, str] = {}
    for profile in profiles().values():
        for mode in (CLASSIC, *profile.modes):
            entry = Entry(profile.name if mode == CLASSIC else f"{profile.name}:{mode}", {})
            for mark, quick in (("", False), (" quick", True)):
                (case,) = cases([entry], {}, "the list of plans", quick_sizes=quick)
                found[f"{entry.test}{mark}"] = case.plan({}, "the list of plans").hash
    for suite in suites():
        for case in cases([Entry(suite, {})], {}, "the list of plans"):
            found[f"{suite}: {case.label}"] = case.plan({}, "the list of plans").hash
    for name, published in studies().items():
        for case in published.study().cases():
            found[f"{name}: {case.label}"] = case.plan({}, "the list of plans").hash
    for test, overrides in OVERRIDES:
        (case,) = cases([Entry(test, overrides)], {}, "the list of plans")
        found[case.label] = case.plan({}, "the list of plans").hash
    return found
