"""`plimsoll volume …`: emulated volumes as real block devices. The commands are the files of `plimsoll.cli.volume`."""

from __future__ import annotations

from plimsoll.cli.group import command_group

EXAMPLES = (
    "`plimsoll volume create data --type gp2 --size 100GiB --fs ext4`, `plimsoll volume list`, "
    "`plimsoll volume delete data`."
)

group = command_group(
    "plimsoll.cli.volume",
    "Emulated volumes: create, list, stats, set, fault, delete.",
    EXAMPLES,
)
