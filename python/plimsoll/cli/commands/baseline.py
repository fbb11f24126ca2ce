"""`plimsoll baseline …`: sessions that later ones are held against. The commands are the files of that folder."""

from __future__ import annotations

from plimsoll.cli.group import command_group

EXAMPLES = (
    "`plimsoll baseline set before-upgrade` names the last session, `plimsoll run --against before-upgrade` repeats "
    "it and compares, `plimsoll compare --baseline before-upgrade --fail-on worse` is a gate."
)

group = command_group(
    "plimsoll.cli.baseline", "Sessions with which later ones are compared: set, list, remove.", EXAMPLES
)
