"""What a team's server needs: columns to search by, tokens, and who sent what."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Plain added columns: SQLite would have to build the tables anew for anything else, with all that hangs on them.
    op.add_column("session", sa.Column("host_name", sa.Text))
    op.add_column("run", sa.Column("test", sa.Text))
    op.add_column("run", sa.Column("target_kind", sa.Text))
    _fill()
    place = ["session_id", "test", "case_label", "target_name", "target_kind", "plan_hash", "status"]
    op.create_index("ix_run_place", "run", place)
    op.create_index("ix_run_history", "run", ["case_label", "target_name", "plan_hash", "started_ns", "session_id"])
    op.create_index("ix_run_test", "run", ["test", "target_kind"])
    _create_token()
    _create_upload()


def _fill() -> None:
    """The new columns from the records as they are kept."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    field = "json_extract({0}, '$.{1}')" if is_sqlite else "CAST({0} AS json) ->> '{1}'"
    named = f"COALESCE({field.format('host', 'hostname')}, {field.format('host', 'name')})"
    op.execute(f"UPDATE session SET host_name = {named}")
    op.execute(f"UPDATE run SET test = {field.format('plan', 'test')}, target_kind = {field.format('target', 'kind')}")


def _create_token() -> None:
    op.create_table(
        "token",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("created_ns", sa.BigInteger, nullable=False),
        sa.Column("expires_ns", sa.BigInteger),
        sa.Column("revoked_ns", sa.BigInteger),
        sa.Column("used_ns", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
    )


def _create_upload() -> None:
    op.create_table(
        "upload",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("received_ns", sa.BigInteger, nullable=False),
        sa.Column("token_id", sa.String(16), nullable=False),
        sa.Column("token_name", sa.Text, nullable=False),
        sa.Column("client", sa.Text, nullable=False),
        sa.Column("file_name", sa.Text, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("accepted", sa.Boolean, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("new_sessions", sa.Integer, nullable=False),
        sa.Column("new_runs", sa.Integer, nullable=False),
        sa.Column("already_there", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_upload"),
    )
    op.create_index("ix_upload_received_ns_id", "upload", ["received_ns", "id"])
    op.create_index("ix_upload_sha256_token_id", "upload", ["sha256", "token_id"])
    op.create_table(
        "upload_session",
        sa.Column("session_id", sa.String(36), nullable=False),
        sa.Column("upload_id", sa.String(36), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_upload_session"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_upload_session_session_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name="fk_upload_session_upload_id"),
    )
