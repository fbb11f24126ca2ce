"""PostMark 1.51 (1.53 of Debian calls itself so)."""

from __future__ import annotations

from pathlib import Path

from plimsoll.declared import PostmarkParameters
from plimsoll.model import Run
from plimsoll.run.originals import phase
from plimsoll.run.outcome import Found

NAME = "postmark"
PROGRAM = "postmark"
PACKAGE = "postmark"
VERSIONS = ("1.5",)
ASK_VERSION = ()
FORMAT = "postmark"


def problem(values: PostmarkParameters) -> str | None:  # noqa: ARG001 (asked of every tool)
    """It has all the parameters."""
    return None


def command(values: PostmarkParameters, place: Path) -> list[str]:
    """Its settings go into a file of commands. It works where it is started: long names of folders make it crash."""
    lines = (
        f"set size {values['size_low']} {values['size_high']}",
        f"set number {values['files']}",
        f"set transactions {values['transactions']}",
        f"set seed {values['seed']}",
        f"set read {values['read_block']}",
        f"set write {values['write_block']}",
        f"set bias read {values['read_bias']}",
        f"set bias create {values['create_bias']}",
        "set report verbose",
        "show",
        "run",
        "quit",
    )
    (place / "settings").write_text("\n".join(lines) + "\n")
    return [PROGRAM, "settings"]


def outcome(run: Run, values: PostmarkParameters, elapsed_ns: int) -> Found:
    """Rates over whole seconds: that of the transactions is no more exact than they are."""
    found = {score.metric: score.value for score in run.scores}
    rate = values["transactions"] / max(1, run.facts["transaction_seconds"])
    phases = [
        phase("create", elapsed_ns, ("postmark", found.get("create_postmark"), "files/s", "higher")),
        phase(
            "transactions",
            elapsed_ns,
            ("postmark", found["transactions_postmark"], "transactions/s", "higher"),
            ("transactions_per_second", rate, "transactions/s", "higher"),
        ),
        phase("delete", elapsed_ns, ("postmark", found.get("delete_postmark"), "files/s", "higher")),
    ]
    return {"results": phases}
