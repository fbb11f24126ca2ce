"""Golden: fields of terse lines that fio 3.33 printed."""

import pytest
from tests.unit.importers.importing import HERE, load, read_text, scores

from plimsoll.errors import ResultFileError
from plimsoll.units import KIB, MIB, MICROSECOND


def test_clones_and_a_mixed_job() -> None:
    reader, writer = load("fio_terse", "clones_and_mixed.txt").runs
    # Two clones of 14,912 and 14,920 KiB in 2001 and 2002 ms.
    assert scores(reader)["throughput"] == pytest.approx((14_912 + 14_920) * KIB / 2.002)
    assert scores(reader)["iops"] == 1863 + 1863
    assert scores(reader)["read_max"] == 31_515 * MICROSECOND
    assert "read_p99" not in scores(reader)
    assert scores(writer)["read_iops"] == 927
    assert scores(writer)["write_throughput"] == 3896 * KIB
    assert scores(writer)["read_mean"] == pytest.approx(470.866336 * MICROSECOND)
    assert scores(writer)["read_p99"] == 2572 * MICROSECOND
    assert scores(writer)["write_max"] == 8471 * MICROSECOND
    assert writer.facts["devices"] == ["sdz"]
    assert writer.facts["tool_version"] == "fio-3.33"


def test_versions_4_and_5_and_kinds_together() -> None:
    files = ("both_kinds_3_and_4.txt", "version_5.txt", "each_kind_4_and_5.txt", "mixed_and_trim.txt")
    runs = {run.plan.case: run for file in files for run in load("fio_terse", file).runs}
    assert list(runs) == ["v3-both", "v4-both", "v5-both", "v5-mixed", "v4-none", "v5-none", "v4-mixed", "v5-trim"]
    for name, run in runs.items():
        # 256 blocks in each: counted once, however often they are told.
        assert sum(run.facts["bytes"].values()) == MIB, name
        kinds = {"mixed": {"mixed"}, "trim": {"trim"}}.get(name[3:], {"read", "write"})
        assert set(run.facts["bytes"]) == kinds, name
        assert run.facts["cpu"]["usr_cpu"] <= 1
        assert not run.findings, name
    for version in ("v3", "v4", "v5"):
        both = scores(runs[f"{version}-both"])
        assert both["iops"] == both["read_iops"] + both["write_iops"]
        assert "mixed_mean" in both
        assert "mixed_iops" not in both
    assert "mixed_mean" not in scores(runs["v5-none"])


def test_another_version_is_refused_with_advice() -> None:
    line = (HERE / "fio_terse/fixtures/clones_and_mixed.txt").read_text().splitlines()[1]
    with pytest.raises(ResultFileError, match="--output-format=json"):
        read_text("fio_terse", "2" + line[1:])
    with pytest.raises(ResultFileError, match="not those that fio writes in version 4"):
        read_text("fio_terse", "4" + line[1:] + "\n" + line)
