"""What the buckets of a volume hold at the start, as people write it."""

from __future__ import annotations

import pytest

from plimsoll.catalog.levels import levels_text, read_levels
from plimsoll.catalog.shape import volume_shape
from plimsoll.errors import UnknownName, UsageError

GP2 = {"type": "gp2", "size": "100GiB", "instance": "m5.large"}


def test_each_bucket_by_name() -> None:
    spec = volume_shape({**GP2, "levels": "iops:0%/iops_credits:12.5%/instance.iops_credits:0.5"}, "here").spec
    assert spec["iops"]["initial"] == 0
    assert spec["iops"]["credits"]["initial"] == 0.125
    assert spec["instance"]["iops"]["credits"]["initial"] == 0.5
    assert "initial" not in spec["throughput"]


def test_a_level_is_more_exact_than_credits() -> None:
    spec = volume_shape({**GP2, "credits": "50%", "levels": "iops_credits:20%"}, "here").spec
    assert spec["iops"]["credits"]["initial"] == 0.2
    shape = volume_shape({**GP2, "credits": "50%", "levels": "iops_credits:20%", "time_scale": "2"}, "here")
    assert shape.credit_factor == 0.1
    assert spec["instance"]["iops"]["credits"]["initial"] == 0.5


def test_the_text_reads_back() -> None:
    levels = {"volume.iops": 1 / 3, "instance.throughput": 0.0}
    assert levels_text(levels) == "iops:33.3333%/instance.throughput:0%"
    assert read_levels(levels_text(levels)) == {"iops": pytest.approx(1 / 3, abs=1e-6), "instance.throughput": 0.0}


def test_what_is_no_level_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"no bucket named 'iops_credit' .*did you mean 'iops_credits'"):
        volume_shape({**GP2, "levels": "iops_credit:1%"}, "here")
    with pytest.raises(UnknownName, match="throughput_credits"):
        volume_shape({"type": "gp3", "size": "1GiB", "levels": "throughput_credits:1%"}, "here")
    with pytest.raises(UsageError, match="write it like iops:0%"):
        volume_shape({**GP2, "levels": "iops"}, "here")
    with pytest.raises(UsageError, match="100 %"):
        volume_shape({**GP2, "levels": "iops:200%"}, "here")
