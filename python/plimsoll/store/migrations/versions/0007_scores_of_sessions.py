"""The scores of each session that count, kept for histories; when the store got each session.

`store/kept_scores.py` fills them from the runs that are there already, once all tables are those of its version.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "session_score",
        sa.Column("work_key", sa.String(32), nullable=False),
        sa.Column("metric", sa.Text, nullable=False),
        sa.Column("session_id", sa.String(36), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("checksum", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("work_key", "metric", "session_id", name="pk_session_score"),
        sa.ForeignKeyConstraint(["work_key"], ["work.key"], name="fk_session_score_work_key"),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name="fk_session_score_session_id", ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_session_score_session_id", "session_score", ["session_id"])
    op.add_column("session", sa.Column("added_ns", sa.BigInteger))
    # Nobody knows any more when it came, so it counts as measured here.
    op.execute("UPDATE session SET added_ns = started_ns")
    op.create_index("ix_session_added_ns_id", "session", ["added_ns", "id"])
