"""What sessions found, kept in the store: judging fifty of them anew takes longer than a page may.

An answer is kept with what it was made of. The sum of all scores is part of that, so that one that was changed behind
the store's back is judged anew, without a look at each checksum.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import delete, func, insert, select

from plimsoll import __version__
from plimsoll.errors import StoreError
from plimsoll.model import SessionState
from plimsoll.store.connection import reading, writing
from plimsoll.store.schema import answer, run, score
from plimsoll.store.search import Line
from plimsoll.store.store import Store

WAIT_MS = 200
"""Nobody's page waits longer for another writer than this; the answer is then kept another time."""


def made_of(store: Store, lines: Sequence[Line]) -> dict[str, str]:
    """What the answers of these sessions are made of now, by session; of running ones nothing is kept."""
    ids = [line.id for line in lines if line.state != SessionState.RUNNING]
    sums = (
        select(run.c.session_id, func.count(), func.sum(score.c.value))
        .join_from(run, score, score.c.run_id == run.c.id)
        .where(run.c.session_id.in_(ids))
        .group_by(run.c.session_id)
    )
    with reading(store.engine) as connection:
        found = {of: (count, repr(total)) for of, count, total in connection.execute(sums)}
    return {
        line.id: " ".join(map(str, (__version__, line.state, line.ended_ns, line.runs, line.valid, *found[line.id])))
        for line in lines
        if line.id in found
    }


def load(store: Store, wanted: Mapping[str, str]) -> dict[str, Any]:
    """The answers that are kept and still hold, by session; `wanted` says what each is made of."""
    statement = select(answer.c.session_id, answer.c.made_of, answer.c.content)
    with reading(store.engine) as connection:
        rows = connection.execute(statement.where(answer.c.session_id.in_(list(wanted)))).all()
    found = {}
    for of, made, content in rows:
        if made == wanted[of]:
            # What cannot be read is made anew.
            with suppress(ValueError):
                found[of] = json.loads(content)
    return found


def keep(store: Store, answers: Mapping[str, tuple[str, Any]]) -> None:
    """Keep answers with what they are made of, by session; not where the store cannot be written now."""
    rows = [
        {"session_id": of, "made_of": made, "content": json.dumps(content)} for of, (made, content) in answers.items()
    ]
    if not rows:
        return
    with suppress(StoreError), writing(store.impatient(WAIT_MS).engine) as connection:
        connection.execute(delete(answer).where(answer.c.session_id.in_(list(answers))))
        connection.execute(insert(answer), rows)
