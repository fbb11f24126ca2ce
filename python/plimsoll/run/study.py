"""A study: everything one session needs, in one record that a file can hold.

    title = "gp3 against nvme"
    mode = "standard"            # quick, standard or publish
    band = "10%"                 # what counts as the same
    time = "30m"                 # hard bound; leave out for none
    baseline = "nvme"
    interleave = "blocks"        # one target after the other, "slices" or "parallel"; leave out for what is right
    [rent]                       # for targets such as aws:gp3,size=500GiB: see run/renting.py
    instance = "m7i.large"
    [set]                        # parameters for every test
    size = "8GiB"
    [[targets]]
    name = "nvme"
    where = "/mnt/a"
    [[targets]]                  # options of a target override parameters there
    name = "gp3"
    where = "/mnt/b"
    engine = "libaio"
    [[tests]]
    test = "randread"
    depth = 16

The command line makes the same record, so every session can be written as such a file.
"""

from __future__ import annotations

import os
import secrets
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import Session, Target
from plimsoll.profile import Case, Entry, cases, entry_from
from plimsoll.run import renting
from plimsoll.run.renting import Renting, renting_of
from plimsoll.stats.parts import KEY, Extension, extensions_of, without_extensions
from plimsoll.stats.policy import MODES
from plimsoll.targets.parse import parse_target
from plimsoll.targets.rented import is_rented, rented_target
from plimsoll.targets.rented_database import is_rented_database, rented_database_target
from plimsoll.targets.volume import volume_target
from plimsoll.units import exact_duration, parse_count, parse_duration, parse_share

MOST_REPEATS = 1000

AUTO, BLOCKS, SLICES, PARALLEL = "auto", "blocks", "slices", "parallel"
WAYS = (AUTO, BLOCKS, SLICES, PARALLEL)
"""How the targets of a block share its time: as is right for them, one after the other, in slices, or all at once."""

_KEYS = (
    "title",
    "mode",
    "band",
    "blocks",
    "repeats",
    "time",
    "baseline",
    "seed",
    "same_place",
    "noisy_host",
    "interleave",
    "quick_sizes",
    "extensions",
    "published",
    renting.KEY,
    "set",
    "targets",
    "tests",
)


@dataclass(frozen=True)
class Study:
    """What to run, where, and how sure to be."""

    title: str
    targets: tuple[Target, ...]
    entries: tuple[Entry, ...]
    shared: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that the user set for every test, as text."""
    mode: str = "quick"
    band: float = 0.10
    blocks: int | None = None
    """Largest number of blocks instead of the mode's."""
    repeats: int | None = None
    """Exactly this many blocks, even if the answer is clear earlier."""
    time_ns: int | None = None
    baseline: str | None = None
    seed: int = 0
    same_place: bool = False
    """The targets may be one place with the same options: an A/A session that shows the noise."""
    noisy_host: bool = False
    """Others on this host are a fact of life: what they take warns, but makes no run invalid."""
    interleave: str = AUTO
    """How the targets of a block take turns (`WAYS`)."""
    quick_sizes: bool = False
    """The small sizes of every test's profile, for a trial; no result to keep."""
    published: str = ""
    """What others published about the same question, to be shown beside the answer."""
    rent: Renting = field(default_factory=Renting)
    """How those of its targets are rented that are."""
    extensions: tuple[Extension, ...] = ()
    """Parts that were added to its session when that was finished."""

    def __post_init__(self) -> None:
        """Refuse what cannot be meant; raises UsageError."""
        names = [target.name for target in self.targets]
        if twice := {name for name in names if names.count(name) > 1}:
            raise UsageError(
                f"two targets are named {', '.join(sorted(twice))!r}; write --on NAME=WHERE with two names"
            )
        if not self.targets or not self.entries:
            raise UsageError("a study needs at least one target and one test")
        self._check_choices(names)
        if self.blocks is not None and not 1 <= self.blocks <= MODES["publish"].cap:
            raise UsageError(
                f"blocks = {self.blocks}: must be 1 to {MODES['publish'].cap}; for more, or for exactly so many, use "
                "repeats"
            )
        if self.repeats is not None and not 1 <= self.repeats <= MOST_REPEATS:
            raise UsageError(f"repeats = {self.repeats}: must be 1 to {MOST_REPEATS}")
        if self.repeats is not None and self.blocks is not None:
            raise UsageError("blocks ends a study early and repeats does not: give one of the two")
        if self.time_ns is not None and self.time_ns <= 0:
            raise UsageError("time must be above zero, such as 30m; leave it out for no bound")
        if not 0 < self.band < 1:
            raise UsageError(f"band = {self.band}: must be above 0 and below 100 %, such as 10%")
        if self.rent.said and not self.rented:
            raise UsageError(
                f"{', '.join(self.rent.said)}: none of these targets is rented; write one as in "
                "--on gp3=aws:gp3,size=500GiB"
            )

    def _check_choices(self, names: Sequence[str]) -> None:
        for what, name, known in (("mode", self.mode, MODES), ("way to interleave", self.interleave, WAYS)):
            if name not in known:
                raise UnknownName(what, name, known)
        if self.baseline is not None and self.baseline not in names:
            raise UnknownName("target", self.baseline, names, "these targets, but it is the baseline")

    @property
    def rented(self) -> tuple[Target, ...]:
        """The targets that are rented for the session."""
        return tuple(target for target in self.targets if is_rented(target) or is_rented_database(target))

    def cases(self) -> list[Case]:
        """The cases to run, every parameter filled in."""
        return cases(self.entries, self.shared, self.title, quick_sizes=self.quick_sizes)

    def to_table(self) -> dict[str, Any]:
        """The study as the table that a study file holds; `from_table` reads it back."""
        table: dict[str, Any] = {"title": self.title, "mode": self.mode, "band": f"{self.band * 100:.10g}%"}
        if self.blocks is not None:
            table["blocks"] = self.blocks
        if self.repeats is not None:
            table["repeats"] = self.repeats
        if self.time_ns is not None:
            table["time"] = exact_duration(self.time_ns)
        if self.baseline is not None:
            table["baseline"] = self.baseline
        table["seed"] = self.seed
        table |= {name: True for name in ("same_place", "noisy_host", "quick_sizes") if getattr(self, name)}
        if self.interleave != AUTO:
            table["interleave"] = self.interleave
        if rent := self.rent.to_table():
            table[renting.KEY] = rent
        if self.shared:
            table["set"] = dict(self.shared)
        if self.published:
            table["published"] = self.published
        if self.extensions:
            table[KEY] = [each.to_table() for each in self.extensions]
        table["targets"] = [{"name": each.name, "where": each.where, **each.options} for each in self.targets]
        table["tests"] = [{"test": entry.test, **entry.overrides} for entry in self.entries]
        return table


