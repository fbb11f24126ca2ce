"""`plimsoll data …`: what loads have left in databases. The commands are the files of `plimsoll.cli.data`."""

from __future__ import annotations

from plimsoll.cli.group import command_group

EXAMPLES = (
    "`plimsoll data list postgresql://me@host/ycsb,password_env=PGPASSWORD` · "
    "`plimsoll data drop postgresql://me@host/ycsb,password_env=PGPASSWORD` · "
    "`plimsoll data list sqlite:/data/y.db --json`"
)

group = command_group("plimsoll.cli.data", "Tables and records that Plimsoll left in databases: list, drop.", EXAMPLES)
