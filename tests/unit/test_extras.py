"""Without an extra, each command that needs it says in one line what to install, before anything is written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from plimsoll.errors import UsageError
from plimsoll.extras import MODULES, PURPOSE, explained

ROOT = Path(__file__).parents[2]
HIDE = """
import os, sys
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in os.environ["HIDDEN"].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
"""
COMMANDS = [
    ("cluster", "run ping --quick-sizes --cluster local:2"),
    ("cluster", "knee randread --cluster local:2 --on a=@w1:/tmp"),
    ("cluster", "run ping --cluster tcp://127.0.0.1:9 --on a=@w1:/tmp"),
    ("cluster", "run ping --cluster ssh://nobody@127.0.0.1 --on a=@w1:/tmp"),
    ("web", "serve --port 0"),
    ("cloud", "merge s3://bucket/*.plimsoll.gz"),
    ("cloud", "import s3://bucket/fio.json"),
    ("cloud", "run ping --quick-sizes --output s3://bucket/report.html"),
    ("postgres", "list sessions"),
    ("otel", "run ping --quick-sizes --otlp http://127.0.0.1:9"),
]


def hidden(tmp_path: Path, extra: str, words: str) -> subprocess.CompletedProcess[str]:
    """`plimsoll WORDS` in a Python that cannot find the modules of `extra`."""
    (tmp_path / "sitecustomize.py").write_text(HIDE)
    place = {"postgres": "postgresql+psycopg://somebody@127.0.0.1:9/none"}.get(extra, str(tmp_path / "store.db"))
    names = {"HIDDEN": ",".join(MODULES[extra]), "PYTHONPATH": str(tmp_path)}
    names |= {"PLIMSOLL_HOME": str(tmp_path / "home"), "PLIMSOLL_STORE": place}
    program = Path(sys.executable).parent / "plimsoll"
    return subprocess.run(
        [program, *words.split()], env=os.environ | names, capture_output=True, text=True, cwd=tmp_path
    )


@pytest.mark.slow
@pytest.mark.parametrize(("extra", "words"), COMMANDS)
def test_a_command_without_its_extra_says_what_to_install(tmp_path: Path, extra: str, words: str) -> None:
    done = hidden(tmp_path, extra, words)
    assert done.returncode == 2, done.stderr
    assert f"pip install 'plimsoll[{extra}]'" in done.stderr
    assert "internal error" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert {each.name for each in tmp_path.iterdir()} <= {"sitecustomize.py", "home", "store.db", "__pycache__"}


def test_other_commands_need_no_extra(tmp_path: Path) -> None:
    every = ",".join(name for names in MODULES.values() for name in names)
    environment = {**os.environ, "HIDDEN": every, "PYTHONPATH": str(tmp_path)}
    (tmp_path / "sitecustomize.py").write_text(HIDE)
    home = {"PLIMSOLL_HOME": str(tmp_path / "home"), "PLIMSOLL_STORE": str(tmp_path / "store.db")}
    done = subprocess.run(
        [Path(sys.executable).parent / "plimsoll", "list", "tests"], env=environment | home, capture_output=True
    )
    assert done.returncode == 0, done.stderr


def test_a_module_of_no_extra_stays_what_it_is() -> None:
    error = ModuleNotFoundError("No module named 'plimsoll.lost'", name="plimsoll.lost")
    assert explained(error) is error
    assert isinstance(explained(ModuleNotFoundError(name="dask.base")), UsageError)


def test_the_extras_are_those_of_the_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {name: words for name, words in extras.items() if name not in ("dev", "site", "all")}
    assert set(named) == set(MODULES) == set(PURPOSE)
    for extra, requirements in named.items():
        own = [each for each in requirements if not each.startswith("plimsoll[")]
        distributions = {re.split(r"[\[><=]", each)[0].replace("-", "_") for each in own}
        assert distributions <= set(MODULES[extra])
    (every,) = extras["all"]
    assert set(re.findall(r"\w+", every)) - {"plimsoll"} == set(named), "all means all"
    words = [sys.executable, ROOT / "tools" / "requirements.py", "all"]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    wanted = {each for requirements in named.values() for each in requirements if not each.startswith("plimsoll[")}
    assert sorted(printed) == sorted(wanted)
    makefile = (ROOT / "Makefile").read_text()
    shown = re.search(r"^SHOWN := (.*)$", makefile, re.MULTILINE)
    assert shown
    assert "requirements.py $(SHOWN) >> $(BIN)/needed.txt" in makefile
    # The README shows no notebook, collector or rented machine; their own documents say what they need.
    assert set(shown[1].split()) == set(named) - {"notebook", "otel", "aws"}, "installed by `make setup`"
