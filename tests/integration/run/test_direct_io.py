"""Direct I/O on a file system that has none, or only pretends to."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import need_program, need_root
from tests.integration.run.conftest import SHORT, Command

LEFT = ["lost+found"]


@pytest.fixture(scope="module")
def pretending(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """ext4 with a journal of all data: it opens files with O_DIRECT, and goes through the page cache."""
    need_root()
    need_program("mkfs.ext4")
    folder = tmp_path_factory.mktemp("pretending")
    image, mount = folder / "image", folder / "mount"
    with image.open("wb") as file:
        file.truncate(128 * 2**20)
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True, capture_output=True)
    mount.mkdir()
    subprocess.run(["mount", "-o", "loop,data=journal", str(image), str(mount)], check=True, capture_output=True)
    try:
        yield mount
    finally:
        subprocess.run(["umount", str(mount)], check=True)


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("randread", SHORT),
        ("aio-stress:direct", ("--set", "size=4MiB")),
        ("iozone:direct", ("--set", "size=4MiB")),
        ("tiotest:direct", ("--set", "file_size=1MiB", "--set", "threads=2")),
        ("zcav:direct", ("--set", "size=4MiB", "--set", "block=1MiB")),
    ],
)
def test_a_refusal_is_told_with_what_to_change(
    plimsoll: Command, pretending: Path, test: str, words: tuple[str, ...]
) -> None:
    answer = plimsoll("run", test, "--on", f"a={pretending}", *words, "-q", check=2)
    assert "refuses direct I/O" in answer.err
    assert "set direct=no" in answer.err
    assert [path.name for path in pretending.iterdir()] == LEFT


def test_through_the_page_cache_it_is_a_place_like_any_other(plimsoll: Command, pretending: Path) -> None:
    words = ("--set", "size=4MiB", "--repeats", "1", "--noisy-host", "-q")
    plimsoll("run", "aio-stress", "--on", f"a={pretending}", *words)
    assert [path.name for path in pretending.iterdir()] == LEFT


def test_front_ends_tell_it_too(plimsoll: Command, pretending: Path) -> None:
    words = ("--name=t", "--size=64k", "--direct=1", "--ioengine=psync")
    answer = plimsoll("fio", *words, cwd=pretending, check=3)
    (pretending / "t.0.0").unlink()
    assert f"refuses direct I/O on {pretending}/t.0.0" in answer.err
    assert "refuses direct I/O" in plimsoll("ioping", "-D", "-c", "1", ".", cwd=pretending, check=3).err
