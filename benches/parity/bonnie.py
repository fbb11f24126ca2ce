"""Bonnie++: blocks, rewriting, seeks, and making files."""

from benches.parity import Case

METRICS = (
    "block_write_throughput",
    "rewrite_throughput",
    "block_read_throughput",
    "seeks_seeks_per_second",
    "sequential_create_files_per_second",
    "sequential_delete_files_per_second",
    "random_create_files_per_second",
    "random_delete_files_per_second",
)
CASES = (
    Case("bonnie++", ("size=2GiB", "files=16384", "skip_characters=yes"), METRICS, blocks=3),
    Case("bonnie++", ("size=2GiB", "files=0", "skip_characters=yes", "seeks=100000"), METRICS[3:4], blocks=3),
)
