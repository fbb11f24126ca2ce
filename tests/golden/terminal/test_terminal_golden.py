"""What commands print on terminals of 80 and 140 columns, kept as files.

`UPDATE_GOLDEN=1 pytest tests/golden/terminal` writes them anew; a mismatch writes a `.got` file beside the expected.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from tests.factories import many_cases
from tests.golden.kept import check
from tests.unit.report.studies import evidence, pair
from tests.unit.report.test_matrix import published

from plimsoll.api.comparing import comparison
from plimsoll.cli.board import CurrentRun, State, lines
from plimsoll.cli.comparison_text import print_comparison
from plimsoll.cli.listing import listed
from plimsoll.cli.recorder import Recorder
from plimsoll.report import Evidence
from plimsoll.run.observer import Silent
from plimsoll.run.plan import Step
from plimsoll.run.time_left import TimeLeft
from plimsoll.units import SECOND

HERE = Path(__file__).parent
STUDIES = {
    "pair": pair,
    "published": published,
    "nothing": lambda: evidence(targets=("a", "b"), cases=("randread",), blocks=1, title="one block"),
}


def screen(width: int) -> Console:
    return Console(file=io.StringIO(), width=width, height=50, color_system=None, force_terminal=True, highlight=False)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


def compared(found: Evidence, width: int, *, every: bool = False) -> str:
    console = screen(width)
    print_comparison(found, comparison(found, frozenset()), console, every=every)
    return written(console)


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("study", STUDIES)
def test_compare(study: str, width: int) -> None:
    text = compared(STUDIES[study](), width)
    assert max(map(len, text.splitlines())) <= width
    check(HERE / f"compare-{study}-{width}.txt", text)


def clear() -> Evidence:
    """20 tests on 5 targets, of which most differ."""
    ratios = {"b": 1.5, "c": 2.0, "d": 3.0, "e": 0.5}
    return evidence(targets=("a", *ratios), cases=many_cases(20), blocks=4, ratios=ratios, noise=0.01)


@pytest.mark.parametrize("make", [published, clear])
def test_a_published_table_is_compared_in_one_screen(make: Callable[[], Evidence]) -> None:
    """Before: 20 tests on 5 targets that differ were followed by a sentence on each, 150 lines in all."""
    assert len(compared(make(), 80).splitlines()) <= 70


def test_many_differences_are_told_by_the_table_few_in_sentences_too() -> None:
    some, every = (compared(clear(), 80, every=each) for each in (False, True))
    differ = re.search(
        r"(\d+) of \d+ comparisons differ.*: `--all` shows each with its interval\.", " ".join(some.split())
    )
    assert differ is not None
    assert int(differ[1]) > 12
    assert "blocks\n" not in some.split("Comparisons")[1]
    assert "shows each with its interval" not in every
    assert "shows each with its interval" not in compared(pair(), 80)


def test_metrics_have_their_titles_in_notes() -> None:
    """Before: "randread, iops: …"."""
    text = compared(clear(), 140, every=True).split("Comparisons")[1]
    assert "IOPS" in text
    assert ", iops" not in text


def test_every_comparison_is_told_when_asked() -> None:
    some, every = (compared(pair(), 140, every=each) for each in (False, True))
    assert "5 of 8 comparisons differ" in some
    assert "comparisons differ" not in every
    assert len(re.findall(r"^ [▲▼=?] ", every, re.MULTILINE)) == len(pair().cells)


def test_nothing_is_broken_inside_a_word_or_a_number() -> None:
    wide, narrow = (
        " ".join(compared(pair(), width, every=True).split("Comparisons")[1].split()) for width in (140, 60)
    )
    assert wide == narrow


def board(width: int) -> str:
    """A session of 20 tests on 5 targets under way."""
    found, drawn = published(), list[State]()
    recorder = Recorder(Silent(), drawn.append)
    [session] = found.sessions
    plans = {run.plan.case: run.plan for run in found.runs}
    steps = [Step(case, plan.metrics, dict.fromkeys(session.target_names, plan)) for case, plan in plans.items()]
    recorder.session_started(session, steps, ())
    for run in found.runs[:237]:
        recorder.run_finished(run, TimeLeft(40 * SECOND, 300 * SECOND))
    recorder.looked("ping", "same within ±10 % after 3 blocks", closed=True)
    told = "IOPS undecided after 3 blocks: gp3 / gp2 1.02× (0.97…1.07), io1 / gp2 0.99× (0.90…1.09); next look after 4"
    recorder.looked("randread", told, closed=False)
    state = drawn[-1]
    rates = [110_000 + 9_000 * (second % 5) for second in range(48)]
    slow = [1e6 * (1 + (second % 9 == 0)) for second in range(48)]
    state.current = CurrentRun("randread", "io2", 2, "measure", 0.8, rates, slow, 4096 * rates[-1])
    return "\n".join(line.plain.rstrip() for line in lines(state, width, 40, state.left_at_ns)) + "\n"


@pytest.mark.parametrize("width", [60, 80, 140])
def test_the_board(width: int) -> None:
    check(HERE / f"board-{width}.txt", board(width))


def sessions() -> list[dict[str, object]]:
    """Rows as `plimsoll list sessions` has them."""
    return [
        {
            "session": f"3f9c1b2{number}",
            "started": f"2026-11-2{number} 16:35",
            "title": title,
            "state": state,
            "valid": valid,
            "runs": 240,
            "targets": "gp2, gp3, io1, io2, nvme",
            "tags": tags,
            "note": "before the kernel was updated, with the old scheduler and read-ahead of 128 KiB",
        }
        for number, (title, state, valid, tags) in enumerate(
            [
                ("disk on gp2, gp3, io1, io2, nvme", "done", 240, "baseline:monday"),
                ("randread", "interrupted", 7, ""),
                ("a title that somebody wrote to say what the session is about and why", "done", 1, "kernel"),
            ]
        )
    ]


@pytest.mark.parametrize("width", [80, 140, None])
def test_a_list(width: int | None) -> None:
    found = listed(sessions(), ("valid", "runs"), width, first=8)
    check(HERE / f"list-{width or 'piped'}.txt", "\n".join(found) + "\n")
