"""`plimsoll.load`: a session from the store, from a file, or from an address."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from plimsoll.addresses import shown
from plimsoll.api import faults
from plimsoll.api.arguments import checked
from plimsoll.api.finding import find_sessions, place_of
from plimsoll.api.sessions import Session
from plimsoll.drafts import scratch_folder, whole_file
from plimsoll.errors import ResultFileError, StoreError, UsageError
from plimsoll.model import Run
from plimsoll.model import Session as SessionRecord
from plimsoll.notices import tell
from plimsoll.remote import fetched, is_remote
from plimsoll.store import names
from plimsoll.store.opening import open_store
from plimsoll.store.records import told
from plimsoll.store.result_file import is_result_file, read_results
from plimsoll.store.store import Store
from plimsoll.units import GIB, format_size

WEB = ("http", "https")
MOST_BYTES = 4 * GIB
"""Of what is fetched from the web."""
TIMEOUT_S = 60.0


@checked()
def load(
    name: str | Path | None = None,
    *,
    session: str | None = None,
    target: str | None = None,
    format: str | None = None,
    store: str | Path | None = None,
) -> Session:
    """One session with its runs: by short id or title from the store, by file or address without touching the store.

    Without a name it is the last session. A file or address (http, https, s3, gs, az, file) is a result file, of which
    `session` picks one by id or title, or a file of another tool, whose target `target` names and whose `format` is
    seen from its content unless it is said. Text that names an existing file is that file. Raises UnknownName,
    ResultFileError, StoreError and UsageError.
    """
    with faults.told():
        if name is None or not _is_place(name):
            if session or target or format:
                raise UsageError("session, target and format are for files; the store knows what a session is")
            return _stored(None if name is None else str(name), store)
        with _at_hand(str(name)) as path:
            if format is None and is_result_file(path):
                return _picked(path, session, str(name))
            return _foreign(path, str(name), target, format)


def session_from(store: Store, record: SessionRecord) -> Session:
    """A session of the store with its runs."""
    return Session(record, tuple(store.runs([record.id])))


def _is_place(name: str | Path) -> bool:
    return isinstance(name, Path) or is_remote(name) or urlsplit(name).scheme in WEB or Path(name).is_file()


def _stored(name: str | None, place: str | Path | None) -> Session:
    with open_store(place_of(place)) as store:
        (record,) = find_sessions(store, None if name is None else [name])
        return session_from(store, record)


@contextmanager
def _at_hand(name: str) -> Iterator[Path]:
    """Where it can be read; what was fetched is removed again."""
    if urlsplit(name).scheme in WEB:
        with scratch_folder() as folder:
            yield _fetched_from_web(name, folder)
    elif is_remote(name):
        with fetched([name]) as found:
            if len(found) > 1:
                raise UsageError(f"{name} names {len(found)} files; load one, or import them: plimsoll.import_files")
            yield found[0][1]
    else:
        yield Path(name)


def _fetched_from_web(address: str, folder: Path) -> Path:
    """A file of the web, which appears when it is complete. Raises StoreError."""
    import httpx

    path = folder / (urlsplit(address).path.rpartition("/")[2] or "results")
    try:
        with (
            httpx.stream("GET", address, timeout=TIMEOUT_S, follow_redirects=True) as answer,
            whole_file(path) as file,
        ):
            if not answer.is_success:
                raise StoreError(f"{shown(address)} answers {answer.status_code}; check the address")
            for part in answer.iter_bytes():
                if file.tell() + len(part) > MOST_BYTES:
                    raise ResultFileError(f"{shown(address)} is larger than {format_size(MOST_BYTES)}; fetch it first")
                file.write(part)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise StoreError(f"cannot fetch {shown(address)}: {error}; check the address and the network") from None
    return path


def _picked(path: Path, wanted: str | None, name: str) -> Session:
    """The one session of a result file, or the one that is wanted."""
    records = list(read_results(path))
    sessions = [each for each in records if isinstance(each, SessionRecord)]
    if wanted is not None:
        chosen = names.find(wanted, [names.Named(each.id, each.title) for each in sessions])
        sessions = [each for each in sessions if each.id == chosen]
    if len(sessions) != 1:
        listed = ", ".join(f"{names.short_id(each.id)} ({each.title!r})" for each in sessions[:10])
        raise UsageError(f"{name} holds {len(sessions)} sessions; say which with session=: {listed or 'none'}")
    own = (each for each in records if isinstance(each, Run) and each.session_id == sessions[0].id)
    return Session(sessions[0], _in_order(own))


def _in_order(runs: Iterator[Run]) -> tuple[Run, ...]:
    """As the store gives them, with what their checksums say."""
    return tuple(map(told, sorted(runs, key=lambda run: (run.started_ns, run.order, run.id))))


def _foreign(path: Path, name: str, target: str | None, format: str | None) -> Session:
    """What another tool wrote."""
    from plimsoll.importers.joining import join, joined_title, may_join
    from plimsoll.importers.reading import Outcome, read_files
    from plimsoll.importers.source import Options

    found: Sequence[Outcome] = list(read_files([path], Options(target=target), format_name=format))
    for each in found:
        if each.error is not None:
            raise each.error
    parts = [each.imported for each in found if each.imported is not None]
    if not parts:
        raise ResultFileError(f"{name}: {found[0].skipped if found else 'there is nothing in it'}")
    for each in found:
        for sentence in each.imported.warnings if each.imported else ():
            tell(f"{name}: {sentence}")
    if len(parts) > 1 and not may_join(parts):
        raise UsageError(f"{name} holds more runs than a session may have; import them: plimsoll.import_files")
    one = join(parts, joined_title([each.place for each in found])) if len(parts) > 1 else parts[0]
    return Session(one.session, one.runs)
