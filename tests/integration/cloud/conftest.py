from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import need
from tests.integration.cloud.s3_server import BUCKET, KEY, SECRET, serving
from tests.integration.run.conftest import disk, plimsoll

__all__ = ["disk", "plimsoll"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The end point of an S3 server."""
    try:
        import boto3  # noqa: F401
        import obstore  # noqa: F401
    except ImportError:
        need(False, "obstore, and moto with flask")
    with serving(tmp_path_factory.mktemp("s3")) as endpoint:
        yield endpoint


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """An address in it that no other test uses; the environment says how to get there."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    return f"s3://{BUCKET}/{tmp_path.name}"
