"""What `plimsoll import --explain` says of every format: the numbers that are imported, where they really stand."""

from __future__ import annotations

import re
import threading
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from tests.unit.importers.test_conformance import EACH_FIXTURE, FIXTURES

from plimsoll.importers import tracing
from plimsoll.importers.explaining import Explained, explain
from plimsoll.importers.reading import read_files
from plimsoll.importers.source import Options

FACTORS = {
    "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "B/s": 1, "kB/s": 1e3, "KiB/s": 1024, "MB/s": 1e6,
    "MiB/s": 2**20, "GB/s": 1e9, "GiB/s": 2**30, "1/s": 1, "1,000/s": 1e3, "1/min": 1 / 60, "1": 1, "%": 0.01,
    "B": 1, "kB": 1e3, "KiB": 1024, "MB": 1e6, "MiB": 2**20, "GB": 1e9, "GiB": 2**30,
}  # fmt: skip

COUNTED = ("hdr_log", "ioping", "ycsb")
"""Their files list buckets or single requests, from which scores are counted."""


def explained(path: Path) -> Explained:
    (found,) = explain([str(path)], Options())
    return found


@EACH_FIXTURE
def test_what_is_explained_is_what_is_imported(module: ModuleType, path: Path) -> None:
    (outcome,) = read_files([path])
    assert outcome.imported is not None
    found = explained(path)
    assert found.format == module.NAME
    assert [[(each.metric, each.value, each.unit) for each in run.numbers] for run in found.runs] == [
        [(each.metric, each.value, each.unit) for each in run.scores] for run in outcome.imported.runs
    ]
    assert [run.case for run in found.runs] == [run.plan.case for run in outcome.imported.runs]


@EACH_FIXTURE
def test_a_number_stands_where_it_is_said_to_stand(module: ModuleType, path: Path) -> None:
    del module
    lines = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").split("\n")
    for run in explained(path).runs:
        for each in run.numbers:
            numbers = [int(number) for number in re.findall(r"line (\d+)", each.where)]
            assert bool(numbers) == bool(each.tokens)
            if not each.computed:
                assert all(each.tokens[0] in lines[number - 1] for number in numbers), each
                factor = FACTORS.get(each.file_unit) or float(each.file_unit.split()[0])
                plain = float(re.sub(r"[,_' ]", "", each.tokens[0]))
                assert plain * factor == pytest.approx(each.value, rel=1e-6, abs=1e-3), each


def test_most_numbers_of_summaries_have_a_place() -> None:
    """Of logs, and of histograms, scores are computed; of all else that would mean that a format reads by itself."""
    placed: Counter[str] = Counter()
    for module, path in FIXTURES:
        if getattr(module, "STREAMS", False) or module.NAME in COUNTED:
            continue
        numbers = [each for run in explained(path).runs for each in run.numbers]
        placed[module.NAME] += sum(1 if each.tokens else -1 for each in numbers)
    assert {name for name, more in placed.items() if more <= 0} == set()


def test_what_no_score_is_made_of_is_named(tmp_path: Path) -> None:
    fixtures = Path(__file__).parent
    found = explained(fixtures / "pgbench/fixtures/v15_progress.txt")
    assert "line 10: number of clients: 4" in found.left_out
    assert not any(line.startswith(("line 16:", "line 19:")) for line in found.left_out)
    found = explained(fixtures / "fio_json/fixtures/fio3.json")
    assert "disk_util[0].util = 97.5" in found.left_out
    assert not any(line.startswith("jobs[0].read.iops = ") for line in found.left_out)
    found = explained(fixtures / "ycsb/fixtures/exporter_rows.json")
    lines = (fixtures / "ycsb/fixtures/exporter_rows.json").read_text().split("\n")
    places = [re.fullmatch(r"value = (\S+) \(line (\d+)\)", each) for each in found.left_out]
    assert places
    assert all(match and match[1] in lines[int(match[2]) - 1] for match in places)
    (tmp_path / "empty.txt").write_text("\n")
    found = explained(tmp_path / "empty.txt")
    assert (found.runs, found.failed) == ((), False)
    assert "is empty" in found.problem
    (tmp_path / "strange.txt").write_text("strange\n")
    found = explained(tmp_path / "strange.txt")
    assert found.failed
    assert "in no format that is known" in found.problem


def test_equal_lines_are_all_named(tmp_path: Path) -> None:
    text = (Path(__file__).parent / "fio_json/fixtures/fio3.json").read_text()
    (tmp_path / "two.json").write_text(text + "\n" + text)
    for run in explained(tmp_path / "two.json").runs:
        (iops,) = [each for each in run.numbers if each.metric == "iops" and not each.computed] or [None]
        assert iops is None or len(re.findall(r"line \d+", iops.where)) == 1, "a JSON reader knows which it was"


def test_nothing_is_traced_unless_somebody_asks() -> None:
    assert tracing.current() is None
    with tracing.tracing():
        assert tracing.current() is not None
        seen: list[object] = []
        thread = threading.Thread(target=lambda: seen.append(tracing.current()))
        thread.start()
        thread.join()
        assert seen == [None], "of another thread nothing is traced"
    assert tracing.current() is None


@pytest.mark.parametrize(
    ("computed", "value", "factor", "places"),
    [
        (lambda a, _: a * 1000, 2000.0, 1000.0, 1),
        (lambda a, _: 1000 * a / 10, 200.0, 100.0, 1),
        (lambda a, b: a + b, 5.0, None, 2),
        (lambda a, b: sum([a, b]), 5.0, None, 2),
        (lambda a, b: b - a, 1.0, None, 2),
        (lambda a, _: 1 / a, 0.5, None, 1),
        (lambda a, b: a / b * 3, 2.0, None, 2),
        (max, 3.0, 1.0, 1),
        (lambda a, _: round(a * 1.0004, 3), 2.001, 1.0004, 1),
        (lambda a, _: a - 1, 1.0, None, 1),
        (lambda a, _: 0 + a, 2.0, 1.0, 1),
    ],
)
def test_arithmetic_keeps_the_places(computed, value: float, factor: float | None, places: int) -> None:  # type: ignore[no-untyped-def]
    a, b = (tracing.Read.made(float(text), (tracing.Place(text),), 1.0) for text in ("2", "3"))
    found = computed(a, b)
    assert found == value
    assert found.factor == (pytest.approx(factor) if factor is not None else None)
    assert len(found.places) == places
