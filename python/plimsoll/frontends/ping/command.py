"""`plimsoll ping`: ioping's own command line, its output, Plimsoll's engine and store."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.frontends.calling import Say, StoreOpener

TITLE = "Measure the latency of single requests, as ioping does. Takes its options; the run goes to the store."
EXAMPLES = (
    "`plimsoll ping -c 30 .` · `plimsoll ping -R --percentiles /mnt/a` · `plimsoll ping -D -W .` · docs/front-ends.md"
)
HELP_WORDS = ("-h",)
ALIASES = ("ioping",)
USAGE_PIECES = ("[OPTIONS]", "DIRECTORY|FILE|DEVICE")
WORDS = (
    ("-c, -count COUNT", "Stop after this many requests."),
    ("-w, -work-time TIME", "Stop after this time."),
    ("-i, -interval TIME", "Time between the starts of requests.  [default: 1s]"),
    ("-s, -size SIZE", "Size of a request.  [default: 4k]"),
    (
        "-S, -work-size SIZE",
        "Size of the part of the file or device that is used.  [default: 1m in a directory, all of a file]",
    ),
    ("-o, -work-offset SIZE", "Offset at which that part begins.  [default: 0]"),
    ("-a, -warmup COUNT", "Initial requests that are not counted.  [default: 1]"),
    ("-b, -burst COUNT", "Requests per burst, without a pause between them."),
    ("-l, -speed-limit SIZE", "Bytes per second at most."),
    ("-r, -rate-limit COUNT", "Requests per second at most."),
    ("-t, -min-time TIME", "Shorter requests are not counted."),
    ("-T, -max-time TIME", "Longer requests are not counted."),
    ("-e, -entropy SEED", "Seed of the random offsets."),
    ("-R, -rapid", "As fast as possible for 3 s: -q -i 0 -w 3."),
    ("-L, -linear", "Sequential offsets, 256k each, instead of random ones."),
    ("-W, -write", "Write instead of reading; three times to overwrite a file or device."),
    ("-G, -read-write", "Read and write in turn."),
    ("-D, -direct", "O_DIRECT."),
    ("-C, -cached", "Leave the page cache as it is."),
    ("-A, -async", "Asynchronous I/O."),
    ("-Y, -sync", "O_SYNC."),
    ("-y, -dsync", "O_DSYNC."),
    ("-k, -keep", "Keep and use again the file ioping.tmp."),
    ("-q, -quiet", "No line per request."),
    ("-p, -print-count COUNT", "Print statistics after this many requests."),
    ("-P, -print-interval TIME", "Print statistics at this interval."),
    ("-B, -batch", "Statistics as plain numbers."),
    ("-J, -json", "Everything as JSON."),
    ("-I, -time", "The time with every request."),
    ("-N, -nowait", "RWF_NOWAIT: with -C or -D; a request that would have to wait ends the run."),
    ("-H, -hipri", "RWF_HIPRI: poll, where the device can be polled."),
    ("-v, -version", "Print the version."),
    ("--percentiles", "Percentiles after the statistics; Plimsoll's own option."),
    ("--destroy SERIAL", "Allow this device or file to be overwritten, instead of -WWW; Plimsoll's own option."),
)


def run(words: Sequence[str], open_store: StoreOpener, say: Say) -> int:
    """Carry them out; returns the exit code. Raises PlimsollError."""
    from plimsoll.frontends.ping import app

    return app.run(words, open_store, say)
