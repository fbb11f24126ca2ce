"""Hyperdisk, and the Extreme persistent disk: IOPS and throughput are provisioned."""

from plimsoll.catalog.provisioned import ProvisionedThroughput

TYPES = (
    ProvisionedThroughput(
        name="pd-extreme",
        title="Extreme persistent disk",
        since="2021-05",
        min_gib=500,
        max_gib=65_536,
        iops_min=2500,
        iops_max=120_000,
        throughput_max=2200,
        kib_per_iops=256,
        latency="pd-ssd",
        source="gcp25",
    ),
    ProvisionedThroughput(
        name="hyperdisk-balanced",
        title="Hyperdisk Balanced",
        since="2023-10",
        min_gib=4,
        max_gib=65_536,
        iops_min=3000,
        iops_max=160_000,
        iops_per_gib=500,
        iops_included=3000,
        throughput_included=140,
        throughput_max=2400,
        kib_per_iops=256,
        latency="pd-ssd",
        source="gcp25",
    ),
    ProvisionedThroughput(
        name="hyperdisk-extreme",
        title="Hyperdisk Extreme",
        since="2022-10",
        min_gib=64,
        max_gib=65_536,
        iops_min=128,
        iops_max=350_000,
        iops_per_gib=1000,
        throughput_max=5000,
        kib_per_iops=256,
        latency="pd-ssd",
        source="gcp25",
    ),
)
