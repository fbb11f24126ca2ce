"""`plimsoll push`: results to a team's server."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Json
from plimsoll.patterns import matches

if TYPE_CHECKING:
    from plimsoll.web.push import Server

NEEDS_ARGUMENTS = True
TOKEN_VARIABLE = "PLIMSOLL_TOKEN"
EXAMPLES = (
    "`PLIMSOLL_TOKEN=… plimsoll push https://bench.example.org` sends the last session; `plimsoll push URL 3f9c "
    "old/*.plimsoll.gz fio.json` sends sessions and files. Run again, it continues where it stopped."
)


def command(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the server, or of a bucket.")],
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE|SESSION…]", help="Files, or sessions of the store. Default: the last session."),
    ] = None,
    target: Annotated[
        str, typer.Option("--as", metavar="NAME", help="Name of the target, for files of other tools.")
    ] = "",
    token_file: Annotated[
        Path | None, typer.Option("--token-file", metavar="FILE", help=f"Holds the token; default: {TOKEN_VARIABLE}.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Send the token without encryption to another machine.")
    ] = False,
    json: Json = False,
) -> None:
    """Send sessions and result files to a server. Sending them twice changes nothing."""
    from plimsoll.cli.output import print_json, say
    from plimsoll.errors import PlimsollError, ResultFileError
    from plimsoll.remote import is_remote

    if is_remote(url):
        _to_objects(url, what, json)
        return
    # Only the server needs the libraries of the web.
    from plimsoll.web.push import Server, check_address

    address = check_address(url, insecure=insecure)
    words = [each for word in what or [""] for each in matches(word)]
    rows: list[dict[str, Any]] = []
    with Server(address, _token(token_file)) as server:
        for word in words:
            try:
                rows.append(_send(server, word, target))
            except ResultFileError as error:
                rows.append({"sent": word, "failed": True, "message": str(error)})
            except PlimsollError as error:
                # The network or the token: the others would fail alike.
                raise error from None
    for row in rows:
        say(f"{row['sent']}: {row['message']}")
        for sentence in (*row.get("says", ()), *row.get("sessions", ())):
            say(f"  {sentence}")
    if json:
        print_json(rows)
    failed = [row["sent"] for row in rows if row["failed"]]
    if failed:
        raise ResultFileError(f"not sent: {', '.join(failed)}; the reasons are above")


def _to_objects(place: str, what: list[str] | None, json: bool) -> None:
    """Sessions and files into object storage, which needs no server and no token of ours."""
    from plimsoll.api.finding import find_sessions
    from plimsoll.cli.output import print_json, say
    from plimsoll.cli.session_copies import copy_session
    from plimsoll.remote import upload
    from plimsoll.store.opening import open_store

    words = [each for word in what or [] for each in matches(word)]
    files = [word for word in words if Path(word).is_file()]
    sessions = [word for word in words if word not in files]
    rows = [{"sent": name, "to": f"{place.rstrip('/')}/{Path(name).name}"} for name in files]
    for row in rows:
        upload(Path(row["sent"]), row["to"])
    if sessions or not files:
        with open_store() as store:
            chosen = find_sessions(store, sessions or None)
            rows += [{"sent": found.title, "to": copy_session(store, found, place)} for found in chosen]
    for row in rows:
        say(f"{row['sent']}: {row['to']}")
    if json:
        print_json(rows)


def _token(file: Path | None) -> str:
    from plimsoll.errors import UsageError

    if file is not None:
        try:
            return file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read the token from {file}: {error}") from None
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise UsageError(
            f"a server takes results only with a token: set {TOKEN_VARIABLE} or give --token-file; the server's owner "
            "makes one with `plimsoll token create NAME`"
        )
    return token


def _send(server: Server, word: str, target: str) -> dict[str, Any]:
    """One file, or one session as a result file. Equal sessions make equal files, so it is known if it comes again."""
    from plimsoll.api.finding import find_sessions
    from plimsoll.cli.transfer import transfer
    from plimsoll.drafts import scratch_folder
    from plimsoll.store import exchange
    from plimsoll.store.names import short_id
    from plimsoll.store.opening import open_store
    from plimsoll.store.result_file import SUFFIX

    if word and Path(word).is_file():
        with transfer(Path(word).name) as progress:
            sent = server.push(Path(word), Path(word).name, target, progress)
        return {"sent": word, "failed": False, **asdict(sent)}
    with open_store() as store, scratch_folder() as folder:
        found = find_sessions(store, [word] if word else None)[0]
        name = f"{short_id(found.id)}{SUFFIX}"
        exchange.export(store, [found.id], folder / name)
        with transfer(found.title) as progress:
            sent = server.push(folder / name, name, "", progress)
    return {"sent": f"{short_id(found.id)} ({found.title})", "failed": False, **asdict(sent)}
