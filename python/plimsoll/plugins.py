"""The one finder of kinds: one file or folder is one kind, ours first, then what other packages bring by entry points.

A package that brings one names a module of its own under the entry point group `plimsoll.GROUP`; docs/plugins.md says
what each has to have. What is broken is named and left out, and never stops a command. Names that start with `_` are
helpers, not kinds.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from plimsoll.errors import PlimsollError
from plimsoll.notices import tell

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

CONTRACT = 1
"""Version of what a plug-in has to have; one that was made for another is left out."""
MARK = "PLIMSOLL_CONTRACT"
"""The word with which a module says for which version it was made."""
OURS = "plimsoll"
"""Where those come from that lie in this package."""
_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]{0,39}")


@dataclass(frozen=True)
class Group:
    """A kind that other packages can bring, too."""

    package: str
    """Where ours lie, one file each; none where all come from others."""
    values: Mapping[str, type | tuple[type, ...]]
    """What a module must have beside its functions, with types."""
    functions: tuple[str, ...]
    file: str = ""
    """Where each of ours is a folder: the file in it."""
    taken: str = ""
    """A package whose files have taken names as well, or a table in a module (`module:table`)."""


GROUPS = {
    "importers": Group(
        "plimsoll.importers.formats", {"NAME": str, "TITLE": str, "TOOLS": (tuple, list)}, ("recognise", "read")
    ),
    "frontends": Group("plimsoll.frontends", {"TITLE": str}, ("run",), file="command", taken="plimsoll.cli.commands"),
    "guards": Group("plimsoll.run.guards", {"NAME": str, "TITLE": str, "WHY": str}, ("check",)),
    "sections": Group("plimsoll.report.sections", {"ORDER": (int, float), "TITLE": str}, ("build",)),
    "workloads": Group(
        "",
        {"NAME": str, "PROGRAM": str, "PARAMETERS": (tuple, list), "TESTS": dict},
        ("command", "scores"),
        taken="plimsoll.parameters:WORKLOADS",
    ),
}


@dataclass(frozen=True)
class Plugin:
    """One of a kind: its module, and the package that brings it."""

    group: str
    name: str
    module: Any
    origin: str = OURS
    """`plimsoll`, or another package with its version."""

    @property
    def is_ours(self) -> bool:
        """Whether it lies in this package."""
        return self.origin == OURS

    @property
    def place(self) -> str:
        """The name of the module that it is loaded from."""
        return str(getattr(self.module, "__name__", self.name))

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"plug-in {self.name} ({self.group}, from {self.origin})"

    def call(self, function: str, *arguments: Any, answers: Any, otherwise: Any) -> Any:
        """What a function of it answers, an instance of `answers`.

        Where one of another package fails or answers something else, that is told once, and `otherwise` is the answer:
        what it was asked for goes on without it. Raises PlimsollError where it does.
        """
        if self.is_ours:
            return getattr(self.module, function)(*arguments)
        try:
            answer = getattr(self.module, function)(*arguments)
        except PlimsollError:
            raise
        # A stranger's code may leave as it likes, but for Ctrl-C.
        except (Exception, SystemExit) as error:
            tell_once(f"{self.label} failed in {function}: {type(error).__name__}: {error}; it is left out here")
            return otherwise
        if not isinstance(answer, answers):
            tell_once(f"{self.label} answers {function} with a {type(answer).__name__}; it is left out here")
            return otherwise
        return answer


@dataclass(frozen=True)
class Refused:
    """A plug-in that is left out, and why."""

    group: str
    name: str
    origin: str
    place: str
    """The module that its package names."""
    reason: str

    @property
    def sentence(self) -> str:
        """The message that names it and says why it is left out."""
        return f"plug-in {self.name} ({self.group}, from {self.origin}) is left out: {self.reason}"


def names(package: str) -> list[str]:
    """Names of all modules of `package`; none of them is imported."""
    return _files(package)


def modules(package: str) -> list[ModuleType]:
    """All modules of `package` by name, imported: for kinds that only this package has."""
    return [importlib.import_module(f"{package}.{name}") for name in _files(package)]


def own_names(group: str) -> list[str]:
    """Names of the files or folders of ours; none of them is imported."""
    wanted = GROUPS[group]
    return _files(wanted.package, folders=bool(wanted.file)) if wanted.package else []


def own(group: str, name: str) -> Plugin:
    """One of ours by the name of its file or folder."""
    wanted = GROUPS[group]
    module = importlib.import_module(".".join(filter(None, (wanted.package, name, wanted.file))))
    return Plugin(group, getattr(module, "NAME", name), module)


def found(group: str) -> list[Plugin]:
    """All of a kind: ours by the names of their files, then those of others by name; who is left out is told once."""
    return [*(own(group, name) for name in own_names(group)), *of_others(group)]


def of_others(group: str) -> tuple[Plugin, ...]:
    """Those of a kind that other packages bring; who is left out is told once."""
    taken, left_out = _brought(group)
    for each in left_out:
        tell_once(each.sentence)
    return taken


def installed(group: str) -> list[Plugin | Refused]:
    """All of a kind, with those of other packages that are left out; nothing is told."""
    taken, left_out = _brought(group)
    return [*(own(group, name) for name in own_names(group)), *taken, *left_out]


@cache
def tell_once(sentence: str) -> None:
    """A sentence for the user, however often something is asked for."""
    tell(sentence)


def _files(package: str, *, folders: bool = False) -> list[str]:
    parent = importlib.import_module(package)
    infos = [info for info in pkgutil.iter_modules(parent.__path__) if not info.name.startswith("_")]
    return sorted(info.name for info in infos if info.ispkg or not folders)


@cache
def _brought(group: str) -> tuple[tuple[Plugin, ...], tuple[Refused, ...]]:
    """What other packages bring of a kind: what is taken, and what is left out."""
    entries = [each for each in _entries() if each.group == f"{OURS}.{group}"]
    if not entries:
        return (), ()
    names = Counter(entry.name for entry in entries)
    ours = {own(group, name).name for name in own_names(group)} | set(_taken(GROUPS[group].taken))
    taken, left_out = [], []
    for entry in sorted(entries, key=lambda each: (each.name, _origin(each))):
        module = None
        if not _NAME.fullmatch(entry.name):
            reason = "a name has small letters, digits, and + . _ - between them, 40 at most"
        elif entry.name in ours:
            reason = "Plimsoll has one of this name; its package has to choose another"
        elif names[entry.name] > 1:
            others = sorted(_origin(each) for each in entries if each.name == entry.name)
            reason = f"{' and '.join(others)} have one of this name; uninstall one of them"
        else:
            module, reason = _loaded(group, entry)
        if reason:
            left_out.append(Refused(group, entry.name, _origin(entry), entry.value, reason))
        else:
            taken.append(Plugin(group, entry.name, module, _origin(entry)))
    return tuple(taken), tuple(left_out)


def _taken(place: str) -> list[str]:
    """Names that something else has."""
    module, _, table = place.partition(":")
    if table:
        return list(getattr(importlib.import_module(module), table))
    return [name.rstrip("_") for name in _files(module)] if module else []


def _loaded(group: str, entry: EntryPoint) -> tuple[Any, str]:
    """The module of an entry point, and why it cannot be used; nothing where it can."""
    try:
        module = entry.load()
    # Whatever a stranger's module does when it is loaded, sys.exit() included, is no reason to stop.
    except (Exception, SystemExit) as error:
        return None, f"{entry.value} cannot be loaded: {type(error).__name__}: {error}"
    return module, "; ".join(_faults(group, entry, module))


def _faults(group: str, entry: EntryPoint, module: Any) -> Iterator[str]:
    made_for = getattr(module, MARK, None)
    if made_for != CONTRACT:
        said = f"does not say {MARK}" if made_for is None else f"was made for version {made_for!r} of the contract"
        yield f"{entry.value} {said}; this Plimsoll has version {CONTRACT}"
        return
    wanted = GROUPS[group]
    if lacking := [name for name in (*wanted.values, *wanted.functions) if not hasattr(module, name)]:
        yield f"{entry.value} lacks {', '.join(lacking)}"
    wrong = [name for name, kind in wanted.values.items() if not isinstance(getattr(module, name, kind), kind)]
    wrong += [name for name in wanted.functions if not callable(getattr(module, name, _files))]
    if wrong := [name for name in wrong if name not in lacking]:
        yield f"{', '.join(wrong)} of {entry.value} {'is' if len(wrong) == 1 else 'are'} of another type than it takes"
    elif getattr(module, "NAME", entry.name) != entry.name:
        yield f"{entry.value} has the NAME {module.NAME!r}, and its entry point the name {entry.name!r}"


def _origin(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "a package without a name"


@cache
def _entries() -> tuple[EntryPoint, ...]:
    """The entry points for us: every installed package is looked at, once."""
    if not any(map(_has_some, sys.path)):
        return ()
    from importlib.metadata import entry_points

    installed = entry_points()
    return tuple(each for group in GROUPS for each in installed.select(group=f"{OURS}.{group}"))


def _has_some(folder: str) -> bool:
    """Whether a package in a folder of modules may have entry points for us.

    The library's own way reads and parses what all packages say: a third of the time of `plimsoll --help`, for nothing
    where there are none.
    """
    with suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            if entry.name.endswith((".dist-info", ".egg-info")):
                with suppress(OSError), open(f"{entry.path}/entry_points.txt", "rb") as file:
                    if f"[{OURS}.".encode() in file.read():
                        return True
    return False
