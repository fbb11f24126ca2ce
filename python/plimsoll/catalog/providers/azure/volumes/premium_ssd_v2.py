"""Premium SSD v2 and Ultra Disk: IOPS and throughput are provisioned."""

from plimsoll.catalog.provisioned import ProvisionedThroughput

TYPES = (
    ProvisionedThroughput(
        name="premium-ssd-v2",
        title="Premium SSD v2",
        since="2022-10",
        min_gib=1,
        max_gib=65_536,
        iops_min=3000,
        iops_max=80_000,
        iops_per_gib=500,
        iops_included=3000,
        throughput_included=125,
        throughput_max=2000,
        kib_per_iops=256,
        latency="premium-ssd-v2",
        consistency_time=0.999,
        source="azure26",
    ),
    ProvisionedThroughput(
        name="ultra",
        title="Ultra Disk",
        since="2019-08",
        min_gib=4,
        max_gib=65_536,
        iops_min=100,
        iops_max=400_000,
        iops_per_gib=1000,
        throughput_included=0,
        throughput_max=10_000,
        kib_per_iops=256,
        latency="premium-ssd-v2",
        consistency_time=0.999,
        source="azure26",
    ),
)
