"""Devices that keep work for later do not alternate by themselves."""

from __future__ import annotations

from tests.integration.safety.conftest import MakeLoop

from plimsoll.run import interleave, plan
from plimsoll.run.study import from_words


def test_a_loop_device_may_write_later(make_loop: MakeLoop) -> None:
    device = make_loop(32)
    study = from_words(["randread"], (f"a={device}", f"b={device},depth=4"), seed=1)
    (way,) = interleave.ways(study, plan.steps(study)).values()
    assert str(way) == (
        "one after the other (target a lies on a loop device, which may write to its file later, while another works)"
    )
