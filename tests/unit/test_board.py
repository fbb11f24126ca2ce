"""The board of a running session: it fits every screen, and says what is known and no more."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console, ConsoleDimensions
from rich.live import Live
from rich.text import Text
from tests.factories import make_study, many_cases

from plimsoll.cli import live_states, progress
from plimsoll.cli.board import CurrentRun, State, headline, lines, spark
from plimsoll.cli.recorder import Recorder
from plimsoll.model import Run, RunStatus, Session
from plimsoll.report.document import Tone
from plimsoll.run.observer import Silent
from plimsoll.run.plan import Step
from plimsoll.run.time_left import TimeLeft
from plimsoll.units import SECOND

HOSTILE = "[bold]\x1b[31m\u202e" + "n" * 4000
CLEARED = "\x1b[H\x1b[2J"
LEFT = TimeLeft(40 * SECOND, 40 * SECOND)


class Screen:
    """The state as it was drawn last."""

    def __init__(self) -> None:
        self.state: State | None = None

    def draw(self, state: State) -> None:
        self.state = state

    @property
    def now(self) -> State:
        assert self.state is not None
        return self.state

    def text(self, width: int = 100, height: int = 50) -> str:
        return "\n".join(line.plain for line in lines(self.now, width, height, self.now.left_at_ns))


def steps_of(session: Session, runs: Sequence[Run]) -> list[Step]:
    plans = {run.plan.case: run.plan for run in runs}
    return [Step(case, plan.metrics, dict.fromkeys(session.target_names, plan)) for case, plan in plans.items()]


def played(
    screen: Screen,
    session: Session,
    runs: Sequence[Run],
    earlier: Sequence[Run] = (),
    planned: Sequence[Run] = (),
) -> Recorder:
    """A recorder that has seen these runs."""
    recorder = Recorder(Silent(), screen.draw)
    steps = {step.case: step for step in steps_of(session, [*earlier, *runs, *planned])}
    recorder.session_started(session, list(steps.values()), earlier)
    for run in runs:
        recorder.run_started(steps[run.plan.case], run.target.name, run.block, LEFT)
        recorder.run_finished(run, LEFT)
    return recorder


def study(**choices: object) -> tuple[Session, list[Run]]:
    return make_study(("gp2", "gp3"), ("randread", "ping"), 3, {"gp3": 2.0}, **choices)  # type: ignore[arg-type]


def test_the_table_fills_with_each_run_and_verdicts_wait_for_the_end() -> None:
    screen = Screen()
    session, runs = study()
    first = [run for run in runs if run.plan.case == "randread"]
    recorder = played(screen, session, first[:1], planned=runs)
    assert list(screen.now.cases[0].cells) == [first[0].target.name]
    assert "×" not in screen.text()
    recorder = played(screen, session, first, planned=runs)
    row = screen.now.cases[0]
    assert row.blocks == 3
    assert row.cells["gp3"].tone is Tone.UNKNOWN
    assert "? " in screen.text()
    recorder.looked("randread", "decided after 3 blocks", closed=True)
    assert row.cells["gp3"].tone is Tone.BETTER
    assert "▲ " in screen.text()
    assert "× faster" in screen.text()
    assert "1 of 2 tests done" in screen.text()


def test_what_is_undecided_is_said_until_it_is_decided() -> None:
    screen = Screen()
    session, runs = study()
    recorder = played(screen, session, runs)
    why = "IOPS undecided after 3 blocks: gp3 / gp2 1.25× (0.97…1.61); next look after 4"
    recorder.looked("randread", why, closed=False)
    assert f"randread: {why}" in screen.text()
    recorder.looked("randread", "decided", closed=True)
    assert why not in screen.text()


def test_a_run_that_is_not_valid_is_counted_and_seen() -> None:
    screen = Screen()
    session, runs = study()
    lost = runs[0].model_copy(update={"status": RunStatus.FAILED, "scores": (), "reason": "no server"})
    played(screen, session, [lost])
    assert "1 of 1 runs not valid" in screen.text()
    assert "failed" in screen.text()
    played(screen, session, runs[:1])
    assert "not valid" not in screen.text()


def test_a_session_that_goes_on_begins_with_what_it_has() -> None:
    screen = Screen()
    session, runs = study()
    played(screen, session, [], earlier=runs)
    assert [case.blocks for case in screen.now.cases] == [3, 3]
    assert screen.now.runs == len(runs)


def progress_at(start_ns: int, operations: int) -> dict[str, object]:
    kinds = {
        "read": {"operations": operations, "bytes": operations * 4096, "p50_ns": 1, "p99_ns": 3_000_000, "max_ns": 1}
    }
    interval = {"start_ns": start_ns, "duration_ns": SECOND, "errors": 0, "operations": kinds}
    return {"phase": "measure", "elapsed_ns": start_ns, "done": 0.5, "interval": interval}


def test_the_current_run_has_each_second_once() -> None:
    screen = Screen()
    session, runs = study()
    recorder = played(screen, session, [])
    [step, _] = steps_of(session, runs)
    recorder.run_started(step, "gp2", 0, LEFT)
    for second in (0, 0, 1, 1, 2):
        recorder.run_progress(progress_at(second * SECOND, 1000 * (second + 1)))  # type: ignore[arg-type]
    assert screen.now.current is not None
    assert screen.now.current.rates == [1000.0, 2000.0, 3000.0]
    assert "measuring 50 %" in screen.text()
    assert "▃▆█ 3,000/s, 11.7 MiB/s" in screen.text()
    assert "p99  ███ 3 ms" in screen.text()
    recorder.run_finished(runs[0], LEFT)
    assert "measuring" not in screen.text()


def test_bars_go_from_zero_to_the_largest() -> None:
    assert spark([0, 5, 10], 10) == "▁▅█"
    assert spark([0, 0], 10) == "▁▁"
    assert spark([], 10) == ""
    assert spark(list(range(100)), 3) == "███"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 140])
@pytest.mark.parametrize("height", [8, 14, 50])
@pytest.mark.parametrize("names", [("a", "b"), tuple(f"volume-{i}" for i in range(12)), (HOSTILE, "b")])
def test_no_screen_is_too_small_and_no_name_too_long(width: int, height: int, names: tuple[str, ...]) -> None:
    screen = Screen()
    session, runs = make_study(names, many_cases(20), 1, title=HOSTILE)
    recorder = played(screen, session, runs)
    recorder.looked("randread", "undecided " + "x" * 300, closed=False)
    screen.now.current = CurrentRun("randread", names[0], 0, "measure", 0.3, [1e6] * 60, [1e9] * 60, 1e9)
    found = lines(screen.now, width, height, screen.now.left_at_ns)
    assert len(found) < height
    assert all(line.cell_len <= width for line in found)
    assert not any(mark in line.plain for line in found for mark in ("\x1b", "\u202e", "\n"))
    assert not any(span.style == "bold red" for line in found for span in line.spans)


def test_the_current_test_is_in_sight_however_many_there_are() -> None:
    screen = Screen()
    cases = many_cases(40)
    session, runs = make_study(("a", "b"), cases, 1)
    played(screen, session, runs)
    screen.now.current = CurrentRun(cases[30], "a", 0)
    text = screen.text(height=16)
    assert cases[30] in text
    assert "more above" in text
    assert "more below" in text


def test_a_narrow_headline_keeps_the_time_left() -> None:
    screen = Screen()
    session, runs = study(title="a title that is much longer than the screen is wide, and then some more")
    played(screen, session, runs)
    assert headline(screen.now, screen.now.left_at_ns, 60).endswith("· about 40 s left")
    assert len(headline(screen.now, screen.now.left_at_ns, 60)) <= 60


def test_no_time_is_told_before_one_is_known() -> None:
    screen = Screen()
    session, runs = study()
    recorder = played(screen, session, [], planned=runs)
    assert screen.text().splitlines()[0].endswith("starting")
    recorder.run_started(steps_of(session, runs)[0], "gp2", 0, LEFT)
    assert "starting" not in screen.text().splitlines()[0]
    assert "about 40 s left" in screen.text()


def test_the_state_is_there_for_others_until_the_end() -> None:
    session, runs = study()
    recorder = played(Screen(), session, runs)
    [live] = live_states.states()
    assert live.alive
    assert (live.state.session, live.state.title) == (session.id, session.title)
    assert live_states.read(live.path) == live
    recorder.session_finished(session)
    assert live_states.states() == []
    assert not live.path.parent.exists()


def test_a_process_that_is_gone_is_known() -> None:
    screen = Screen()
    session, _ = study()
    played(screen, session, [])
    state = screen.now
    state.owner = state.owner.model_copy(update={"start_ticks": state.owner.start_ticks + 1})
    live_states.StateFile(session.id).write(state)
    assert [live.alive for live in live_states.states()] == [False]


def test_a_folder_that_others_could_write_to_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(live_states, "_MEMORY", tmp_path)
    place = live_states.folder(make=True)
    assert place is not None
    assert place.parent == tmp_path
    place.chmod(0o777)
    assert live_states.folder(make=True) == tmp_path / "home" / "live"


def test_what_is_no_state_is_passed_over() -> None:
    place = live_states.folder(make=True)
    assert place is not None
    (place / "x.json").write_text("{")
    assert live_states.states() == []


def test_a_screen_of_another_size_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lines were broken or cut, so nothing of the old board may stay, and all that was said above it does."""
    monkeypatch.setattr(progress, "DRAWN_EVERY_NS", 0)
    screen, (session, runs) = Screen(), study()
    played(screen, session, runs[:3])
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=140, height=40)
    with Live(console=console, transient=True, auto_refresh=False) as live:
        moving = progress._Moving(live)
        moving.note("said before")
        for _ in range(2):
            moving.draw(screen.now)
        assert CLEARED not in written.getvalue()
        for width in (60, 100):
            console.size = ConsoleDimensions(width, 40)
            for _ in range(2):
                moving.draw(screen.now)
            told = Text.from_ansi(written.getvalue().rpartition(CLEARED)[2]).plain
            assert told.count("said before") == 1
            assert "randread" in told
            assert max(map(len, told.splitlines())) <= width
    assert written.getvalue().count(CLEARED) == 2
