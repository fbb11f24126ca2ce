"""What the tests of all formats share: read a fixture, look at its scores."""

from importlib import import_module
from pathlib import Path

from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import Run

HERE = Path(__file__).parent


def load(format_name: str, *names: str, target: str | None = None) -> Imported:
    """Fixtures of one format, read together as files of one measurement."""
    sources = [Source(name, (HERE / format_name / "fixtures" / name).read_bytes()) for name in names]
    return read(format_name, Source(sources[0].name, sources[0].content, tuple(sources[1:])), target)


def read(format_name: str, source: Source, target: str | None = None) -> Imported:
    module = import_module(f"plimsoll.importers.formats.{format_name}")
    return module.read(source, Options(target=target))  # type: ignore[no-any-return]


def read_text(format_name: str, text: str, name: str = "file.txt") -> Imported:
    return read(format_name, Source(name, text.encode()))


def scores(run: Run) -> dict[str, float]:
    return {score.metric: score.value for score in run.scores}


def told(run: Run) -> set[str]:
    """The guards that have something to say of a run."""
    return {finding.guard for finding in run.findings}
