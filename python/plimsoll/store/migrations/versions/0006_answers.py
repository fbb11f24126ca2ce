"""What sessions found, kept as it was computed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "answer",
        sa.Column("session_id", sa.String(36), nullable=False),
        sa.Column("made_of", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_answer"),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name="fk_answer_session_id", ondelete="CASCADE"),
    )
