"""A pytest plugin: `--seconds FILE` prints how long the tests of each folder took, those before it in FILE included."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seconds", type=Path, metavar="FILE", help="print the seconds of each folder and add them to FILE"
    )


def pytest_configure(config: pytest.Config) -> None:
    # The workers of xdist report to the process that started them.
    if config.getoption("seconds") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Seconds(config.getoption("seconds")))


class _Seconds:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._seconds: Counter[str] = Counter()
        self._tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = _folder(report.nodeid)
        self._seconds[folder] += report.duration
        self._tests[folder] += report.when == "call"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._file.exists():
            before = json.loads(self._file.read_text())
            self._seconds.update(before["seconds"])
            self._tests.update(before["tests"])
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps({"seconds": self._seconds, "tests": self._tests}))
        terminalreporter.section("seconds by folder")
        for folder, seconds in [*self._seconds.most_common(), ("all", sum(self._seconds.values()))]:
            tests = self._tests[folder] if folder != "all" else sum(self._tests.values())
            terminalreporter.line(f"{seconds:9.1f} s {tests:6,} tests  {folder}")


def _folder(nodeid: str) -> str:
    """`tests/unit`, `tests/integration/run`: the first folders that tell kinds of tests apart."""
    parts = nodeid.split("::")[0].split("/")[:-1]
    return "/".join(parts[: 3 if parts[1:2] == ["integration"] else 2])
