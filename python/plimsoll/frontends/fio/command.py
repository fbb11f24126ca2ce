"""`plimsoll fio`: fio's own command line, its output, Plimsoll's engine and store."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.frontends.calling import Say, StoreOpener

TITLE = "Run fio job files and options, and print what fio prints. The runs go to the store."
EXAMPLES = (
    "`plimsoll fio --name=test --filename=test --size=1g --rw=randread --bs=4k --iodepth=32 --direct=1` · "
    "`plimsoll fio jobs.fio --output-format=json --output=result.json` · docs/front-ends.md"
)
HELP_WORDS = ("-h",)
USAGE_PIECES = ("[OPTIONS]", "[--JOBOPTION=VALUE]...", "[JOBFILE]...")
WORDS = (
    ("JOBFILE", "fio's job files, one after the other; - for standard input."),
    ("--name=NAME", "Begin a job on the command line; job options follow."),
    (
        "--JOBOPTION=VALUE",
        "Any option of a job that docs/front-ends.md lists; others are errors that name the nearest.",
    ),
    ("--section=NAME", "Only this section of the job files; can be repeated."),
    ("--output=FILE", "Write the output there; over an earlier output of this command, never over another file."),
    ("--force", "Overwrite any file named by --output; Plimsoll's own option."),
    ("--output-format=FORMATS", "normal, json, json+, terse; several with commas.  [default: normal]"),
    ("--minimal, --append-terse", "terse, alone or after the rest."),
    ("--terse-version=N", "3, 4 or 5.  [default: 3]"),
    ("--eta=WHEN", "always, never or auto: on a terminal.  [default: auto]"),
    ("--eta-interval=TIME", "How often the line of the ETA changes.  [default: 1s]"),
    ("--eta-newline=TIME", "How often the ETA starts a new line."),
    ("--status-interval=TIME", "Print all results so far at this interval."),
    ("--bandwidth-log", "Bandwidth of all jobs together in agg-read_bw.log and its like."),
    ("--debug=KINDS", "Accepted; prints messages of parse about steady state, and of random with each job's seed."),
    ("--inflate-log=FILE", "Print a log that log_store_compressed left."),
    ("--verbose", "Notes on options without effect; Plimsoll's own option, also PLIMSOLL_VERBOSE=1."),
    ("--readonly", "Refuse every job that writes."),
    ("--parse-only", "Read everything and run nothing."),
    ("--showcmd", "The job files as one command line."),
    ("--enghelp[=ENGINE]", "The engines, or the options of one."),
    ("--max-jobs=N", "Refuse more jobs than this."),
    ("--warnings-fatal", "Every note of Plimsoll ends it."),
    ("--aux-path=DIR, --alloc-size=KIB", "Accepted, without effect: there are no state files and no memory pool."),
    ("--destroy=SERIAL", "Allow this block device to be overwritten; Plimsoll's own option."),
    ("-v, --version", "The version whose formats are printed."),
)


def run(words: Sequence[str], open_store: StoreOpener, say: Say) -> int:
    """Carry them out; returns the exit code. Raises PlimsollError."""
    from plimsoll.frontends.fio import app

    return app.run(words, open_store, say)
