"""`plimsoll cloud …`: what is rented from providers. The commands are the files of `plimsoll.cli.cloud`."""

from __future__ import annotations

from plimsoll.cli.group import command_group

EXAMPLES = (
    "`plimsoll cloud list` (what is rented now), `plimsoll cloud sweep` (end what is left over), "
    "`plimsoll cloud policy > policy.json`, `plimsoll cloud selftest --instance t3.small --budget 1USD`."
)

group = command_group(
    "plimsoll.cli.cloud",
    "What is rented for targets such as aws:gp3,size=500GiB.",
    EXAMPLES,
)
