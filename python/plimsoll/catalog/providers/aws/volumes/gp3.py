"""General Purpose SSD gp3: IOPS and throughput are provisioned, 3,000 and 125 MiB/s come without extra charge."""

from dataclasses import replace

from plimsoll.catalog.provisioned import ProvisionedThroughput

_NOW = ProvisionedThroughput(
    name="gp3",
    title="General Purpose SSD gp3",
    since="2025-09",
    min_gib=1,
    max_gib=65_536,
    iops_min=3000,
    iops_max=80_000,
    iops_per_gib=500,
    iops_included=3000,
    throughput_included=125,
    throughput_max=2000,
    kib_per_iops=256,
    merge_min_kib=32,
    latency="gp3",
    queue="unfair",
    consistency=0.9,
    consistency_time=0.99,
    source="ebs25",
)
TYPES = (
    _NOW,
    replace(
        _NOW, since="2020-12", until="2025-09", max_gib=16_384, iops_max=16_000, throughput_max=1000, source="ug23"
    ),
)
