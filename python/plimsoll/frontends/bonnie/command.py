"""`plimsoll bonnie`: Bonnie++'s own command line and output, Plimsoll's workload and store."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.frontends.calling import Say, StoreOpener

TITLE = "Run Bonnie++'s phases, and print its table and CSV line. Takes its options; the runs go to the store."
EXAMPLES = (
    "`plimsoll bonnie -d /mnt/a -n 16` · `plimsoll bonnie -d . -s 1g -r 512 -q | bon_csv2html` · docs/front-ends.md"
)
HELP_WORDS = ("-h",)
ALIASES = ("bonnie++",)
USAGE_PIECES = ("[OPTIONS]",)
WORDS = (
    ("-d DIR", "Where to test.  [default: this directory]"),
    (
        "-s SIZE[:CHUNK[:SEEKS:SEEKERS]]",
        "File size of the single-file tests: MiB, or with k, m, g; 0 for none.  [default: twice the memory]",
    ),
    (
        "-n FILES[:MAX[:MIN]]",
        "Number of files of the many-file tests, in units of 1024, and their sizes in bytes.  [default: 16]",
    ),
    ("-r SIZE", "Memory to assume in MiB, if less than the machine has."),
    ("-m NAME", "Name of the machine in the output."),
    ("-c COUNT", "Concurrency; goes into the output, as with the original."),
    ("-x COUNT", "Repeat the test this many times, with a line of CSV for each.  [default: 1]"),
    ("-f", "Skip the per-character tests."),
    ("-b", "fsync after each operation on a file."),
    ("-z SEED", "Seed of the random offsets."),
    ("-q", "Only the CSV on standard output, the table on standard error."),
    ("-u USER, -g GROUP", "Accepted, without effect: Plimsoll does not change its user."),
    ("-Z FILE", "Make the seed from this file."),
    ("-D", "Write the blocks with O_DIRECT."),
    ("-p COUNT", "Only create semaphores for this many processes; -1 removes them."),
    ("-y s", "Start each test together with the other processes counted by -p."),
    ("-y p", "Start each test when a line arrives on standard input; its number is printed first."),
)


def run(words: Sequence[str], open_store: StoreOpener, say: Say) -> int:
    """Carry them out; returns the exit code. Raises PlimsollError."""
    from plimsoll.frontends.bonnie import app

    return app.run(words, open_store, say)
