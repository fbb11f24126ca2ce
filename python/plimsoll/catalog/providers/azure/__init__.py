"""Microsoft Azure: managed disks, and VM sizes with what they give to these.

azure26 is Microsoft Learn, azure-compute-docs, disks-types.md of 2026-08-11, CC BY 4.0; facts in our own words.
"""

from plimsoll.catalog.provider import Provider
from plimsoll.catalog.providers.azure.instances import instances

PROVIDER = Provider(
    title="Azure",
    home_region="eastus",
    documents={"azure26": "Azure disk types, 2026-08"},
    throughput_unit="MB/s",
    instances=instances,
    unknown={
        "standard-ssd": "limits by size are known only as of 2019, before bursting",
        "standard-hdd": "limits by size are not known",
        "premium-ssd with on-demand bursting": "its hourly fee and the price of a burst are not known",
    },
)
