"""`plimsoll session …`: keeps the store in order. The commands are the files of `plimsoll.cli.session`."""

from __future__ import annotations

from plimsoll.cli.group import command_group

EXAMPLES = (
    '`plimsoll session rename 3f9c "gp3 before the move"`, `plimsoll session tag 3f9c baseline`, '
    "`plimsoll session delete 3f9c`; `plimsoll list sessions tag:baseline` finds them."
)

group = command_group("plimsoll.cli.session", "Stored sessions: rename, tag, note, delete.", EXAMPLES)
