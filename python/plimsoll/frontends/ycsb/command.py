"""`plimsoll ycsb`: YCSB's own command line, property files and output, Plimsoll's drivers and store."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.frontends.calling import Say, StoreOpener

TITLE = "Load and run YCSB's workloads, and print what YCSB prints. Takes its options and properties."
EXAMPLES = (
    "`plimsoll ycsb load jdbc -P workloads/workloada -p db.url=jdbc:postgresql://host/ycsb -p db.user=me -threads 8` · "
    "`plimsoll ycsb run redis -P workloada -p redis.host=host -target 5000 -s` · docs/front-ends.md"
)
HELP_WORDS = ("--help",)
USAGE_PIECES = ("load|run", "BINDING", "[WORDS]...")
WORDS = (
    ("load", "Insert the records and measure that."),
    ("run", "Measure the workload on records that are there."),
    (
        "BINDING",
        "basic, memory, jdbc, redis, rocksdb; mysql, pg, sqlite with go-ycsb's properties; or an address such as "
        "postgresql://user@host/database.",
    ),
    ("-P FILE", "File of properties, or workloada … workloadf by name; the last one wins. Can be repeated."),
    ("-p NAME=VALUE", "One property, which wins over files; plimsoll.NAME=VALUE is a parameter of our tests."),
    ("-threads N", "Concurrent clients, each with its own connection.  [default: 1]"),
    ("-target N", "Operations per second of all clients together; by default as many as possible."),
    ("-s", "Status lines on standard error, every status.interval seconds (10)."),
    ("-l TEXT", "Label at the beginning of status lines."),
    ("-db CLASS", "Binding by the name of its Java class."),
    ("-load, -t", "load and run, as YCSB's Java client has them."),
    ("-cp, -jvm-args", "Accepted, without effect: there is no Java virtual machine."),
    ("--keep", "Use or add to what is in the table, whatever it is: as YCSB does, and the default of run."),
    ("--create", "Make the table; one that has records is refused: the default of load."),
    ("--reuse", "Run on a table that fits, load one where there is none, refuse any other."),
    ("--recreate", "Drop the table first; one that Plimsoll did not make only with --destroy."),
    ("--force", "Write over whatever has the name of exportfile, not only over an earlier output of this command."),
    ("--destroy NAME", "Allow this table to be dropped or loaded anew; a refusal says which name to type."),
)


def run(words: Sequence[str], open_store: StoreOpener, say: Say) -> int:
    """Carry them out; returns the exit code. Raises PlimsollError."""
    from plimsoll.frontends.ycsb import app

    return app.run(words, open_store, say)
