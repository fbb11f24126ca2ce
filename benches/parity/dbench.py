"""dbench with 1, 12 and 48 clients: throughput."""

from benches.parity import Case

SHORT = ("runtime=5s", "warmup=1s")
CASES = tuple(
    Case("dbench", (f"threads={clients}", *SHORT), ("throughput",), blocks=3, work="throughput", fresh=True)
    for clients in (1, 12, 48)
)
