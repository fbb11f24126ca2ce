"""Counts that are kept, by what was run where; pinned histories and saved comparisons of a server.

`store/works.py` counts the runs that are there already, once all tables are those of its version.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Tests and kinds are asked of the far fewer works now.
    op.drop_index("ix_run_test", "run")
    _create_works()
    op.create_table(
        "pin",
        sa.Column("case_label", sa.Text, nullable=False),
        sa.Column("target_name", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pinned_ns", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("case_label", "target_name", "host", name="pk_pin"),
    )
    op.create_table(
        "comparison",
        sa.Column("id", sa.String(10), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("created_ns", sa.BigInteger, nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_comparison"),
    )
    op.create_index("ix_comparison_created_ns_id", "comparison", ["created_ns", "id"])


def _create_works() -> None:
    op.create_table(
        "place",
        sa.Column("key", sa.String(16), nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("facts", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_place"),
    )
    op.create_table(
        "work",
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("test", sa.Text, nullable=False),
        sa.Column("case_label", sa.Text, nullable=False),
        sa.Column("target_name", sa.Text, nullable=False),
        sa.Column("target_kind", sa.Text, nullable=False),
        sa.Column("plan_hash", sa.String(16), nullable=False),
        sa.Column("place_key", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_work"),
        sa.ForeignKeyConstraint(["place_key"], ["place.key"], name="fk_work_place_key"),
    )
    op.create_index("ix_work_case_label_target_name", "work", ["case_label", "target_name"])
    op.create_table(
        "session_work",
        sa.Column("session_id", sa.String(36), nullable=False),
        sa.Column("work_key", sa.String(32), nullable=False),
        sa.Column("runs", sa.Integer, nullable=False),
        sa.Column("valid", sa.Integer, nullable=False),
        sa.Column("first_ns", sa.BigInteger, nullable=False),
        sa.Column("last_ns", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "work_key", name="pk_session_work"),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name="fk_session_work_session_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["work_key"], ["work.key"], name="fk_session_work_work_key"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_session_work_history", "session_work", ["work_key", "last_ns", "runs"])
