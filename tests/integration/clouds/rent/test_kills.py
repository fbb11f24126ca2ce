"""A session that is killed at any of its calls leaves nothing, and nothing of a stranger is touched.

`make assure-cloud` takes all points; here are 30 that follow from a seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from tests.clouds import kills

SEED, POINTS = 21, 30


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kills.Place]:
    with kills.place(tmp_path_factory.mktemp("kills")) as where:
        yield where


def test_thirty_kills_leave_nothing(place: kills.Place) -> None:
    counted = {scenario: kills.calls(place, scenario) for scenario in kills.SCENARIOS}
    chosen = random.Random(SEED).sample(kills.points(counted), POINTS)
    wrong = {point.text: found for point in chosen if (found := kills.kill(place, point))}
    assert wrong == {}
