"""`plimsoll store …`: looks after the store itself. The commands are the files of `plimsoll.cli.store`."""

from __future__ import annotations

from plimsoll.cli.group import command_group

EXAMPLES = (
    "`plimsoll store check`, `plimsoll store rescue saved.plimsoll.gz`, `plimsoll store rescue new-store.db`. "
    "Which store: PLIMSOLL_STORE, else the usual one."
)

group = command_group("plimsoll.cli.store", "The store of results: check it, save what can be read.", EXAMPLES)
