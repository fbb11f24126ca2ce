"""Checksums of runs and scores. Runs that are there already have none, and nobody can say what they were."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("checksum", sa.String(80)))
    op.add_column("score", sa.Column("checksum", sa.String(16)))
