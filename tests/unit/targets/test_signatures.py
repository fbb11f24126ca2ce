"""The own table of marks: each is found where it stands, and nothing is found where there is none."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from plimsoll.targets.signatures import SIGNATURES, ZFS_UBERBLOCK, Signature, find_signatures
from plimsoll.units import KIB, MIB

SIZE = 80 * MIB + 512


@pytest.fixture
def image(tmp_path: Path) -> Iterator[int]:
    """An empty sparse file as large as a small device."""
    descriptor = os.open(tmp_path / "image", os.O_RDWR | os.O_CREAT)
    os.ftruncate(descriptor, SIZE)
    yield descriptor
    os.close(descriptor)


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda each: f"{each.kind} at {each.offset}")
def test_each_mark_is_found(image: int, signature: Signature) -> None:
    os.pwrite(image, signature.magic, signature.offset + (SIZE if signature.offset < 0 else 0))
    assert signature.kind in find_signatures(image, SIZE)


@pytest.mark.parametrize("offset", [128 * KIB, 384 * KIB + 64 * KIB, 80 * MIB - 128 * KIB, 80 * MIB - 384 * KIB + KIB])
@pytest.mark.parametrize("magic", [ZFS_UBERBLOCK, ZFS_UBERBLOCK[::-1]])
def test_zfs_in_any_of_its_labels(image: int, offset: int, magic: bytes) -> None:
    os.pwrite(image, magic, offset)
    assert find_signatures(image, SIZE) == ["ZFS pool member"]


@pytest.mark.parametrize("offset", [80 * MIB - 64 * KIB, (SIZE // 512 - 16) // 8 * 8 * 512])
def test_md_superblocks_at_the_end(image: int, offset: int) -> None:
    os.pwrite(image, 0xA92B4EFC.to_bytes(4, "little"), offset)
    assert find_signatures(image, SIZE) == ["md RAID member"]


def test_zeros_carry_nothing(image: int) -> None:
    assert find_signatures(image, SIZE) == []


def test_random_data_of_an_earlier_test_carries_nothing(image: int) -> None:
    """A device that Plimsoll itself filled can be used again."""
    noise = random.Random(7).randbytes(2 * MIB)
    os.pwrite(image, noise, 0)
    os.pwrite(image, noise, SIZE - len(noise))
    assert find_signatures(image, SIZE) == []


@pytest.mark.parametrize("size", [0, 512, 4096, 64 * KIB])
def test_tiny_devices(tmp_path: Path, size: int) -> None:
    descriptor = os.open(tmp_path / "tiny", os.O_RDWR | os.O_CREAT)
    os.ftruncate(descriptor, size)
    assert find_signatures(descriptor, size) == []
    os.close(descriptor)
