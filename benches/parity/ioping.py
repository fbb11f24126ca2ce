"""ioping: each test beside ioping, and its command lines through `plimsoll ioping`."""

from benches.parity import Case
from benches.parity._commands import Line

OFTEN = ("think_time=5ms", "runtime=1500ms")
CASES = (
    Case("ioping", OFTEN, ("read_mean", "read_p50", "read_p99")),
    Case("ioping:direct", OFTEN, ("read_mean", "read_p50", "read_p99")),
    Case("ioping-write", OFTEN, ("commit_mean", "commit_p50", "commit_p99")),
    Line("ioping", ("-c", "300", "-i", "5ms")),
    Line("ioping", ("-R", "-w", "2s")),
)
