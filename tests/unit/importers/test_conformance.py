"""What every importer must do; driven by the folder of formats, so that none can opt out."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path
from types import ModuleType

import pytest
from tests.unit.importers.importing import HERE
from tests.unit.importers.mutations import mutate
from tests.unit.importers.validity import assert_valid

from plimsoll import plugins
from plimsoll.errors import ResultFileError
from plimsoll.importers.reading import choose
from plimsoll.importers.source import HEAD_BYTES, Options, Source

MODULES = plugins.modules("plimsoll.importers.formats")
MUTATIONS = 500
"""Of each format; `make assure` makes 20,000."""
MOST_MEMORY_BYTES = 64 * 2**20


def fixtures(module: ModuleType) -> list[Path]:
    folder = HERE / module.NAME / "fixtures"
    return sorted(folder.iterdir()) if folder.is_dir() else []


FIXTURES = [(module, path) for module in MODULES for path in fixtures(module)]
EACH_FIXTURE = pytest.mark.parametrize(("module", "path"), FIXTURES, ids=lambda each: getattr(each, "name", ""))
HANG_GUARD = pytest.mark.usefixtures("never_hangs")
EACH_FORMAT = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.NAME)


def survives(module: ModuleType, content: bytes, name: str) -> bool:
    """Read damaged content: a valid import (True) or ResultFileError (False); anything else is a fault of ours."""
    module.recognise(content[:HEAD_BYTES], name)
    try:
        imported = module.read(Source(name, content), Options())
    except ResultFileError:
        return False
    assert_valid(imported)
    return True


@EACH_FORMAT
def test_a_format_says_what_it_is_and_has_fixtures(module: ModuleType) -> None:
    assert module.__name__.rsplit(".", 1)[-1] == module.NAME
    assert module.TITLE
    assert isinstance(module.TOOLS, tuple)
    assert len(fixtures(module)) >= 1


@EACH_FIXTURE
def test_a_fixture_is_recognised_by_its_own_format_alone(module: ModuleType, path: Path) -> None:
    assert choose(Source(path.name, path.read_bytes())).module is module
    head = path.read_bytes()[:HEAD_BYTES]
    assert [other.NAME for other in MODULES if other.recognise(head, "any.txt")] == [module.NAME]


@EACH_FIXTURE
def test_a_shell_of_windows_makes_no_difference(module: ModuleType, path: Path) -> None:
    content = path.read_bytes().decode("utf-8").encode("utf-16")
    assert choose(Source(path.name, content)).module is module
    plain, other = (module.read(Source(path.name, each), Options()) for each in (path.read_bytes(), content))
    assert [run.scores for run in other.runs] == [run.scores for run in plain.runs]


@HANG_GUARD
@EACH_FIXTURE
def test_one_endless_line_is_survived(module: ModuleType, path: Path) -> None:
    content = path.read_bytes()
    survives(module, content.replace(b"\n", b" ") + b"7" * 2_000_000, path.name)
    survives(module, content + b"\n" + b"9 " * 1_000_000, path.name)


@EACH_FIXTURE
def test_equal_bytes_make_equal_records(module: ModuleType, path: Path) -> None:
    first, second = (module.read(Source(path.name, path.read_bytes()), Options()) for _ in range(2))
    assert_valid(first)
    assert first == second
    other = module.read(Source(path.name, path.read_bytes()), Options(target="elsewhere"))
    assert other.session.id != first.session.id
    assert not {run.id for run in other.runs} & {run.id for run in first.runs}
    assert {run.target.name for run in other.runs} == {"elsewhere"}


@EACH_FIXTURE
def test_the_raw_bytes_are_kept_once(module: ModuleType, path: Path) -> None:
    runs = module.read(Source(path.name, path.read_bytes()), Options()).runs
    assert [artefact.content for run in runs for artefact in run.artefacts] == [path.read_bytes()]
    assert {tuple(run.facts["imported"]["sha256"]) for run in runs} == {(runs[0].artefacts[0].sha256,)}


@pytest.mark.slow
@HANG_GUARD
@EACH_FIXTURE
def test_every_truncation_is_survived(module: ModuleType, path: Path) -> None:
    content = path.read_bytes()
    for length in range(len(content)):
        survives(module, content[:length], path.name)


@pytest.mark.slow
@HANG_GUARD
@EACH_FORMAT
def test_mutations_are_survived(module: ModuleType) -> None:
    files = [(path.name, path.read_bytes()) for path in fixtures(module)]
    foreign = [path.read_bytes() for _, path in FIXTURES]
    rng = random.Random(module.NAME)
    read = 0
    for _ in range(MUTATIONS):
        name, content = rng.choice(files)
        read += survives(module, mutate(content, foreign, rng), name)
    # Damage that is always refused would test nothing but the refusal.
    assert 0 < read < MUTATIONS


@HANG_GUARD
@EACH_FORMAT
def test_memory_is_bounded(module: ModuleType) -> None:
    files = [(path.name, path.read_bytes()) for path in fixtures(module)]
    rng = random.Random(f"memory {module.NAME}")
    tracemalloc.start()
    try:
        for _ in range(50):
            name, content = rng.choice(files)
            survives(module, mutate(content, [content], rng), name)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY_BYTES
    finally:
        tracemalloc.stop()


@HANG_GUARD
@EACH_FORMAT
@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\0\0", b"\xff\xfe", b"{}", b"[]", b"hello, world\n", bytes(range(256))]
)
def test_what_is_nothing_is_recognised_by_none(module: ModuleType, content: bytes) -> None:
    assert not module.recognise(content, f"{module.NAME}.txt")
    survives(module, content, "nothing.txt")
