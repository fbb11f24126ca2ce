"""The tables of a store, in types that SQLite and PostgreSQL share.

What is searched or compared has columns; what is only read back with its record is JSON text. Times are ns since 1970.
Every change here needs a new file in `migrations/versions` and a new HEAD; a test compares the two.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

HEAD = "0007"
"""Revision of these tables: a number with leading zeros, so that a newer store can be told from a foreign one."""

VERSION_TABLE = "plimsoll_version"

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _run_part(name: str, *columns: Column[Any]) -> Table:
    """A table of things that belong to a run and go with it; in SQLite their rows lie together by run."""
    owner = Column("run_id", String(36), ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    return Table(name, metadata, owner, *columns, sqlite_with_rowid=False)


def _position() -> Column[int]:
    """Place in the tuple of the record."""
    return Column("position", Integer, primary_key=True, autoincrement=False)


session = Table(
    "session",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("title", Text, nullable=False),
    Column("started_ns", BigInteger, nullable=False),
    Column("ended_ns", BigInteger),
    Column("state", String(16), nullable=False),
    Column("plimsoll_version", Text, nullable=False),
    Column("policy_version", Integer, nullable=False),
    Column("host", Text, nullable=False),
    Column("study", Text, nullable=False),
    Column("host_name", Text),
    # Between blanks, so that one word is found exactly.
    Column("tags", Text),
    Column("note", Text),
    Column("edited", Text),
    # When this store got it, by measuring, import or merge; no part of the record.
    Column("added_ns", BigInteger),
    Index(None, "started_ns", "id"),
    Index(None, "added_ns", "id"),
)

run = Table(
    "run",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("session_id", String(36), ForeignKey("session.id", ondelete="CASCADE"), nullable=False),
    Column("block", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("case_label", Text, nullable=False),
    Column("target_name", Text, nullable=False),
    Column("plan_hash", String(16), nullable=False),
    Column("started_ns", BigInteger, nullable=False),
    Column("ended_ns", BigInteger, nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("facts", Text, nullable=False),
    Column("test", Text),
    Column("target_kind", Text),
    Column("checksum", String(80)),
    Index(None, "session_id", "started_ns", "id"),
    # What lists and searches ask for, without touching the rows themselves: these hold whole plans and facts.
    Index("ix_run_place", "session_id", "test", "case_label", "target_name", "target_kind", "plan_hash", "status"),
    Index("ix_run_history", "case_label", "target_name", "plan_hash", "started_ns", "session_id"),
)

place = Table(
    "place",
    metadata,
    Column("key", String(16), primary_key=True),
    Column("host", Text, nullable=False),
    Column("facts", Text, nullable=False),
)
"""What identifies a place (`plimsoll.identity`), known by the SHA-256 of these facts; empty where nothing is known."""

work = Table(
    "work",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("test", Text, nullable=False),
    Column("case_label", Text, nullable=False),
    Column("target_name", Text, nullable=False),
    Column("target_kind", Text, nullable=False),
    Column("plan_hash", String(16), nullable=False),
    Column("place_key", String(16), ForeignKey("place.key"), nullable=False),
    Index(None, "case_label", "target_name"),
)
"""One plan of a case on a target at one place; every run belongs to one. Known by the SHA-256 of all that."""

session_work = Table(
    "session_work",
    metadata,
    Column("session_id", String(36), ForeignKey("session.id", ondelete="CASCADE"), primary_key=True),
    Column("work_key", String(32), ForeignKey("work.key"), primary_key=True),
    Column("runs", Integer, nullable=False),
    Column("valid", Integer, nullable=False),
    Column("first_ns", BigInteger, nullable=False),
    Column("last_ns", BigInteger, nullable=False),
    Index("ix_session_work_history", "work_key", "last_ns", "runs"),
    sqlite_with_rowid=False,
)
"""How many runs a session has of a work, and when the first and last of them began: counted when runs are stored."""

session_score = Table(
    "session_score",
    metadata,
    Column("work_key", String(32), ForeignKey("work.key"), primary_key=True),
    Column("metric", Text, primary_key=True),
    Column("session_id", String(36), ForeignKey("session.id", ondelete="CASCADE"), primary_key=True),
    Column("content", Text, nullable=False),
    Column("checksum", String(16), nullable=False),
    Index(None, "session_id"),
    sqlite_with_rowid=False,
)
"""Block, attempt and value of the scores of a session that count, as JSON, so that those of a history lie together."""

score = _run_part(
    "score",
    _position(),
    Column("metric", Text, nullable=False),
    Column("value", Double, nullable=False),
    Column("unit", String(8), nullable=False),
    Column("direction", String(8), nullable=False),
    Column("checksum", String(16)),
)

histogram = _run_part(
    "histogram", Column("kind", Text, primary_key=True), Column("encoded", LargeBinary, nullable=False)
)

series = _run_part("series", Column("intervals", LargeBinary, nullable=False))

finding = _run_part(
    "finding",
    _position(),
    Column("guard", Text, nullable=False),
    Column("level", String(16), nullable=False),
    Column("message", Text, nullable=False),
    Column("advice", Text, nullable=False),
    Column("measured", Text, nullable=False),
)

artefact = _run_part(
    "artefact",
    _position(),
    Column("name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("content", LargeBinary, nullable=False),
)

token = Table(
    "token",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("scope", String(16), nullable=False),
    Column("created_ns", BigInteger, nullable=False),
    Column("expires_ns", BigInteger),
    Column("revoked_ns", BigInteger),
    Column("used_ns", BigInteger),
)

upload = Table(
    "upload",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("received_ns", BigInteger, nullable=False),
    Column("token_id", String(16), nullable=False),
    Column("token_name", Text, nullable=False),
    Column("client", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("accepted", Boolean, nullable=False),
    Column("message", Text, nullable=False),
    Column("new_sessions", Integer, nullable=False),
    Column("new_runs", Integer, nullable=False),
    Column("already_there", Integer, nullable=False),
    Index(None, "received_ns", "id"),
    Index(None, "sha256", "token_id"),
)

answer = Table(
    "answer",
    metadata,
    Column("session_id", String(36), ForeignKey("session.id", ondelete="CASCADE"), primary_key=True),
    Column("made_of", Text, nullable=False),
    Column("content", Text, nullable=False),
)
"""What a session found, as JSON; it holds as long as what it is made of does (`store/kept_answers.py`)."""

pin = Table(
    "pin",
    metadata,
    Column("case_label", Text, primary_key=True),
    Column("target_name", Text, primary_key=True),
    Column("host", Text, primary_key=True),
    Column("pinned_ns", BigInteger, nullable=False),
)
"""Histories that the server shows first; an empty host means all of them."""

comparison = Table(
    "comparison",
    metadata,
    Column("id", String(10), primary_key=True),
    Column("title", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("created_ns", BigInteger, nullable=False),
    Column("created_by", Text, nullable=False),
    Index(None, "created_ns", "id"),
)
"""Saved comparisons: `query` is the canonical query string of the page `/compare`; no session need exist any more."""

upload_session = Table(
    "upload_session",
    metadata,
    Column("session_id", String(36), ForeignKey("session.id", ondelete="CASCADE"), primary_key=True),
    Column("upload_id", String(36), ForeignKey("upload.id"), nullable=False),
)
"""Which upload brought a session; sessions that were measured or imported here are not listed."""
