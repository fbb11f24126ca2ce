"""fio presets: the same command line through fio and through `plimsoll fio`."""

from benches.parity._commands import Line

LAID_OUT = ("--size=256m", "--filename=parity.data", "--randrepeat=1")
CASES = (
    Line("fio", ("--name=e5", *LAID_OUT, "--ioengine=libaio", "--direct=1", "--bs=4k", "--iodepth=64", "--rw=randrw",
                 "--rwmixread=75", "--time_based", "--runtime=4")),
    Line("fio", ("--name=randread1", *LAID_OUT, "--ioengine=psync", "--direct=1", "--bs=4k", "--rw=randread",
                 "--time_based", "--runtime=4")),
    Line("fio", ("--name=etcd", "--filename=parity.wal", "--size=22m", "--bs=2300", "--rw=write", "--ioengine=sync",
                 "--fdatasync=1", "--overwrite=1")),
    Line("fio", ("--name=ceph", *LAID_OUT, "--direct=1", "--sync=dsync", "--rw=write", "--bs=4k", "--time_based",
                 "--runtime=4")),
)  # fmt: skip
