"""dbench with 1, 12 and 48 clients: throughput."""

from benches.parity import Case

CASES = tuple(
    Case("dbench", (f"threads={clients}", "runtime=5s", "warmup=1s"), ("throughput",), blocks=3, work="throughput")
    for clients in (1, 12, 48)
)
