"""One run as a page shows it."""

from __future__ import annotations

from tests.factories import make_study

from plimsoll.report.document import Chart
from plimsoll.web.run_sections import sections_of


def test_a_run_of_one_interval_is_drawn_as_points() -> None:
    _, runs = make_study()
    run = next(each for each in runs if each.intervals)
    sections = sections_of(run.model_copy(update={"intervals": run.intervals[:1]}))
    chart = next(block for section in sections for block in section.blocks if isinstance(block, Chart))
    assert "over 1 interval." in chart.description
    # A line of one point shows nothing; a symbol of each curve does.
    assert chart.inline().count('z" fill=') == len(chart.series)
