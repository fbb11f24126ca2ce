"""Do the blocks of the test fall on the blocks of the device?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, moves_nothing, not_checkable
from plimsoll.targets.blockdev import BlockDevice
from plimsoll.units import exact_size, format_size

NAME = "alignment"
TITLE = "Alignment"
WHY = """A device works in physical blocks. An operation that starts inside one, or is smaller than one, makes the
device read, change and write back a whole block."""


def check(evidence: RunEvidence) -> Finding | None:
    """Partition starts, the offset and block sizes of the test.

    Small reads are a warning, for nothing is written back, and so are small blocks in a mix.
    """
    if moves_nothing(evidence):
        return None
    if not evidence.chain.devices:
        return not_checkable(NAME, evidence.why_not_checkable)
    sizes = [int(size) for size, _ in evidence.io["block_size"]]
    physical = max(device.physical_block_bytes for device in evidence.chain.devices)
    smallest = min(sizes)
    for device in evidence.chain.devices:
        if start := _bad_start(device):
            return finding(
                NAME,
                Level.INVALID,
                f"partition {device.path} starts at byte {device.start_bytes}, inside a block of {format_size(start)} "
                "of its disk",
                "Make the partition anew with its start at a multiple of 1 MiB (current tools do that by themselves).",
                physical_block_bytes=physical,
            )
    if evidence.io["direct"] and any(number % physical for number in (*sizes, evidence.io["offset"])):
        return finding(
            NAME,
            # A mix has its small blocks on purpose: what they cost the device is part of the question.
            Level.INVALID if evidence.writes and len(sizes) == 1 else Level.WARN,
            f"blocks of {format_size(smallest)} at offset {exact_size(evidence.io['offset'])} do not fall on "
            f"the device's blocks of {format_size(physical)}",
            f"Set block_size and offset to multiples of {format_size(physical)}.",
            physical_block_bytes=physical,
        )
    return finding(
        NAME,
        Level.OK,
        f"the test's blocks fall on the device's blocks of {format_size(physical)}",
        physical_block_bytes=physical,
    )


def _bad_start(device: BlockDevice) -> int:
    """The block size that a partition's start does not respect; 0 if it does.

    The optimal I/O size is left out: some devices report one of 33,553,920 bytes, which no partition respects.
    """
    starts = device.start_bytes + device.alignment_offset_bytes
    return device.physical_block_bytes if starts % device.physical_block_bytes else 0
