"""Addresses without a server: file://, names that cannot be meant, a missing library."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll import remote
from plimsoll.errors import StoreError, UsageError


@pytest.mark.parametrize(
    ("name", "expected"),
    [("s3://b/k", True), ("gs://b/k", True), ("az://c/k", True), ("file:///k", True), ("k", False), ("/a/b", False),
     ("sqlite:///k.db", False), ("postgresql://h/d", False), ("https://h/k", False), ("", False)],
)  # fmt: skip
def test_what_is_an_address(name: str, expected: bool) -> None:
    assert remote.is_remote(name) is expected


def test_files_have_addresses_too(tmp_path: Path) -> None:
    (tmp_path / "here").write_bytes(b"x" * 5_000_000)
    address = f"file://{tmp_path}/there/ü b.bin"
    assert not remote.exists(address)
    with remote.sent(address) as path:
        path.write_bytes(b"first")
    remote.upload(tmp_path / "here", address)
    with remote.fetched([address, str(tmp_path / "here")]) as found:
        assert [path.read_bytes() for _, path in found] == [b"x" * 5_000_000] * 2
        assert found[1][1] == tmp_path / "here"
    assert remote.expand(f"file://{tmp_path}/*/*.bin") == [f"file://{tmp_path}/there/ü b.bin"]


def test_what_fails_is_not_sent(tmp_path: Path) -> None:
    address = f"file://{tmp_path}/there.bin"

    def fail() -> None:
        with remote.sent(address) as path:
            path.write_bytes(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not remote.exists(address)


def test_a_folder_is_sent_with_its_page_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("index.html", "a.json", "pictures/z.svg"):
        (tmp_path / "made" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "made" / name).write_text(name)
    order: list[str] = []
    monkeypatch.setattr(remote, "upload", lambda path, address: order.append(f"{path.name} {address}"))
    remote.send_folder(tmp_path / "made", "s3://b/page/", "index.html")
    assert order == [
        "a.json s3://b/page/a.json",
        "z.svg s3://b/page/pictures/z.svg",
        "index.html s3://b/page/index.html",
    ]


@pytest.mark.parametrize("address", ["s3://", "s3:///k", "file://elsewhere/k", "s3://b/../k", "gs://b/a/../../k"])
def test_addresses_that_cannot_be_meant(address: str) -> None:
    with pytest.raises(UsageError):
        remote.exists(address)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    with pytest.raises(UsageError, match="names a folder"):
        remote.upload(tmp_path / "x", "s3://bucket/folder/")
    with pytest.raises((StoreError, UsageError)):
        remote.download(f"file://{tmp_path}", tmp_path / "y")
    assert not (tmp_path / "y").exists()


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'plimsoll\[cloud\]'"):
        remote.exists("s3://bucket/key")


def test_every_provider_takes_the_name_of_the_digest() -> None:
    """Azure refuses an upload whose metadata are not named like a variable, and header names ignore case."""
    assert remote.DIGEST.isidentifier()
    assert remote.DIGEST.islower()
