"""Bonnie++: blocks, rewriting, seeks, and making files.

The original gives no number for phases below half a second, so that each needs enough to do.
"""

from benches.parity import Case

BLOCKS = ("block_write_throughput", "rewrite_throughput", "block_read_throughput")
SEEKS = ("seeks_seeks_per_second",)
FILES = (
    "sequential_create_files_per_second",
    "sequential_delete_files_per_second",
    "random_create_files_per_second",
    "random_delete_files_per_second",
)
CASES = (
    Case("bonnie++", ("size=2GiB", "files=0", "skip_characters=yes"), BLOCKS, blocks=3),
    Case("bonnie++", ("size=256MiB", "files=0", "skip_characters=yes", "seeks=2000000"), SEEKS, blocks=3),
    Case("bonnie++", ("size=8MiB", "files=32768", "skip_characters=yes", "seeks=64"), FILES, blocks=3, fresh=True),
)
