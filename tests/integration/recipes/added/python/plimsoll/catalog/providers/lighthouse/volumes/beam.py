"""Of a formula that is there: IOPS and throughput are provisioned."""

from plimsoll.catalog.provisioned import ProvisionedThroughput

TYPES = (
    ProvisionedThroughput(
        name="beam",
        title="Beam",
        since="2026-01",
        min_gib=1,
        max_gib=1000,
        iops_min=100,
        iops_max=5000,
        iops_included=100,
        throughput_included=10,
        throughput_max=500,
        kib_per_iops=1024,
        latency="light",
        source="page26",
    ),
)
