"""Microsoft Azure: managed disks.

azure26 is Microsoft Learn, azure-compute-docs, disks-types.md of 2026-08-11, CC BY 4.0; facts in our own words.
"""

from plimsoll.catalog.provider import Provider

PROVIDER = Provider(home_region="eastus", documents={"azure26": "Azure disk types, 2026-08"}, throughput_unit="MB/s")
