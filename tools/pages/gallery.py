"""The gallery: five situations as people meet them, each measured, simulated or imported by the tool itself."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.pages import examples, picture

PROGRAM = Path(sys.executable).parent / "plimsoll"
SHORT = "--set size=64MiB --set warmup=100ms --noisy-host --quiet"
"""For runs of half a second, on a machine that may do other things."""
SCREEN = (1300, 900)


@dataclass(frozen=True)
class Situation:
    """One report and how it comes about."""

    name: str
    title: str
    origin: str
    """Where the numbers come from, in a sentence."""
    command: str
    """What is typed, without the first word."""
    prepare: Callable[[Path, examples.Plimsoll], None] | None = None
    """Makes the files that the command reads."""


SITUATIONS = (
    Situation(
        "single-disk",
        "A single disk",
        "Measured on the machine that built this site, with runs far shorter than a real measurement.",
        f"run ping randread randwrite seqread seqwrite --on disk=. --blocks 3 --set runtime=500ms {SHORT}",
    ),
    Situation(
        "two-targets",
        "Two targets",
        "Measured on the machine that built this site: one disk with 32 operations in flight, and with one.",
        f"run randread randwrite --on deep=. --on alone=.,depth=1 --set runtime=500ms {SHORT}",
    ),
    Situation(
        "imported-table",
        "An imported table of 20 tests and 5 targets",
        "An example with invented numbers. A published table of another tool's results is imported in the same way.",
        "import invented-20-tests-5-volumes.csv",
        examples.invented_table,
    ),
    Situation(
        "burst-series",
        "Series in which bursts end: 100 runs on 9 targets",
        "Simulated, not measured: gp2 volumes of nine sizes that start with 30 % of their burst credits.",
        "import simulated-bursts.csv",
        examples.simulated_bursts,
    ),
    Situation(
        "load-line",
        "A load line",
        "Measured on the machine that built this site, with runs far shorter than a real measurement.",
        f"knee randread --on disk=. --depth 1..16 --stored 0s --time 40s --set runtime=300ms {SHORT}",
    ),
)


@dataclass(frozen=True)
class Shown:
    """A situation with the files made of it."""

    situation: Situation
    files: Sequence[Path]
    """The report; and, where Chromium is installed, a picture of it."""


class CommandFailed(Exception):
    """A command of the gallery ended with an error."""


def make(folder: Path, situations: Sequence[Situation] = SITUATIONS) -> list[Shown]:
    """Carry out each in `folder`. Raises CommandFailed that names the command."""
    folder.mkdir()
    return [_shown(folder, each) for each in situations]


def _shown(folder: Path, situation: Situation) -> Shown:
    # A store of its own: the session that began last, which is what `report` takes, is not the one imported last.
    home = {"PLIMSOLL_HOME": str(folder / f"{situation.name}.home")}
    environment = {name: value for name, value in os.environ.items() if name != "PLIMSOLL_STORE"} | home

    def plimsoll(words: str) -> None:
        done = subprocess.run(
            [PROGRAM, *shlex.split(words)], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise CommandFailed(f"plimsoll {words}\nended with {done.returncode}\n{done.stdout}\n{done.stderr}")

    if situation.prepare:
        situation.prepare(folder, plimsoll)
    plimsoll(situation.command)
    report = folder / f"{situation.name}.html"
    plimsoll(f"report -o {report.name}")
    if not picture.possible():
        return Shown(situation, [report])
    drawn = report.with_suffix(".png")
    picture.take(report, drawn, *SCREEN)
    return Shown(situation, [report, drawn])


HEAD = """# Gallery

Reports as Plimsoll writes them: one file each, which needs no network. They were made when this site was built.
"""


def page(shown: Sequence[Shown]) -> str:
    """The page of the gallery, in Markdown."""
    return "\n".join([HEAD, *(_entry(each.situation, [file.name for file in each.files]) for each in shown)])


def _entry(situation: Situation, files: Sequence[str]) -> str:
    report, *pictures = files
    width, height = SCREEN
    drawn = "".join(
        f'<figure class="gallery"><a href="{report}"><img src="{name}" width="{width}" height="{height}" '
        f'loading="lazy" alt="First screen of the report: {situation.title}"></a></figure>\n\n'
        for name in pictures
    )
    typed = f"```text\nplimsoll {situation.command}\nplimsoll report -o {report}\n```\n"
    return f'## {situation.title}\n\n{situation.origin} <a href="{report}">Open the report</a>.\n\n{drawn}{typed}'
