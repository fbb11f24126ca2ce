"""Results through object storage: whole or not at all, in any order one store."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.factories import make_study
from tests.integration.cloud.s3_server import breaking
from tests.integration.run.conftest import SHORT, Command
from tests.integration.web.conftest import Site, running

from plimsoll import remote
from plimsoll.errors import ResultFileError, StoreError, UsageError
from plimsoll.store import exchange
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store
from plimsoll.store.union import add_records
from plimsoll.web.push import Server

MIB = 2**20


def filled(path: Path, seed: int) -> Path:
    """A store with one session of its own and one that all have."""
    with open_store(str(path)) as store:
        for made in (make_study(seed=seed, title=f"machine {seed}"), make_study(seed=0, title="common")):
            add_records(store, [made[0], *made[1]], "test")
    return path


def content(store: Store, path: Path) -> bytes:
    """A store as one file: equal for equal stores."""
    exchange.export(store, [session.id for session in store.sessions()], path)
    return path.read_bytes()


def random_file(path: Path, size: int) -> Path:
    path.write_bytes(random.Random(size).randbytes(size))
    return path


@pytest.mark.parametrize("size", [0, 1, 5 * MIB, 12 * MIB + 1])
def test_what_is_sent_comes_back(bucket: str, tmp_path: Path, size: int) -> None:
    sent = random_file(tmp_path / "sent.bin", size)
    remote.upload(sent, f"{bucket}/a b/ü.bin")
    remote.download(f"{bucket}/a b/ü.bin", tmp_path / "back.bin")
    assert (tmp_path / "back.bin").read_bytes() == sent.read_bytes()
    assert remote.expand(f"{bucket}/*/?.bin") == [f"{bucket}/a b/ü.bin"]


def test_files_of_one_folder_stay_together(bucket: str, tmp_path: Path) -> None:
    """Two machines may have files of one name, and a fio log is spread over several files."""
    for name in ("a/x.log", "a/y.log", "b/x.log"):
        remote.upload(random_file(tmp_path / "sent", len(name) + ord(name[0])), f"{bucket}/{name}")
    with remote.fetched([f"{bucket}/?/*.log", str(tmp_path / "sent")]) as found:
        assert [name for name, _ in found] == [f"{bucket}/{name}" for name in ("a/x.log", "a/y.log", "b/x.log")] + [
            str(tmp_path / "sent")
        ]
        (ax, ay, bx, here) = [path for _, path in found]
        assert (ax.parent == ay.parent, ax.parent == bx.parent, here) == (True, False, tmp_path / "sent")
        assert ax.stat().st_size != bx.stat().st_size
    assert not ax.exists()


def test_names_that_are_not_there(bucket: str, tmp_path: Path) -> None:
    assert not remote.exists(f"{bucket}/nothing")
    with pytest.raises(StoreError, match="there is no object"):
        remote.download(f"{bucket}/nothing", tmp_path / "x")
    with pytest.raises(UsageError, match="there is no object"):
        remote.expand(f"{bucket}/*.gz")
    with pytest.raises(StoreError, match="there is no bucket"):
        remote.upload(random_file(tmp_path / "x", 10), "s3://no-such-bucket/x")
    for wrong in ("s3://", "s3:///key", "file://elsewhere/x", f"{bucket}/../x"):
        with pytest.raises(UsageError):
            remote.exists(wrong)


def test_wrong_keys_are_explained(bucket: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    with pytest.raises(StoreError, match=r"check address, credentials and end point in the environment$"):
        remote.upload(random_file(tmp_path / "x", 10), f"{bucket}/x")
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    with pytest.raises(StoreError, match="AWS_ALLOW_HTTP=true permits"):
        remote.upload(tmp_path / "x", f"{bucket}/x")


def test_a_download_goes_on_after_every_cut(
    server: str, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = random_file(tmp_path / "sent.bin", 24 * MIB)
    remote.upload(sent, f"{bucket}/large.bin")
    with breaking(server, allowed=6 * MIB, cuts=3) as line:
        monkeypatch.setenv("AWS_ENDPOINT_URL", line.endpoint)
        remote.download(f"{bucket}/large.bin", tmp_path / "back.bin")
        assert line.answers == 3, "the line was cut"
    assert (tmp_path / "back.bin").read_bytes() == sent.read_bytes()


def test_a_download_that_cannot_end_leaves_nothing(
    server: str, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.upload(random_file(tmp_path / "sent.bin", 8 * MIB), f"{bucket}/large.bin")
    folder = tmp_path / "here"
    folder.mkdir()
    with breaking(server, allowed=2000, cuts=10**6) as line:
        monkeypatch.setenv("AWS_ENDPOINT_URL", line.endpoint)
        with pytest.raises(StoreError):
            remote.download(f"{bucket}/large.bin", folder / "back.bin")
    assert list(folder.iterdir()) == []


def test_an_upload_that_is_killed_leaves_the_old_object(bucket: str, tmp_path: Path) -> None:
    old = random_file(tmp_path / "old.bin", 100)
    remote.upload(old, f"{bucket}/x.bin")
    random_file(tmp_path / "new.bin", 64 * MIB)
    code = (
        f"from pathlib import Path; from plimsoll import remote; print('go', flush=True)\n"
        f"remote.upload(Path({str(tmp_path / 'new.bin')!r}), {f'{bucket}/x.bin'!r})"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=os.environ.copy())
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.15)
    process.kill()
    process.wait()
    process.stdout.close()
    remote.download(f"{bucket}/x.bin", tmp_path / "back.bin")
    assert (tmp_path / "back.bin").stat().st_size in (100, 64 * MIB), "the old one or the new one, never a part"
    if (tmp_path / "back.bin").stat().st_size == 100:
        assert (tmp_path / "back.bin").read_bytes() == old.read_bytes()


def test_half_a_result_file_is_never_read(bucket: str, tmp_path: Path) -> None:
    """Somebody else's tool may have left a half object: the file itself tells that it is not whole."""
    filled(tmp_path / "one.db", 1)
    with open_store(str(tmp_path / "one.db")) as store:
        whole = content(store, tmp_path / "whole.plimsoll.gz")
    half = tmp_path / "half.plimsoll.gz"
    half.write_bytes(whole[: len(whole) // 2])
    remote.upload(half, f"{bucket}/half.plimsoll.gz")
    with (
        open_store() as store,
        pytest.raises(ResultFileError, match=f"{bucket}/half.plimsoll.gz"),
        remote.fetched([f"{bucket}/half.plimsoll.gz"]) as [(_, path)],
    ):
        exchange.merge(store, [path])
    with open_store() as store:
        assert store.sessions() == []


@pytest.mark.parametrize("order", random.Random(5).sample(list(itertools.permutations(range(5))), 3))
def test_five_stores_become_one_in_any_order(bucket: str, tmp_path: Path, order: tuple[int, ...]) -> None:
    """Through S3, files, stores and uploads: the same store, whatever came first and twice."""
    for number in range(5):
        with open_store(str(filled(tmp_path / f"{number}.db", number + 1))) as store:
            content(store, tmp_path / f"{number}.plimsoll.gz")
        remote.upload(tmp_path / f"{number}.plimsoll.gz", f"{bucket}/{number}.plimsoll.gz")
    with open_store(str(tmp_path / "all.db")) as store, running(store, tmp_path / "uploads") as site:
        for number in (*order, order[0]):
            file = tmp_path / f"{number}.plimsoll.gz"
            arrive(store, site, (f"{bucket}/{file.name}", file, tmp_path / f"{number}.db", None)[number % 4], file)
        mixed = content(store, tmp_path / "mixed.plimsoll.gz")
    with open_store(str(tmp_path / "straight.db")) as store:
        exchange.merge(store, [tmp_path / f"{number}.plimsoll.gz" for number in range(5)])
        assert content(store, tmp_path / "straight.plimsoll.gz") == mixed
        assert len(store.sessions()) == 6


def arrive(store: Store, site: Site, source: str | Path | None, file: Path) -> None:
    """Bring one machine's results into `store`; without a source, upload its file to the server over that store."""
    if source is None:
        with Server(site.address, site.token()) as server:
            server.push(file, file.name)
        return
    with remote.fetched([str(source)]) as [(_, path)]:
        exchange.merge(store, [path])


def test_commands_take_addresses(bucket: str, plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    words = (
        "run",
        "randread",
        "--on",
        f"a={disk}",
        "--on",
        f"b={disk},depth=1",
        *SHORT,
        "--blocks",
        "3",
        "--noisy-host",
    )
    plimsoll(*words, "--store-copy", f"{bucket}/copies", "--output", f"{bucket}/report.html")
    plimsoll("export", "--all", "--output", f"{bucket}/all.plimsoll.gz")
    assert "already exists" in plimsoll("export", "--output", f"{bucket}/all.plimsoll.gz", check=2).err
    plimsoll("report", "--publish", f"{bucket}/page")
    other = {"PLIMSOLL_HOME": str(tmp_path / "other")}
    assert "1 new session" in plimsoll("import", f"{bucket}/copies/*.plimsoll.gz", **other).err
    assert "0 new sessions" in plimsoll("merge", f"{bucket}/all.plimsoll.gz", **other).err
    assert f"{bucket}/pushed/" in plimsoll("push", f"{bucket}/pushed").err
    told = plimsoll("recompute", f"{bucket}/page/").err
    assert "index.html: regenerated, equal byte for byte" in told
    remote.download(f"{bucket}/report.html", tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().rstrip().endswith("</html>")
