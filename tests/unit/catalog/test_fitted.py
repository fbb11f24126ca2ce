"""`model=FILE`: what a file may say, and what is refused before anything is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.catalog.shape import volume_shape
from plimsoll.catalog.targets import read_as
from plimsoll.errors import UnknownName, UsageError
from plimsoll.targets.parse import parse_target

GP3 = {"type": "gp3", "size": "100GiB"}


def written(folder: Path, text: str) -> str:
    file = folder / "m.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('type = "gp2"\n[numbers]\niops = 100\n', "the file is of gp2, and this volume is gp3"),
        ('type = "gp3"\n[numbers]\niops = 0\n', "iops = 0: write a number from 1 to"),
        ('type = "gp3"\n[numbers]\nread_tail_share = 2\n', "read_tail_share = 2: write a number from 0 to 1"),
        ('type = "gp3"\n[numbers]\niops = "fast"\n', "iops = fast"),
        ('type = "gp3"\n[numbers]\niops = nan\n', "iops = nan"),
        ('type = "gp3"\n[numbers]\niops_baseline = 100\n', "give all three"),
        ('type = "gp3"\n[numbers]\niops_baseline = 9000\niops_credits = 5\n', "is not below iops"),
        ('type = "gp3"\n', "lacks `type` or a table"),
        ("type = gp3\n", "it is no TOML"),
        (
            'type = "gp3"\n[numbers]\niops = 5900\n[volume]\niops = "6000"\n',
            "measured with iops=6000, and this volume has iops=3000",
        ),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        volume_shape({**GP3, "model": written(tmp_path, text)}, "v")


def test_an_unknown_number_has_a_hint(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="iops"):
        volume_shape({**GP3, "model": written(tmp_path, 'type = "gp3"\n[numbers]\niop = 100\n')}, "v")


def test_a_missing_file_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"No such file or directory; `plimsoll volume fit SESSION -o none\.toml`"):
        volume_shape({**GP3, "model": str(tmp_path / "none.toml")}, "v")


def test_latencies_hold_for_every_size_of_a_type(tmp_path: Path) -> None:
    file = written(tmp_path, 'type = "gp3"\n[numbers]\nread_median_ns = 600000\n[volume]\niops = "6000"\n')
    assert volume_shape({**GP3, "model": file}, "v").spec["read_latency"]["median_ns"] == 600_000


def test_targets_hold_the_numbers_and_not_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, 'type = "gp3"\n[numbers]\niops = 2900\nread_sigma = 0.25\n')
    target = parse_target(f"v=vol:type=gp3,size=100GiB,model={file},fs=xfs")
    assert "model=iops:2900/read_sigma:0.25" in target.where
    assert "fs=xfs" in target.where
    assert read_as(f"gp3+size=100GiB+model={file}").endswith("+model=iops:2900/read_sigma:0.25+size=100GiB")
    assert read_as("gp3+size=100GiB") == "gp3+size=100GiB"


def test_its_price_is_that_of_what_is_bought() -> None:
    shape = volume_shape({**GP3, "iops": "6000", "model": "iops:5400"}, "v")
    assert shape.provisioned_iops == 6000
    assert shape.limits.iops is not None
    assert shape.limits.iops.rate == 5400
    assert shape.summary == "gp3 100 GiB, 5,400 IOPS, 125 MiB/s, as measured (model=)"
