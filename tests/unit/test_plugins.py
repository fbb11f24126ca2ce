"""Kinds that other packages bring: who is taken, who is left out, and that a broken one harms nobody else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plimsoll import notices, parameters, plugins, profile
from plimsoll.importers.reading import read_files

GUARD = "NAME = {name!r}\nTITLE = 'x'\nWHY = 'x'\ndef check(evidence):\n    return None\n"
MARK = "PLIMSOLL_CONTRACT = 1\n"
Install = Callable[..., None]


def forget() -> None:
    for cached in (plugins._entries, plugins._brought, plugins.tell_once, parameters.programs, profile.profiles):
        cached.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """`install("package", "guards", name="text of the module", …)`: as pip leaves a package behind."""
    modules = set(sys.modules)

    def add(package: str, group: str, **files: str) -> None:
        place = tmp_path / package
        place.mkdir()
        monkeypatch.syspath_prepend(str(place))
        info = place / f"{package}-2.5.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.5\n")
        lines = [f"{name} = {package}_{name}" for name in files]
        (info / "entry_points.txt").write_text("\n".join([f"[plimsoll.{group}]", *lines]) + "\n")
        for name, text in files.items():
            (place / f"{package}_{name}.py").write_text(text)
        forget()

    forget()
    yield add
    forget()
    for name in set(sys.modules) - modules:
        del sys.modules[name]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    heard: list[str] = []
    monkeypatch.setattr(notices, "_listeners", [heard.append])
    return heard


def names(group: str) -> list[str]:
    return [each.name for each in plugins.found(group)]


def reasons(group: str) -> dict[str, str]:
    return {each.name: each.reason for each in plugins.installed(group) if isinstance(each, plugins.Refused)}


@pytest.mark.parametrize("group", [group for group, each in plugins.GROUPS.items() if each.package])
def test_ours_have_what_is_asked_of_others(group: str) -> None:
    wanted = plugins.GROUPS[group]
    assert plugins.own_names(group)
    for each in (plugins.own(group, name) for name in plugins.own_names(group)):
        assert all(isinstance(getattr(each.module, name), kind) for name, kind in wanted.values.items()), each.place
        assert all(callable(getattr(each.module, name)) for name in wanted.functions), each.place


def test_one_of_another_package_comes_after_ours(install: Install, said: list[str]) -> None:
    ours = names("guards")
    install("theirs", "guards", aaa=MARK + GUARD.format(name="aaa"))
    assert names("guards") == [*ours, "aaa"]
    assert plugins.found("guards")[-1].origin == "theirs 2.5"
    assert said == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import nothing_of_this_name", "cannot be loaded: ModuleNotFoundError"),
        ("raise SystemExit(7)", "cannot be loaded: SystemExit: 7"),
        ("def broken(:", "cannot be loaded: SyntaxError"),
        (GUARD.format(name="bad"), "does not say PLIMSOLL_CONTRACT; this Plimsoll has version 1"),
        ("PLIMSOLL_CONTRACT = 2\n", "was made for version 2 of the contract"),
        (MARK + "NAME = 'bad'\nWHY = 'x'\n", "lacks TITLE, check"),
        (MARK + GUARD.format(name="bad") + "TITLE = 3\ncheck = 5\n", "TITLE, check of theirs_bad are of another type"),
        (MARK + GUARD.format(name="other"), "has the NAME 'other', and its entry point the name 'bad'"),
    ],
)
def test_a_broken_one_is_named_and_left_out(install: Install, said: list[str], text: str, reason: str) -> None:
    ours = names("guards")
    install("theirs", "guards", bad=text, good=MARK + GUARD.format(name="good"))
    for _ in range(2):
        assert names("guards") == [*ours, "good"]
    assert reason in reasons("guards")["bad"]
    # Once, however often guards are asked for.
    (sentence,) = said
    assert sentence.startswith("plug-in bad (guards, from theirs 2.5) is left out: ")
    assert "theirs_bad" in sentence
    assert names("sections") == plugins.own_names("sections")


def test_where_there_are_none_nothing_is_loaded_to_look_for_them() -> None:
    code = (
        "import sys; from plimsoll import plugins; plugins._has_some = lambda folder: False; "
        "plugins.of_others('guards'); print('importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(("text", "found"), [("[plimsoll.guards]\na = b\n", True), ("[console_scripts]\n", False)])
def test_entry_points_are_seen_wherever_an_installer_puts_them(tmp_path: Path, text: str, found: bool) -> None:
    for place in ("one-1.dist-info", "two.egg-info"):
        folder = tmp_path / place.partition(".")[0]
        (folder / place).mkdir(parents=True)
        (folder / place / "entry_points.txt").write_text(text)
        assert plugins._has_some(str(folder)) is found
    assert not plugins._has_some(str(tmp_path / "missing"))


def test_two_of_one_name_are_refused(install: Install) -> None:
    ours = names("guards")
    install("one", "guards", twice=MARK + GUARD.format(name="twice"), steal=MARK + GUARD.format(name="steal"))
    install("two", "guards", twice=MARK + GUARD.format(name="twice"))
    assert names("guards") == ours
    assert "one 2.5 and two 2.5 have one of this name" in reasons("guards")["twice"]
    assert "Plimsoll has one of this name" in reasons("guards")["steal"]


@pytest.mark.parametrize(("group", "name"), [("frontends", "run"), ("frontends", "fio"), ("workloads", "ycsb")])
def test_names_of_commands_and_workloads_are_taken(install: Install, group: str, name: str) -> None:
    install("theirs", group, **{name: MARK})
    assert "Plimsoll has one of this name" in reasons(group)[name]


def test_what_fails_at_work_is_told_once_and_goes_on(install: Install, said: list[str]) -> None:
    text = MARK + GUARD.format(name="bad") + "def check(evidence):\n    return 1 / evidence\n"
    install("theirs", "guards", bad=text)
    bad = plugins.found("guards")[-1]
    for _ in range(2):
        assert bad.call("check", 0, answers=float, otherwise="nothing") == "nothing"
    failure = "failed in check: ZeroDivisionError: division by zero; it is left out here"
    assert said == [f"plug-in bad (guards, from theirs 2.5) {failure}"]
    assert bad.call("check", 2, answers=float, otherwise=None) == 0.5
    assert bad.call("check", 2, answers=str, otherwise=None) is None
    assert "answers check with a float" in said[-1]


def test_a_fault_of_ours_is_not_hidden() -> None:
    with pytest.raises(AttributeError):
        plugins.own("guards", "steal").call("check", None, answers=object, otherwise=None)


def test_an_importer_that_takes_everything_takes_nothing_of_ours(
    install: Install, said: list[str], tmp_path: Path
) -> None:
    text = "NAME = 'greedy'\nTITLE = 'x'\nTOOLS = ()\ndef recognise(head, name):\n    return True\n"
    install("theirs", "importers", greedy=MARK + text + "def read(source, options):\n    raise OSError('no')\n")
    ours, other = tmp_path / "dbench.txt", tmp_path / "other.txt"
    fixture = Path(__file__).parent / "importers/dbench/fixtures/two_clients_4.00.txt"
    ours.write_bytes(fixture.read_bytes())
    other.write_text("what nobody knows\n")
    read, failed = read_files([ours, other])
    assert (read.format, read.error) == ("dbench", None)
    assert failed.format == "greedy"
    assert "plug-in greedy (importers, from theirs 2.5) could not read it" in str(failed.error)
    assert any("failed in read: OSError: no" in each for each in said)


WORKLOAD = (
    MARK + "from plimsoll.parameter import Parameter, read_positive_count\nNAME = 'prog'\nPROGRAM = 'true'\n"
    "PARAMETERS = (Parameter('count', 1, read_positive_count, 'x'),)\n"
    "def command(values, folder):\n    return ['true']\ndef scores(output, values, elapsed_ns):\n    return []\n"
    "GOOD = dict(title='x', question='x', definition='x', source='x', reading='x', metrics=['iops'], parameters={})\n"
)


def test_tests_of_a_workload_are_tests_and_bad_ones_are_named(install: Install, said: list[str]) -> None:
    tests = "TESTS = {'good': GOOD, 'randread': GOOD, 'short': {}, 'odd': {**GOOD, 'parameters': {'cuont': 3}}}\n"
    install("theirs", "workloads", prog=WORKLOAD + tests)
    assert profile.profiles()["good"].workload == "prog"
    assert profile.profiles()["randread"].workload == "io"
    (case,) = profile.cases([profile.Entry("good", {"count": "5"})], {}, "here")
    assert dict(case.parameters) == {"count": 5, "timeout": 600 * 10**9}
    assert [each.partition(" of plug-in")[0] for each in said] == ["test randread", "test short", "test odd"]
    assert "did you mean 'count'?" in said[-1]


def test_a_workload_with_bad_parameters_is_left_out(install: Install, said: list[str]) -> None:
    install("theirs", "workloads", prog=WORKLOAD.replace("'count', 1", "'timeout', 1") + "TESTS = {'good': GOOD}\n")
    assert "good" not in profile.profiles()
    assert "left out" in said[0]
    assert parameters.kind_of("prog") == "prog"
