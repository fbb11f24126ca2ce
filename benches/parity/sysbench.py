"""sysbench fileio: random reads and writes with its rounds of fsync, and in order."""

from benches.parity import Case

SMALL = ("total_size=256MiB", "runtime=5s")
CASES = (
    Case("sysbench-fileio", SMALL, ("requests",), blocks=3, work="requests"),
    Case("sysbench-fileio:seqrewr", SMALL, ("write_throughput",), blocks=3, work="write_throughput"),
)
