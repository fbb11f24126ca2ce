"""Alembic's entry: runs the migrations on the connection that `plimsoll.store.migrate` hands over."""

from __future__ import annotations

from alembic import context

from plimsoll.store.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    # SQLite changes a table by building a new one.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
