"""On a block device that holds data a trace is replayed without its writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import need_program
from tests.integration.run.conftest import Command, plimsoll
from tests.integration.run.test_replay import trace
from tests.integration.safety.conftest import cleanup, loop, make_loop, run

from plimsoll.store.opening import open_store

__all__ = ["cleanup", "loop", "make_loop", "plimsoll"]


@pytest.fixture
def precious(loop: Path) -> Path:
    """A block device with a file system that nobody has mounted."""
    run(need_program("mkfs.ext4"), "-q", loop)
    return loop


def test_only_reads_are_replayed_and_nothing_is_written(precious: Path, plimsoll: Command, tmp_path: Path) -> None:
    before = precious.read_bytes()
    done = plimsoll("replay", trace(tmp_path), "--on", f"d={precious}", "--noisy-host", check=None)
    assert "they are left out, because only reads are replayed here" in done.err
    with open_store() as store:
        [found] = store.runs([store.sessions()[0].id])
    assert list(found.facts["operations"]) == ["read"]
    assert found.facts["operations"]["read"]["operations"] > 900
    assert precious.read_bytes() == before


@pytest.mark.parametrize("words", [[], ["--destroy", "DEVICE"]])
def test_writes_are_refused_where_there_is_data(
    words: list[str], precious: Path, plimsoll: Command, tmp_path: Path
) -> None:
    before = precious.read_bytes()
    texts = [word.replace("DEVICE", str(precious)) for word in words]
    done = plimsoll("replay", trace(tmp_path), "--on", f"d={precious}", "--writes", *texts, check=2)
    assert f"{precious} carries a signature: ext2/3/4 file system" in done.err
    assert precious.read_bytes() == before
