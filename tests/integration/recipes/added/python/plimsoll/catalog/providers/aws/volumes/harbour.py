"""A volume type with a formula of its own."""

from __future__ import annotations

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.volume_type import Provisioned, VolumeType


class Harbour(VolumeType):
    """Seven IOPS for each GiB."""

    is_by_size = True

    def formula(self, asked: Provisioned) -> Limits:
        """From the size alone."""
        self.refuse_choice(asked, ("iops", "throughput"), "seven IOPS per GiB")
        return Limits(Rate(round(7 * asked.size_gib)), None)


TYPES = (
    Harbour(name="harbour", title="Harbour", since="2026-01", min_gib=1, max_gib=100, latency="gp3", source="ebs25"),
)
