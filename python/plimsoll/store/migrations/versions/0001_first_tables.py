"""The first tables: sessions, runs and what belongs to a run."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_session()
    _create_run()
    _create_run_part(
        "score",
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("metric", sa.Text, nullable=False),
        sa.Column("value", sa.Double, nullable=False),
        sa.Column("unit", sa.String(8), nullable=False),
        sa.Column("direction", sa.String(8), nullable=False),
        key="position",
    )
    _create_run_part(
        "histogram",
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("encoded", sa.LargeBinary, nullable=False),
        key="kind",
    )
    _create_run_part("series", sa.Column("intervals", sa.LargeBinary, nullable=False))
    _create_run_part(
        "finding",
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("guard", sa.Text, nullable=False),
        sa.Column("level", sa.String(16), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("advice", sa.Text, nullable=False),
        sa.Column("measured", sa.Text, nullable=False),
        key="position",
    )
    _create_run_part(
        "artefact",
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        key="position",
    )


def _create_session() -> None:
    op.create_table(
        "session",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("started_ns", sa.BigInteger, nullable=False),
        sa.Column("ended_ns", sa.BigInteger),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("plimsoll_version", sa.Text, nullable=False),
        sa.Column("policy_version", sa.Integer, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("study", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
    )
    op.create_index("ix_session_started_ns_id", "session", ["started_ns", "id"])


def _create_run() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("session_id", sa.String(36), nullable=False),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("case_label", sa.Text, nullable=False),
        sa.Column("target_name", sa.Text, nullable=False),
        sa.Column("plan_hash", sa.String(16), nullable=False),
        sa.Column("started_ns", sa.BigInteger, nullable=False),
        sa.Column("ended_ns", sa.BigInteger, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("facts", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name="fk_run_session_id", ondelete="CASCADE"),
    )
    op.create_index("ix_run_session_id_started_ns_id", "run", ["session_id", "started_ns", "id"])


def _create_run_part(name: str, *columns: sa.Column[Any], key: str | None = None) -> None:
    op.create_table(
        name,
        sa.Column("run_id", sa.String(36), nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("run_id", *([key] if key else []), name=f"pk_{name}"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=f"fk_{name}_run_id", ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