def from_words(
    tests: Iterable[str | Entry],
    on: Iterable[str | Target],
    *,
    shared: Iterable[str] = (),
    title: str | None = None,
    seed: int | None = None,
    **choices: Any,
) -> Study:
    """A study from names of tests and suites, `NAME=WHERE,…` targets and `parameter=value` settings."""
    entries = tuple(each if isinstance(each, Entry) else Entry(each, {}) for each in tests) or (Entry("quick", {}),)
    targets = tuple(map(_target_from, on)) or (_target_from("."),)
    made_title = f"{', '.join(entry.test for entry in entries)} on {', '.join(target.name for target in targets)}"
    return Study(
        title=title or made_title,
        targets=targets,
        entries=entries,
        shared=settings(shared),
        seed=secrets.randbits(32) if seed is None else seed,
        **choices,
    )


def _target_from(word: str | Target) -> Target:
    return _absolute(word if isinstance(word, Target) else parse_target(word))


def settings(words: Iterable[str]) -> dict[str, str]:
    """`parameter=value` words as a mapping."""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--set {word!r}: write PARAMETER=VALUE, such as depth=16")
        found[name.strip()] = value.strip()
    return found


def from_file(path: Path) -> Study:
    """The study in a TOML file. Relative places are relative to the current directory, as on the command line."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"no study file {path}; `plimsoll export SESSION --study {path}` writes one") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read the study file {path}: {error}") from None
    return from_table(without_extensions(table), str(path))


def again(session: Session) -> Study | None:
    """The study of a session, to be done once more with another order; None where it was not measured in blocks."""
    table = without_extensions(session.study)
    if not session.interleaved or "tests" not in table or "load_line" in table:
        return None
    return replace(from_table(table, f"session {session.title}"), seed=secrets.randbits(32))


def from_table(table: Mapping[str, Any], where: str) -> Study:
    """The study in a parsed study file; `where` names it in errors."""
    if "load_line" in table:
        raise UsageError(f"{where} is a search for a load line; `plimsoll knee` carries it out")
    for key in table:
        if key not in _KEYS:
            raise UnknownName("key", key, _KEYS, where)
    try:
        return Study(
            title=_text(table, "title", where),
            targets=tuple(target_from(line, where) for line in table.get("targets", [{"name": "here", "where": "."}])),
            entries=tuple(entry_from(line, where) for line in table.get("tests", [{"test": "quick"}])),
            shared=dict(table.get("set", {})),
            mode=_text(table, "mode", "quick"),
            band=parse_share(_text(table, "band", "10%")),
            blocks=parse_count(table["blocks"]) if "blocks" in table else None,
            repeats=parse_count(table["repeats"]) if "repeats" in table else None,
            time_ns=parse_duration(table["time"]) if "time" in table else None,
            baseline=_text(table, "baseline", "") or None,
            seed=parse_count(table["seed"]) if "seed" in table else secrets.randbits(32),
            same_place=_truth(table, "same_place"),
            noisy_host=_truth(table, "noisy_host"),
            interleave=_text(table, "interleave", AUTO),
            quick_sizes=_truth(table, "quick_sizes"),
            published=_text(table, "published", ""),
            rent=renting_of(table.get(renting.KEY, {})),
            extensions=extensions_of(table),
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise UsageError(f"{where} is not a study: {error}; see `plimsoll run --help` for an example") from None


def _text(table: Mapping[str, Any], key: str, default: str) -> str:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{key} = {value!r} is not text")
    return str(value)


def _truth(table: Mapping[str, Any], key: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise UsageError(f"{key} = {value!r} is neither true nor false")
    return value


def target_from(table: Any, where: str) -> Target:
    """A `[[targets]]` table of a study; `where` names the study in errors."""
    if not isinstance(table, Mapping) or not {"name", "where"} <= table.keys():
        raise UsageError(f'{where}: every [[targets]] table needs name = "NAME" and where = "/path"')
    texts = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in table.items()}
    target = parse_target(f"{texts.pop('name')}={texts.pop('where')}")
    return _absolute(target.model_copy(update={"options": {**target.options, **texts}}))


def _absolute(target: Target) -> Target:
    """The place as it is called from anywhere: a session may go on, and a study be repeated, in another directory."""
    if target.kind == "volume":
        # What a study file says beside the place may be about the volume.
        return volume_target(target.name, target.where, target.options)
    if is_rented(target):
        return rented_target(target.name, target.where, target.options)
    if is_rented_database(target):
        return rented_database_target(target.name, target.where, target.options)
    if target.where.startswith("@"):
        return target
    if target.kind == "database":
        return target
    return target.model_copy(update={"where": os.path.abspath(target.where)})
