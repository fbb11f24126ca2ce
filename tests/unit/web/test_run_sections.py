"""One run as a page shows it."""

from __future__ import annotations

from tests.factories import make_study

from plimsoll.report.document import Chart, Text
from plimsoll.report.palette import colour
from plimsoll.web.run_sections import sections_of


def test_a_run_of_one_interval_is_drawn_as_points() -> None:
    _, runs = make_study()
    run = next(each for each in runs if each.intervals)
    sections = sections_of(run.model_copy(update={"intervals": run.intervals[:1]}))
    chart = next(block for section in sections for block in section.blocks if isinstance(block, Chart))
    assert "over 1 interval." in chart.description
    # A line of one point shows nothing; a symbol of each curve does.
    picture = chart.inline()
    assert all(f'fill="{colour(place)}" stroke-width="2" opacity="1"' in picture for place in range(len(chart.series)))


def test_a_course_of_many_intervals_says_that_it_shows_medians() -> None:
    _, runs = make_study(intervals=100)
    run = next(each for each in runs if each.intervals)

    def told(intervals: int) -> str:
        sections = sections_of(run.model_copy(update={"intervals": run.intervals[:intervals]}))
        blocks = [block for section in sections if section.id == "course" for block in section.blocks]
        return " ".join(each.text for block in blocks if isinstance(block, Text) for each in block.sentences)

    assert told(60) == ""
    assert "more than 200 points shows medians" in told(100)
