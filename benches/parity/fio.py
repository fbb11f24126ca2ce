"""fio presets: each test beside fio with the same load, and a command line through fio and through `plimsoll fio`."""

from benches.parity import Case
from benches.parity._commands import Line

LAID_OUT = ("--size=256m", "--filename=parity.data", "--randrepeat=1")
SHORT = ("runtime=2s", "warmup=500ms", "size=256MiB")
CASES = (
    Case("randread", ("depth=1", *SHORT), ("iops", "read_p50", "read_p99"), work="iops"),
    Case("randread", ("depth=32", "engine=libaio", *SHORT), ("iops", "read_p50", "read_p99"), work="iops"),
    Case("wal-fdatasync", ("max_bytes=4MiB",), ("commit_rate", "sync_p50", "sync_p99")),
    Case("ceph-journal", ("runtime=2s", "size=64MiB"), ("iops", "write_p50", "write_p99"), work="iops"),
    Case("oracle-randread", ("runtime=2s", "size=256MiB"), ("iops", "read_p50", "read_p99"), work="iops"),
    Line("fio", ("--name=e5", *LAID_OUT, "--ioengine=libaio", "--direct=1", "--bs=4k", "--iodepth=64", "--rw=randrw",
                 "--rwmixread=75", "--time_based", "--runtime=2")),
)  # fmt: skip
