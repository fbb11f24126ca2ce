"""Commands that the campaign disturbs, each with what its success means."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.torture.ground import FIXTURES, SHORT, Ground
from benches.torture.laws import Stored, whole_page
from benches.torture.template import OTHER, TITLE, Template

FIO_RUNS = 1


@dataclass(frozen=True)
class Scenario:
    """One command."""

    name: str
    words: Callable[[Ground, Template], Sequence[str]]
    missing: Callable[[Ground, Stored], list[str]]
    """What is missing although the command said that all is well."""
    outputs: tuple[str, ...] = ()
    """Files in `out`, each whole or absent however the command ended."""
    prepare: Callable[[Ground, Template], None] = lambda _ground, _template: None
    beside: tuple[str, ...] = ()
    """Files that SQLite leaves beside an output if it is not let remove them."""
    after: tuple[str, ...] = ()
    """A command that takes away what the scenario is meant to leave behind."""
    runs: int = 0
    """How many runs of a session it measures; those that it tells of are stored."""
    atomic: bool = False
    """Its sessions are stored with all their runs, or not at all."""
    runtime_s: float = 0.02

    @property
    def measures(self) -> bool:
        """Whether there is a session to go on with."""
        return self.runs > 0


def _targets(ground: Ground, *names: str) -> list[str]:
    for name in names:
        (ground.disk / name).mkdir(exist_ok=True)
        (ground.disk / name).chmod(0o755)
    return [word for name in names for word in ("--on", f"{name}={ground.disk / name}")]


def _session(runtime_s: float, *more: str) -> Callable[[Ground, Template], Sequence[str]]:
    def words(ground: Ground, _template: Template) -> Sequence[str]:
        shape = (*SHORT, "--set", f"runtime={runtime_s * 1000:.0f}ms", "--blocks", "2")
        return ["run", "ping", *_targets(ground, "a", "b"), *shape, *more]

    return words


def _server(name: str) -> Callable[[Ground, Template], Sequence[str]]:
    def words(ground: Ground, _template: Template) -> Sequence[str]:
        shape = ("--set", "warmup=0s", "--set", "runtime=500ms", "--set", "records=200", "--blocks", "2")
        return ["run", "ycsb-a", "--server", name, *_targets(ground, "a"), *shape, "--noisy-host"]

    return words


def _volume_session(_ground: Ground, _template: Template) -> Sequence[str]:
    place = "v=vol:type=gp3,size=1GiB,fs=ext4,backing=memory"
    return ["run", "ping", "--on", place, *SHORT, "--set", "runtime=300ms", "--blocks", "2"]


def _all_runs(wanted: int) -> Callable[[Ground, Stored], list[str]]:
    def missing(_ground: Ground, stored: Stored) -> list[str]:
        found = [each.lasting for each in stored.new if each.state == "done"]
        # A run that fails closes its case: it is stored with its reason, and told.
        complete = found == [wanted] or [each for each in stored.new if each.failed]
        return [] if complete else [f"exit 0, and the new sessions that are done have {found} runs, not {wanted}"]

    return missing


def _title(title: str, runs: int) -> Callable[[Ground, Stored], list[str]]:
    def missing(_ground: Ground, stored: Stored) -> list[str]:
        found = [each.runs for each in stored.sessions if each.title == title]
        return (
            [] if found == [runs] else [f"exit 0, and session {title} is stored {len(found)} times, with {found} runs"]
        )

    return missing


def _one_import(_ground: Ground, stored: Stored) -> list[str]:
    found = [each.runs for each in stored.new]
    return [] if found == [FIO_RUNS] else [f"exit 0, and the imported sessions have {found} runs, not {FIO_RUNS}"]


def _fio(_ground: Ground, _template: Template) -> Sequence[str]:
    return ["import", str(FIXTURES / "fio_json/fixtures/client_server.json")]


def _page(*names: str) -> Callable[[Ground, Stored], list[str]]:
    def missing(ground: Ground, _stored: Stored) -> list[str]:
        return [f"exit 0, and there is no {name}" for name in names if not whole_page(ground.out / name)]

    return missing


def _exported(ground: Ground, _stored: Stored) -> list[str]:
    try:
        gzip.decompress((ground.out / "e.plimsoll.gz").read_bytes())
    except OSError as error:
        return [f"exit 0, and the exported file cannot be read: {error}"]
    return []


def _volume_words(*more: str) -> Callable[[Ground, Template], Sequence[str]]:
    return lambda _ground, _template: ["volume", *more]


def _is_served(ground: Ground, _stored: Stored) -> list[str]:
    listed = json.loads(ground.run("volume", "list", "--json").out or "[]")
    served = [each["name"] for each in listed]
    return [] if served == ["v"] else [f"exit 0, and the volumes are {served}"]


def _is_gone(ground: Ground, _stored: Stored) -> list[str]:
    return [f"exit 0, and {what} is there" for what in ground.left()]


_CREATE = ("create", "v", "--type", "gp3", "--size", "1GiB", "--fs", "ext4")


def _with_volume(ground: Ground, _template: Template) -> None:
    answer = ground.run("volume", *_CREATE)
    assert answer.code == 0, answer.said


def _copied_store(ground: Ground, template: Template) -> None:
    shutil.copy(template.other_store, ground.out / "other.db")


def _earlier_export(ground: Ground, template: Template) -> None:
    shutil.copy(template.other_results, ground.out / "e.plimsoll.gz")


def _both(*parts: Callable[[Ground, Stored], list[str]]) -> Callable[[Ground, Stored], list[str]]:
    return lambda ground, stored: [each for part in parts for each in part(ground, stored)]


SCENARIOS = {
    each.name: each
    for each in (
        Scenario("session", _session(0.02, "-o", "s.html"), _both(_all_runs(4), _page("s.html")), ("s.html",), runs=4),
        Scenario("long-session", _session(0.4, "-o", "s.html"), _both(_all_runs(4), _page("s.html")), ("s.html",),
                 runs=4, runtime_s=0.4),
        Scenario("import", _fio, _one_import, atomic=True),
        Scenario("take-in", lambda _ground, template: ["import", str(template.other_results)], _title(OTHER, 2),
                 atomic=True),
        Scenario("merge", lambda _ground, _template: ["merge", "other.db"], _title(OTHER, 2), ("other.db",),
                 _copied_store, beside=("other.db-wal", "other.db-shm"), atomic=True),
        Scenario("report", lambda _ground, _template: ["report", TITLE, "-o", "r.html"], _page("r.html"), ("r.html",)),
        Scenario("export", lambda _ground, _template: ["export", TITLE, "-o", "e.plimsoll.gz"], _exported,
                 ("e.plimsoll.gz",)),
        Scenario("export-again", lambda _ground, _template: ["export", TITLE, "-o", "e.plimsoll.gz", "--force"],
                 _exported, ("e.plimsoll.gz",), _earlier_export),
        Scenario("volume", _volume_words(*_CREATE), _is_served, after=("volume", "delete", "v", "--force")),
        Scenario("volume-delete", _volume_words("delete", "v"), _is_gone, prepare=_with_volume,
                 after=("volume", "delete", "--all", "--force")),
        Scenario("volume-session", _volume_session, _all_runs(2), runs=2, runtime_s=0.3),
        *(Scenario(f"session-{name}", _server(name), _all_runs(2), runs=2, runtime_s=0.5)
          for name in ("redis", "postgresql", "mariadb", "sqlite")),
    )
}  # fmt: skip


def fixtures_are_there() -> bool:
    """Whether the tree is complete; the campaign needs the tests' files."""
    return Path(FIXTURES).is_dir()
