"""A store of the first version comes along with everything in it."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from sqlalchemy import insert
from tests.factories import make_study

from plimsoll.altered import has_no_checksum
from plimsoll.store import search, tokens
from plimsoll.store.connection import connect, parse_location, writing
from plimsoll.store.migrate import SCRIPTS
from plimsoll.store.opening import open_store
from plimsoll.store.records import _run_row, as_stored, session_row
from plimsoll.store.schema import run, session

NEW_COLUMNS = ("host_name", "test", "target_kind", "tags", "note", "edited")


def test_what_is_searched_by_is_filled_from_the_records(store_url: str) -> None:
    made, runs = make_study(blocks=1, host={"hostname": "bench-7", "kernel": "6.1"})
    engine = connect(parse_location(store_url))
    with writing(engine) as connection:
        config = Config()
        config.set_main_option("script_location", str(SCRIPTS))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        old = {name: value for name, value in session_row(made).items() if name not in NEW_COLUMNS}
        connection.execute(insert(session), [old])
        rows = [_run_row(each, as_stored(each)) for each in runs]
        connection.execute(insert(run), [{k: v for k, v in row.items() if k not in NEW_COLUMNS} for row in rows])
    engine.dispose()
    with open_store(store_url) as store:
        assert store.sessions() == [made]
        assert [each.id for each in store.runs([made.id])] == [each.id for each in runs]
        assert all(has_no_checksum(each) for each in store.runs([made.id]))
        (line,) = search.find_lines(store, search.Query(test="randread", kind="directory", host="bench-7"))
        assert (line.host, line.tests, line.runs) == ("bench-7", ("randread",), len(runs))
        assert tokens.listed(store) == []
