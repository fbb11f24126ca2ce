"""Marks that file systems, partition tables, volume managers and others leave on a device.

An own table, so that a device that somebody uses is never overwritten because a program is missing. Offsets in bytes;
a negative one counts from the end of the device. Sources: the kernel's headers and util-linux' libblkid.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from plimsoll.units import KIB, MIB


@dataclass(frozen=True)
class Signature:
    """A mark: where it is and what it belongs to."""

    kind: str
    offset: int
    magic: bytes


def _at(kind: str, magic: bytes, *offsets: int) -> list[Signature]:
    return [Signature(kind, offset, magic) for offset in offsets]


ZFS_UBERBLOCK = 0x00BAB10C.to_bytes(8, "little")
_MD = 0xA92B4EFC.to_bytes(4, "little")
_PAGES = (4 * KIB, 8 * KIB, 16 * KIB, 64 * KIB)

SIGNATURES = (
    # partition tables
    *_at("GPT partition table", b"EFI PART", 512, 4096, -512, -4096),
    *_at("MBR partition table or boot sector", b"\x55\xaa", 510),
    *_at("Apple partition map", b"PM\x00\x00", 512),
    *_at("BSD disk label", b"\x57\x45\x56\x82", 0, 64, 512),
    *_at("Sun disk label", b"\xda\xbe", 508),
    *_at("SGI disk label", b"\x0b\xe5\xa9\x41", 0),
    # volume managers, RAID, caches, encryption
    *_at("LVM physical volume", b"LABELONE", 0, 512, 1024, 1536),
    *_at("md RAID member", _MD, 0, 4096),
    *_at("Intel RAID member", b"Intel Raid ISM Cfg Sig. ", -1024),
    *_at("DDF RAID member", b"\xde\x11\xde\x11", -512),
    *_at("DRBD", b"\x83\x74\x02\x6b", -4096 + 60),
    *_at("DRBD", b"\x83\x74\x02\x6d", -4096 + 60),
    *_at("LUKS encryption", b"LUKS\xba\xbe", 0),
    *_at(
        "LUKS encryption (second header)", b"SKUL\xba\xbe", *(size * KIB for size in (16, 32, 64, 128, 256, 512, 1024))
    ),
    *_at("BitLocker encryption", b"-FVE-FS-", 3),
    *_at("dm-integrity", b"integrt\x00", 0),
    *_at("dm-verity", b"verity\x00\x00", 0),
    *_at("dm snapshot store", b"SnAp", 0),
    *_at("VDO volume", b"dmvdo001", 0, 4096),
    *_at("Stratis member", b"!Stra0tis\x86\xff\x02^\x41rh", 512 + 4),
    *_at("bcache", b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81", 4096 + 24),
    *_at("bcachefs", b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef", 4096 + 24),
    *_at("Ceph OSD", b"bluestore block device", 0),
    *_at("Oracle ASM disk", b"ORCLDISK", 32),
    *_at("VMFS volume", b"\x0d\xd0\x01\xc0", MIB),
    # swap
    *_at("swap", b"SWAPSPACE2", *(page - 10 for page in _PAGES)),
    *_at("swap", b"SWAP-SPACE", *(page - 10 for page in _PAGES)),
    *_at("suspended system", b"S1SUSPEND", *(page - 10 for page in _PAGES)),
    # file systems
    *_at("ext2/3/4 file system", b"\x53\xef", KIB + 56),
    *_at("XFS file system", b"XFSB", 0),
    *_at("btrfs file system", b"_BHRfS_M", 64 * KIB + 64, 64 * MIB + 64),
    *_at("F2FS file system", b"\x10\x20\xf5\xf2", KIB),
    *_at("NTFS file system", b"NTFS    ", 3),
    *_at("exFAT file system", b"EXFAT   ", 3),
    *_at("ReFS file system", b"ReFS\x00\x00\x00\x00", 3),
    *_at("FAT file system", b"FAT12   ", 54),
    *_at("FAT file system", b"FAT16   ", 54),
    *_at("FAT file system", b"FAT32   ", 82),
    *_at("ISO 9660 file system", b"CD001", 32 * KIB + 1),
    *_at("UDF file system", b"NSR02", 34 * KIB + 1, 36 * KIB + 1),
    *_at("UDF file system", b"NSR03", 34 * KIB + 1, 36 * KIB + 1),
    *_at("HFS file system", b"H+\x00\x04", KIB),
    *_at("HFS file system", b"HX\x00\x05", KIB),
    *_at("APFS container", b"NXSB", 32),
    *_at("squashfs", b"hsqs", 0),
    *_at("erofs", b"\xe2\xe1\xf5\xe0", KIB),
    *_at("cramfs", b"\x45\x3d\xcd\x28", 0),
    *_at("romfs", b"-rom1fs-", 0),
    *_at("JFS file system", b"JFS1", 32 * KIB),
    *_at("ReiserFS file system", b"ReIsEr", 64 * KIB + 52, 8 * KIB + 52),
    *_at("NILFS2 file system", b"\x34\x34", KIB + 6),
    *_at("GFS2 file system", b"\x01\x16\x19\x70", 64 * KIB),
    *_at("OCFS2 file system", b"OCFSV2", 1 * KIB, 2 * KIB, 4 * KIB, 8 * KIB),
    *_at("UFS file system", b"\x19\x01\x54\x19", 8 * KIB + 1372, 64 * KIB + 1372),
    *_at("Minix file system", b"\x7f\x13", KIB + 16),
    *_at("Minix file system", b"\x8f\x13", KIB + 16),
    *_at("Minix file system", b"\x68\x24", KIB + 16),
    *_at("Minix file system", b"\x78\x24", KIB + 16),
)


def find_signatures(descriptor: int, size_bytes: int) -> list[str]:
    """Kinds of all marks on an open device or file, each once."""
    found = [
        signature.kind
        for signature in SIGNATURES
        if _read(descriptor, signature.offset, len(signature.magic), size_bytes) == signature.magic
    ]
    ends = (_read(descriptor, offset, len(_MD), size_bytes) for offset in _md_at_the_end(size_bytes) if offset >= 0)
    found += ["md RAID member"] * (_MD in ends)
    found += ["ZFS pool member"] * _has_uberblock(descriptor, size_bytes)
    return list(dict.fromkeys(found))


def _read(descriptor: int, offset: int, length: int, size_bytes: int) -> bytes:
    """Bytes at an offset, a negative one from the end; nothing where the device is too small."""
    start = offset + size_bytes if offset < 0 else offset
    return os.pread(descriptor, length, start) if 0 <= start <= size_bytes - length else b""


def _md_at_the_end(size_bytes: int) -> tuple[int, int]:
    """Superblocks of md version 0.90 (last full 64 KiB) and 1.0 (8 KiB before the end, aligned to 4 KiB)."""
    return (size_bytes // (64 * KIB) - 1) * 64 * KIB, ((size_bytes // 512 - 16) & ~7) * 512


def _has_uberblock(descriptor: int, size_bytes: int) -> bool:
    """ZFS keeps two labels at each end; each holds a ring of uberblocks at 1 KiB steps in its second half."""
    end = size_bytes // (256 * KIB) * 256 * KIB
    for label in (0, 256 * KIB, end - 512 * KIB, end - 256 * KIB):
        ring = _read(descriptor, label + 128 * KIB, 128 * KIB, size_bytes) if label >= 0 else b""
        starts = (ring[step : step + 8] for step in range(0, len(ring), KIB))
        if any(start in (ZFS_UBERBLOCK, ZFS_UBERBLOCK[::-1]) for start in starts):
            return True
    return False


def ask_blkid(path: Path) -> list[str]:
    """What the program `blkid` finds, which knows more kinds than the table; empty without it."""
    program = shutil.which("blkid") or shutil.which("blkid", path="/usr/sbin:/sbin")
    if program is None:
        return []
    try:
        done = subprocess.run(
            [program, "-p", "-o", "export", str(path)], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    values = dict(line.partition("=")[::2] for line in done.stdout.splitlines())
    found = [
        f"{values[name]} ({use})"
        for name, use in (("TYPE", "content"), ("PTTYPE", "partition table"))
        if name in values
    ]
    # Exit code 8: several kinds match, which is the mark of more than one past.
    return found or (["several kinds of content at once"] if done.returncode == 8 else [])
