"""What an image lacks is said before a disk is touched."""

from __future__ import annotations

import pytest

from plimsoll.clouds.hosts.layouts import lay_out
from plimsoll.clouds.wanted import Layout
from plimsoll.cluster.remote import Refused


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    said = lay_out(Layout(target="stripe", raid=0, file_system="xfs"), ["/dev/nvme1n1", "/dev/nvme2n1"])
    assert said == Refused(
        "target stripe: its machine's image lacks mkfs.xfs (package xfsprogs) and mdadm (package mdadm); choose one "
        "that has it by --image, or leave the array or file system out"
    )


def test_an_unknown_file_system() -> None:
    said = lay_out(Layout(target="a", file_system="zfs"), ["/dev/nvme1n1"])
    assert isinstance(said, Refused)
    assert "zfs" in said.message


def test_a_bare_disk_is_measured_as_it_is() -> None:
    assert lay_out(Layout(target="a"), ["/dev/nvme1n1"]) == "/dev/nvme1n1"
