"""Emulated targets as targets to rent: `--provider aws` turns `vol:type=gp2,…` into `aws:gp2,…`.

A function from targets to targets. What can no longer be rented is replaced by its successor, what only a model has is
left out, and a sentence says each. Volumes become volumes; where the tests start a database server on them, a managed
database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from plimsoll.catalog.options import SHAPE_OPTIONS
from plimsoll.catalog.provider import providers
from plimsoll.catalog.shape import options_from
from plimsoll.catalog.successors import Successor, successors
from plimsoll.catalog.targets import SCHEME, is_emulated
from plimsoll.catalog.volume_type import volume_type
from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import Target
from plimsoll.profile import Entry
from plimsoll.run.study import Study
from plimsoll.targets.parse import parse_target
from plimsoll.targets.rented import BOUGHT, RENTED_OPTIONS
from plimsoll.targets.volume import FILE_SYSTEM, TARGET_OPTIONS

SERVER = "server"
ENGINES: Mapping[str, str] = {"mariadb": "mariadb", "mysql": "mysql", "postgresql": "postgres"}
"""Managed databases by the server that a test starts."""


@dataclass(frozen=True)
class ToRent:
    """Targets as they are written, and what was changed."""

    written: tuple[str, ...]
    """`NAME=WHERE`, without options for tests."""
    notices: tuple[str, ...]


def rented_study(study: Study, provider: str) -> tuple[Study, tuple[str, ...]]:
    """The study whose emulated targets are rented instead, and what to know about that.

    Raises UsageError where nothing is emulated or a database cannot be rented, UnknownName for the provider.
    """
    known = {each.name for each in providers()}
    if provider not in known:
        raise UnknownName("provider", provider, known)
    server = _server(study)
    emulated = [target for target in study.targets if is_emulated(target)]
    if not emulated:
        raise UsageError(
            f"--provider {provider}: none of these targets is emulated; write one to rent, as in "
            f"--on gp3={provider}:gp3,size=500GiB"
        )
    found = to_rent(emulated, provider, server)
    written = dict(zip((target.name for target in emulated), found.written, strict=True))
    targets = tuple(
        _parsed(written[target.name], target) if target.name in written else target for target in study.targets
    )
    notices = found.notices
    if server is not None:
        entries = tuple(_without_server(entry) for entry in study.entries)
        shared = {name: value for name, value in study.shared.items() if name != SERVER}
        return replace(study, targets=targets, entries=entries, shared=shared), notices
    return replace(study, targets=targets), notices


def to_rent(targets: Sequence[Target], provider: str, server: str | None = None) -> ToRent:
    """The emulated targets as a provider's; with a `server`, its managed databases."""
    known = successors(provider)
    own = {target.name: options_from(target.where.removeprefix(SCHEME), f"target {target.name}") for target in targets}
    notices: dict[str, list[str]] = {}
    with_disks = {
        options["instance"]
        for options in own.values()
        if "instance" in options and volume_type(options["type"], options.get("era")).is_local
    }
    written = []
    for name, options in own.items():
        told = _left_out(options, server)
        options = {option: value for option, value in options.items() if option in (*BOUGHT, *RENTED_OPTIONS)}
        if server is not None:
            words, replaced = _database(options, server, known, f"target {name}")
            written.append(f"{name}={provider}-rds:{words}")
        else:
            words, replaced = _volume(options, known, with_disks)
            written.append(f"{name}={provider}:{words}")
        for sentence in (*told, *replaced):
            notices.setdefault(sentence, []).append(name)
    lines = (f"{', '.join(names)}: {sentence}" for sentence, names in notices.items())
    return ToRent(tuple(written), tuple(lines))


def _left_out(options: Mapping[str, str], server: str | None) -> Sequence[str]:
    """What only a model has."""
    found = [
        f"{option}={value}"
        for option, value in options.items()
        if option in (*SHAPE_OPTIONS, *TARGET_OPTIONS) and option not in (*BOUGHT, *RENTED_OPTIONS)
    ]
    told = (
        [f"{', '.join(found)} {'is' if len(found) == 1 else 'are'} of an emulated volume, and left out"]
        if found
        else []
    )
    if server is not None and "fs" in options:
        told.append("the provider chooses the file system of a managed database")
    return told


def _volume(
    options: Mapping[str, str], known: Mapping[tuple[str, str], Successor], with_disks: set[str]
) -> tuple[str, list[str]]:
    machine = options.get("instance")
    kind = "instance-with-disks" if machine in with_disks else "instance"
    successor = known.get((kind, machine or ""))
    own = {**options, "fs": options.get("fs", FILE_SYSTEM)}
    if successor is None:
        return _joined(own), []
    told = f"instance {machine} is rented as {successor.name}: {successor.because}"
    return _joined(own | {"instance": successor.name}), [told]


def _database(
    options: Mapping[str, str], server: str, known: Mapping[tuple[str, str], Successor], where: str
) -> tuple[str, list[str]]:
    """A database with the volume's storage, and a class for its instance."""
    if server not in ENGINES:
        raise UsageError(f"{where}: no managed database is known for server={server}; known: {', '.join(ENGINES)}")
    if "raid" in options:
        raise UsageError(f"{where}: the provider stripes the storage of a managed database itself; leave out raid=")
    machine, kind, engine = options.get("instance"), options["type"], ENGINES[server]
    if machine is None:
        raise UsageError(f"{where}: name the instance whose class the database has, such as instance=m7i.large")
    told = []
    if successor := known.get(("engine", engine)):
        engine = successor.name
        told.append(f"server {server} is rented as {engine}: {successor.because}")
    class_name, storage = f"db.{machine}", kind
    if successor := known.get(("class", machine)):
        class_name = successor.name
        told.append(f"instance {machine} is rented as class {class_name}: {successor.because}")
    if successor := known.get(("storage", kind)):
        storage = successor.name
        told.append(f"storage {kind} is rented as {storage}: {successor.because}")
    sold = {option: options[option] for option in ("size", "iops", "throughput") if option in options}
    return ",".join([engine, f"class={class_name}", f"storage={storage}", _joined(sold)]), told


def _joined(options: Mapping[str, str]) -> str:
    return ",".join(f"{name}={value}" for name, value in options.items())


def _parsed(written: str, before: Target) -> Target:
    found = parse_target(written)
    return found.model_copy(update={"options": {**found.options, **before.options}})


def _server(study: Study) -> str | None:
    """The one server that its tests start; None where they start none."""
    found = {str(entry.overrides[SERVER]) for entry in study.entries if SERVER in entry.overrides}
    if SERVER in study.shared:
        found.add(str(study.shared[SERVER]))
    if len(found) > 1:
        raise UsageError(f"these tests start several servers, {', '.join(sorted(found))}; rent for one at a time")
    return next(iter(found), None)


def _without_server(entry: Entry) -> Entry:
    return Entry(entry.test, {name: value for name, value in entry.overrides.items() if name != SERVER})
