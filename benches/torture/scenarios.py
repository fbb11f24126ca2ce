"""Commands that the campaign disturbs, each with what its success means."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benches.torture.outputs import whole_page
from benches.torture.sandbox import FIXTURES, SHORT, Sandbox
from benches.torture.stored import Stored
from benches.torture.template import OTHER, TITLE, Template

FIO_RUNS = 1


@dataclass(frozen=True)
class Scenario:
    """One command."""

    name: str
    words: Callable[[Sandbox, Template], Sequence[str]]
    missing: Callable[[Sandbox, Stored], list[str]]
    """What is missing although the command said that all is well."""
    outputs: tuple[str, ...] = ()
    """Files in `out`, each whole or absent however the command ended."""
    prepare: Callable[[Sandbox, Template], None] = lambda _sandbox, _template: None
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


def _targets(sandbox: Sandbox, *names: str) -> list[str]:
    for name in names:
        (sandbox.disk / name).mkdir(exist_ok=True)
        (sandbox.disk / name).chmod(0o755)
    return [word for name in names for word in ("--on", f"{name}={sandbox.disk / name}")]


def _session(runtime_s: float, *more: str) -> Callable[[Sandbox, Template], Sequence[str]]:
    def words(sandbox: Sandbox, _template: Template) -> Sequence[str]:
        shape = (*SHORT, "--set", f"runtime={runtime_s * 1000:.0f}ms", "--blocks", "2")
        return ["run", "ping", *_targets(sandbox, "a", "b"), *shape, *more]

    return words


def _server(name: str) -> Callable[[Sandbox, Template], Sequence[str]]:
    def words(sandbox: Sandbox, _template: Template) -> Sequence[str]:
        shape = ("--set", "warmup=0s", "--set", "runtime=500ms", "--set", "records=200", "--blocks", "2")
        return ["run", "ycsb-a", "--server", name, *_targets(sandbox, "a"), *shape, "--noisy-host"]

    return words


def _volume_session(_sandbox: Sandbox, _template: Template) -> Sequence[str]:
    place = "v=vol:type=gp3,size=1GiB,fs=ext4,backing=memory"
    return ["run", "ping", "--on", place, *SHORT, "--set", "runtime=300ms", "--blocks", "2"]


def _all_runs(wanted: int) -> Callable[[Sandbox, Stored], list[str]]:
    def missing(_sandbox: Sandbox, stored: Stored) -> list[str]:
        found = [each.lasting for each in stored.new if each.state == "done"]
        # A run that fails closes its case: it is stored with its reason, and told.
        complete = found == [wanted] or [each for each in stored.new if each.failed]
        return [] if complete else [f"exit 0, and the new sessions that are done have {found} runs, not {wanted}"]

    return missing


def _title(title: str, runs: int) -> Callable[[Sandbox, Stored], list[str]]:
    def missing(_sandbox: Sandbox, stored: Stored) -> list[str]:
        found = [each.runs for each in stored.sessions if each.title == title]
        return (
            [] if found == [runs] else [f"exit 0, and session {title} is stored {len(found)} times, with {found} runs"]
        )

    return missing


def _one_import(_sandbox: Sandbox, stored: Stored) -> list[str]:
    found = [each.runs for each in stored.new]
    return [] if found == [FIO_RUNS] else [f"exit 0, and the imported sessions have {found} runs, not {FIO_RUNS}"]


def _fio(_sandbox: Sandbox, _template: Template) -> Sequence[str]:
    return ["import", str(FIXTURES / "fio_json/fixtures/client_server.json")]


def _page(*names: str) -> Callable[[Sandbox, Stored], list[str]]:
    def missing(sandbox: Sandbox, _stored: Stored) -> list[str]:
        return [f"exit 0, and there is no {name}" for name in names if not whole_page(sandbox.out / name)]

    return missing


def _exported(sandbox: Sandbox, _stored: Stored) -> list[str]:
    try:
        gzip.decompress((sandbox.out / "e.plimsoll.gz").read_bytes())
    except OSError as error:
        return [f"exit 0, and the exported file cannot be read: {error}"]
    return []


def _volume_words(*more: str) -> Callable[[Sandbox, Template], Sequence[str]]:
    return lambda _sandbox, _template: ["volume", *more]


def _is_served(sandbox: Sandbox, _stored: Stored) -> list[str]:
    listed = json.loads(sandbox.run("volume", "list", "--json").out or "[]")
    served = [each["name"] for each in listed]
    return [] if served == ["v"] else [f"exit 0, and the volumes are {served}"]


def _is_gone(sandbox: Sandbox, _stored: Stored) -> list[str]:
    return [f"exit 0, and {what} is there" for what in sandbox.left()]


_CREATE = ("create", "v", "--type", "gp3", "--size", "1GiB", "--fs", "ext4")


def _with_volume(sandbox: Sandbox, _template: Template) -> None:
    answer = sandbox.run("volume", *_CREATE)
    assert answer.code == 0, answer.said


def _copied_store(sandbox: Sandbox, template: Template) -> None:
    shutil.copy(template.other_store, sandbox.out / "other.db")


def _earlier_export(sandbox: Sandbox, template: Template) -> None:
    shutil.copy(template.other_results, sandbox.out / "e.plimsoll.gz")


def _both(*parts: Callable[[Sandbox, Stored], list[str]]) -> Callable[[Sandbox, Stored], list[str]]:
    return lambda sandbox, stored: [each for part in parts for each in part(sandbox, stored)]


SCENARIOS = {
    each.name: each
    for each in (
        Scenario("session", _session(0.02, "-o", "s.html"), _both(_all_runs(4), _page("s.html")), ("s.html",), runs=4),
        Scenario("long-session", _session(0.4, "-o", "s.html"), _both(_all_runs(4), _page("s.html")), ("s.html",),
                 runs=4, runtime_s=0.4),
        Scenario("import", _fio, _one_import, atomic=True),
        Scenario("take-in", lambda _sandbox, template: ["import", str(template.other_results)], _title(OTHER, 2),
                 atomic=True),
        Scenario("merge", lambda _sandbox, _template: ["merge", "other.db"], _title(OTHER, 2), ("other.db",),
                 _copied_store, beside=("other.db-wal", "other.db-shm"), atomic=True),
        Scenario("report", lambda _sandbox, _template: ["report", TITLE, "-o", "r.html"], _page("r.html"), ("r.html",)),
        Scenario("export", lambda _sandbox, _template: ["export", TITLE, "-o", "e.plimsoll.gz"], _exported,
                 ("e.plimsoll.gz",)),
        Scenario("export-again", lambda _sandbox, _template: ["export", TITLE, "-o", "e.plimsoll.gz", "--force"],
                 _exported, ("e.plimsoll.gz",), _earlier_export),
        Scenario("volume", _volume_words(*_CREATE), _is_served, after=("volume", "delete", "v", "--force")),
        Scenario("volume-delete", _volume_words("delete", "v"), _is_gone, prepare=_with_volume,
                 after=("volume", "delete", "--all", "--force")),
        Scenario("volume-session", _volume_session, _all_runs(2), runs=2, runtime_s=0.3),
        *(Scenario(f"session-{name}", _server(name), _all_runs(2), runs=2, runtime_s=0.5)
          for name in ("redis", "postgresql", "mariadb", "sqlite")),
    )
}  # fmt: skip
