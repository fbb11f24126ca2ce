"""Whatever is passed to the library, it works or raises one of `plimsoll.errors`; driven by the names it promises."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests import factories

import plimsoll
from plimsoll.api import measuring
from plimsoll.api.histograms import histogram_of
from plimsoll.api.sessions import Session
from plimsoll.run.load_study import LoadStudy
from plimsoll.run.renting import Renting
from plimsoll.run.study import Study
from plimsoll.stats.histogram import decode

WRONG: list[Any] = [
    3, -1, 10**30, 3.5, -0.0, float("nan"), float("inf"), True, b"x", object(), lambda: 0, timedelta(days=-1),
    "", " ", "\0", "\udcff", "a\nb", "../../x", "x" * 5000, "%s{}", "=,=", "rand", "nan", "1e999", Path("nowhere"),
    [], {}, (), [None], ["\0"], [""], ("a", "b"), {"a": None}, {"": ""}, {1: 2}, {"where": 3},
    {"name": "a", "where": "\0"}, {"test": "randread", "dept": 3}, {"a": {"where": "disk", "depth": -1}},
    {"a": {"wher": "disk"}},
]  # fmt: skip
FUNCTIONS = [name for name in plimsoll.__all__ if inspect.isfunction(inspect.unwrap(getattr(plimsoll, name)))]
SHORT = {"engine": "null", "direct": False, "size": "4MiB", "runtime": "100ms", "warmup": "0s"}
RIGHT: dict[str, dict[str, Any]] = {
    "run": {"tests": "randread", "targets": {"a": "disk"}, "settings": SHORT, "noisy_host": True},
    "knee": {"test": "randread", "targets": {"a": "disk"}, "settings": SHORT, "depth": (1, 2)},
    "verify": {"target": "disk", "paid": "gp3,size=10GiB"},
    "simulate": {"volume": "gp3,size=10GiB", "duration": "1s"},
    "import_files": {"files": "load.txt"},
    "advise": {"files": "load.txt"},
}
METHODS = {
    "to_pandas": ["table"], "to_polars": ["table"], "to_arrow": ["table"], "histogram": ["case", "target", "kind"],
    "report": ["path", "replace"],
}  # fmt: skip


class Late:
    """Cancels what was begun: when all that can be refused was looked at, and nothing is measured yet."""

    asked = 0

    def is_set(self) -> bool:
        self.asked += 1
        return self.asked > 1


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "store.db"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "disk").mkdir()
    (tmp_path / "load.txt").write_text("hello\n")
    return tmp_path


def parameters() -> list[tuple[str, str]]:
    """Of every function each parameter, those that it takes by any name among them."""
    found = []
    for name in FUNCTIONS:
        for each in inspect.signature(getattr(plimsoll, name)).parameters.values():
            names = measuring.Rent.__annotations__ if each.kind is each.VAR_KEYWORD else [each.name]
            found += [(name, inner) for inner in names]
    return found


def in_words(made: Callable[[], object]) -> None:
    """It works, or says why not."""
    told = "it works"
    try:
        made()
    except plimsoll.PlimsollError as error:
        told = str(error)
    assert 0 < len(told.strip()) < 12_000


def call(name: str, argument: str, value: Any) -> None:
    """The function with one wrong argument; it may work, or refuse it."""
    function = getattr(plimsoll, name)
    signature = inspect.signature(function).parameters
    options = dict(RIGHT.get(name, {}))
    if "cancel" in signature:
        options["cancel"] = Late()
    several = argument in signature and signature[argument].kind is inspect.Parameter.VAR_POSITIONAL
    if not several:
        options[argument] = value
    in_words(lambda: function(*((value,) if several else ()), **options))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "argument"), parameters())
def test_a_wrong_argument_works_or_is_refused_in_words(name: str, argument: str) -> None:
    # Text for a cluster is an address, of which nobody answers in time; a function for `progress` is right.
    spared = {"cluster": str, "progress": Callable, "cancel": object}.get(argument, ())
    for value in WRONG:
        if not spared or not isinstance(value, spared):
            call(name, argument, value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_argument_that_there_is_not_has_the_nearest(name: str) -> None:
    function = getattr(plimsoll, name)
    known = [each for each in inspect.signature(function).parameters if len(each) > 4 and each != "sessions"]
    with pytest.raises(
        plimsoll.UnknownName, match=f"no argument named '{known[-1]}x' in plimsoll.{name}; did you mean"
    ):
        function(**{f"{known[-1]}x": 1})
    with pytest.raises(plimsoll.UsageError, match=f"plimsoll.{name}: |what is compared is a Session"):
        function(*range(30))


@pytest.mark.parametrize(
    ("name", "argument", "value", "told"),
    [
        ("run", "blocks", "3", "plimsoll.run: blocks = '3': give a whole number"),
        ("run", "blocks", True, "blocks = True: give a whole number"),
        ("run", "same_place", "no", "same_place = 'no': give True or False"),
        ("run", "destroy", "SERIAL", "destroy = 'SERIAL': give a list of these: text"),
        ("run", "band", float("nan"), "band = nan: give text or a number"),
        ("run", "cancel", 7, r"cancel = 7: give an object with is_set\(\)"),
        ("run", "tests", "", "a test is a name, or a table"),
        ("run", "bugdet", "5USD", "no argument named 'bugdet' in plimsoll.run; did you mean 'budget'"),
        ("run", "spot", 1, "spot = 1: give True or False"),
        ("knee", "test", [], "for one test at a time, not for 0"),
        ("load", "name", 3, "name = 3: give text or a path"),
        ("load", "name", "a\0b", "a NUL is in it"),
        ("advise", "device", "\udcff", "half of a character"),
        ("simulate", "volume", {1: 2}, "give text or a table by name"),
        ("import_files", "files", [3], "a file is named by a path, not by 3"),
        ("import_files", "format", "fio_jsn", "did you mean 'fio_json'"),
        ("compare", "band", [], r"band = \[\]: give text or a number"),
    ],
)
def test_what_is_refused_says_what_to_give(name: str, argument: str, value: Any, told: str) -> None:
    with pytest.raises(plimsoll.UsageError, match=told):
        getattr(plimsoll, name)(**{**RIGHT.get(name, {}), argument: value})


def test_what_fits_is_taken(place: Path) -> None:
    """Numbers of other libraries, generators, pairs as lists: no check is narrower than the call."""
    numpy = pytest.importorskip("numpy")
    with pytest.raises(plimsoll.Cancelled):
        plimsoll.run("randread", {"a": Path("disk")}, repeats=numpy.int64(1), band=numpy.float64(0.1),
                     time=timedelta(minutes=1), settings={**SHORT, "depth": numpy.int64(2)}, cancel=Late())  # fmt: skip
    with pytest.raises(plimsoll.ResultFileError, match="is in no format that is known"):
        plimsoll.import_files(place.glob("*.txt"))


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_a_session_refuse_in_words(name: str) -> None:
    record, runs = factories.make_study(ratios={"b": 0.5})
    session = Session(record, tuple(runs))
    for argument in METHODS[name]:
        for value in WRONG:
            options = {"path": "report.md", argument: value} if name == "report" else {argument: value}
            in_words(lambda words=options: getattr(session, name)(**words))  # type: ignore[misc]


def test_a_percentage_is_one() -> None:
    _, runs = factories.make_study()
    found = histogram_of([decode(next(iter(runs[0].histograms.values())))])
    for wrong in ("99", None, 101, -1, float("nan")):
        with pytest.raises(plimsoll.UsageError, match="percent = "):
            found.percentile_ns(wrong)  # type: ignore[arg-type]


RENTED: dict[str, Any] = {
    "instance": "m7i.large", "region": "us-east-1", "zone": "us-east-1a", "spot": True, "allocations": 3,
    "budget": 5, "lease": timedelta(hours=2), "accept_unattended": True, "clients_on": "aws:m7i.large,count=8",
}  # fmt: skip


@pytest.mark.parametrize("name", ["run", "knee"])
def test_what_is_said_about_renting_arrives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Study | LoadStudy] = []

    def carried_out(study: Study | LoadStudy, *_: Any, **__: Any) -> None:
        seen.append(study)
        raise plimsoll.Cancelled("seen")

    monkeypatch.setattr(measuring, "carried_out", carried_out)
    with pytest.raises(plimsoll.Cancelled, match="seen"):
        getattr(plimsoll, name)("randread", ["gp3=aws:gp3,size=20GiB"], **RENTED)
    study = seen[0].study if isinstance(seen[0], LoadStudy) else seen[0]
    assert study.rented
    assert study.rent == Renting(**{k: v for k, v in RENTED.items() if k not in ("budget", "lease")},
                                 budget_usd=5.0, lease_ns=7200 * 10**9)  # fmt: skip


def test_renting_is_for_targets_that_are_rented() -> None:
    with pytest.raises(plimsoll.UsageError, match="--budget: none of these targets is rented"):
        plimsoll.run("randread", {"a": "disk"}, budget="5USD")
    with pytest.raises(plimsoll.UsageError, match="'much' is not an amount"):
        plimsoll.run("randread", ["gp3=aws:gp3,size=20GiB"], budget="much")
