"""What users say of a session later: tags, a note, and when they changed what."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("tags", "note", "edited"):
        op.add_column("session", sa.Column(name, sa.Text))
