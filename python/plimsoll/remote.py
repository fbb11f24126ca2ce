"""Files at s3://, gs://, az:// and file:// addresses: whole, or not at all.

An upload becomes visible when its last byte has arrived; one that was cut off leaves nothing (parts of a large one may
wait for the clean-up rule of the bucket). A download goes on where it was cut off as long as the object is the same,
and the file appears when size and, where the uploader was Plimsoll, SHA-256 are right. Credentials and end points come
from the environment, as for the provider's own tools (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, AWS_ALLOW_HTTP for a server
without TLS, GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_NAME, …), or from the machine's role.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib.util import find_spec
from io import BufferedRandom, BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from plimsoll.addresses import holds_password, shown
from plimsoll.drafts import scratch_folder, whole_file
from plimsoll.errors import ResultFileError, StoreError, UsageError
from plimsoll.patterns import matches

if TYPE_CHECKING:
    from obstore.store import ObjectStore

SCHEMES = ("s3", "gs", "az", "file")
DIGEST = "plimsollsha256"
"""Name under which the SHA-256 of an object is kept with it; Azure takes letters, digits and underscores only."""

_ATTEMPTS = 5
"""Attempts in a row that brought no byte before a download is given up."""
_CHUNK = 2**18
"""Bytes that a line must carry at a time; what arrives of less is fetched again after an interruption."""
_GLOB = re.compile(r"[*?\[]")
_TYPES = {".html": "text/html; charset=utf-8", ".md": "text/markdown; charset=utf-8", ".json": "application/json",
          ".svg": "image/svg+xml", ".png": "image/png", ".csv": "text/csv; charset=utf-8", ".toml": "application/toml",
          ".txt": "text/plain; charset=utf-8", ".gz": "application/gzip"}  # fmt: skip


def is_remote(name: str | Path) -> bool:
    """Whether a name is such an address."""
    scheme, mark, _ = str(name).partition("://")
    return bool(mark) and scheme in SCHEMES


@dataclass(frozen=True)
class _Object:
    """An address in parts: the bucket as an address of its own, and the key in it."""

    address: str
    bucket: str
    key: str

    def store(self) -> ObjectStore:
        from obstore.store import from_url

        with _explained(self.address):
            if self.bucket == "file://":
                return from_url("file:///")
            # Without a bound a wrong address is tried for minutes.
            retries: Any = {"max_retries": 4, "retry_timeout": timedelta(seconds=60)}
            return from_url(self.bucket, retry_config=retries)


def _parse(address: str | Path) -> _Object:
    text = str(address)
    if holds_password(text):
        raise UsageError(
            f"{shown(text)} holds credentials; leave them out: they come from the environment, such as "
            "AWS_SECRET_ACCESS_KEY"
        )
    if find_spec("obstore") is None:
        raise UsageError(f"{text} needs the library for object storage; install it with: pip install 'plimsoll[cloud]'")
    scheme, _, rest = text.partition("://")
    bucket, _, key = rest.partition("/")
    if scheme == "file":
        if bucket not in ("", "localhost"):
            raise UsageError(f"{text} names another machine; file addresses look like file:///folder/name")
        bucket = ""
    elif not bucket:
        raise UsageError(f"{text} names no bucket; addresses look like {scheme}://bucket/folder/name")
    if any(part == ".." for part in key.split("/")):
        raise UsageError(f"{text} leaves its folder; write the address without '..'")
    return _Object(text, f"{scheme}://{bucket}", key)


def expand(address: str) -> list[str]:
    """The objects that an address with `*`, `?` or `[…]` names, in order; any other address is itself.

    Raises UsageError if there is none.
    """
    place = _parse(address)
    if not _GLOB.search(place.key):
        return [address]
    import obstore

    fixed = _GLOB.split(place.key)[0].rpartition("/")[0]
    with _explained(address):
        found = [each["path"] for page in obstore.list(place.store(), prefix=fixed or None) for each in page]
    names = sorted(key for key in found if _fits(key, place.key))
    if not names:
        raise UsageError(f"there is no object {address}; check the name")
    return [f"{place.bucket}/{key}" for key in names]


def _fits(key: str, pattern: str) -> bool:
    """Like a shell: a star does not reach across folders."""
    parts, wanted = key.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


def exists(address: str) -> bool:
    """Whether there is an object at this address."""
    place = _parse(address)
    import obstore

    store = place.store()
    try:
        with _explained(address):
            obstore.head(store, place.key)
    except FileNotFoundError:
        return False
    return True


def upload(path: Path, address: str) -> None:
    """Send a file; an object of that name is replaced at once, or stays as it is if anything goes wrong."""
    place = _parse(address)
    import obstore

    if not place.key or place.key.endswith("/"):
        raise UsageError(f"{address} names a folder; add the name of the file")
    if place.bucket == "file://":
        _copy(path, Path("/") / place.key, address)
        return
    store = place.store()
    with path.open("rb") as file:
        kept = {"Content-Type": _type(path), DIGEST: _sha256(file)}
    try:
        with _explained(address):
            obstore.put(store, place.key, path, attributes=cast(Any, kept))
    except FileNotFoundError:
        raise StoreError(
            f"cannot use {address}: there is no bucket {place.bucket}; create it, or check its name"
        ) from None


def _copy(path: Path, to: Path, address: str) -> None:
    """The library would leave a draft behind if the process is killed."""
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        with path.open("rb") as file, whole_file(to) as copy:
            shutil.copyfileobj(file, copy)
    except OSError as error:
        raise StoreError(f"cannot use {address}: {error.strerror}; choose another place") from None


def _type(path: Path) -> str:
    return _TYPES.get(path.suffix, "application/octet-stream")


def download(address: str, path: Path) -> None:
    """Fetch an object into a new file, which appears when it is complete. Raises StoreError."""
    place = _parse(address)
    import obstore

    store = place.store()
    try:
        with _explained(address), whole_file(path) as file:
            attributes = _fetch(store, place, obstore.head(store, place.key), file)
            expected = cast(dict[str, str], attributes).get(DIGEST)
            if expected is not None and expected != _sha256(file):
                raise StoreError(f"{address} arrived damaged: its SHA-256 is not the one it was stored with; try again")
    except FileNotFoundError:
        raise StoreError(f"there is no object {address}; check the name") from None


def _fetch(store: ObjectStore, place: _Object, meta: Any, file: BufferedRandom) -> Any:
    """Write the object into `file`, going on after each interruption; returns its attributes."""
    import obstore
    from obstore.exceptions import NotFoundError, PermissionDeniedError, PreconditionError, UnauthenticatedError

    attributes: Any = {}
    failures = 0
    while file.tell() < meta["size"] or (meta["size"] == 0 and not attributes):
        before = file.tell()
        options: Any = {"range": (before, meta["size"])} if meta["size"] else {}
        if meta["e_tag"]:
            options["if_match"] = meta["e_tag"]
        try:
            got = obstore.get(store, place.key, options=options)
            attributes = {**got.attributes} or {"": ""}
            for chunk in got.stream(min_chunk_size=_CHUNK):
                file.write(chunk)
        except PreconditionError:
            raise StoreError(f"{place.address} was replaced while it was read; try again") from None
        except (NotFoundError, PermissionDeniedError, UnauthenticatedError, FileNotFoundError):
            raise
        except Exception:
            failures = 0 if file.tell() > before else failures + 1
            if failures >= _ATTEMPTS:
                raise
    return attributes


@contextmanager
def fetched(names: Sequence[str]) -> Iterator[list[tuple[str, Path]]]:
    """Names, wildcards expanded, with the paths where they can be read; addresses are fetched, and removed again."""
    with ExitStack() as stack:
        folder = stack.enter_context(scratch_folder()) if any(map(is_remote, names)) else Path()
        found: list[tuple[str, Path]] = []
        # Files of one folder stay together, because some formats are spread over several; equal names do not collide.
        folders: dict[str, Path] = {}
        for name in names:
            if not is_remote(name):
                found += [(each, Path(each)) for each in matches(name)]
                continue
            for address in expand(name):
                parent, _, last = address.rpartition("/")
                own = folders.setdefault(parent, folder / str(len(folders)))
                own.mkdir(exist_ok=True)
                download(address, own / (last or "object"))
                found.append((address, own / (last or "object")))
        try:
            yield found
        except ResultFileError as error:
            told = str(error)
            for name, path in found:
                told = told.replace(str(path), name)
            raise ResultFileError(told) from None


@contextmanager
def sent(name: str | Path) -> Iterator[Path]:
    """A path to write to; if `name` is an address, what was written is sent there when the block ends well."""
    if not is_remote(name):
        yield Path(name)
        return
    with scratch_folder() as folder:
        path = folder / (str(name).rpartition("/")[2] or "object")
        yield path
        upload(path, str(name))


def send_folder(folder: Path, address: str, last: str) -> None:
    """Send every file below `folder`, `last` at the end, so that whoever sees it sees the rest too."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    for name in sorted(names, key=lambda name: name == last):
        upload(folder / name, f"{address.rstrip('/')}/{name}")


def _sha256(file: BufferedReader | BufferedRandom) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _explained(address: str) -> Iterator[None]:
    """Errors of the library as one sentence; what is not there stays FileNotFoundError."""
    try:
        yield
    except (StoreError, UsageError):
        raise
    except Exception as error:
        if type(error).__name__ == "NotFoundError":
            raise FileNotFoundError(address) from None
        if isinstance(error, OSError) or not type(error).__module__.startswith(("obstore", "builtins")):
            raise
        reason = str(error).partition("\n")[0][:300] or type(error).__name__
        advice = "check address, credentials and end point in the environment"
        if _without_tls():
            advice += "; AWS_ALLOW_HTTP=true permits an end point without TLS"
        raise StoreError(f"cannot use {address}: {reason}; {advice}") from None


def _without_tls() -> bool:
    """Whether the end point is a server that is not talked to unless the user permits it."""
    plain = any(os.environ.get(name, "").startswith("http://") for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT"))
    return plain and os.environ.get("AWS_ALLOW_HTTP", "").lower() not in ("true", "1", "yes", "on", "t", "y")
