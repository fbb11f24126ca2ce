"""Calibrating a volume: what its server is told, also where the device does not answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plimsoll.errors import TargetError
from plimsoll.volumes import control, path


def test_a_device_that_does_not_answer_is_named_and_the_volume_stays_without_the_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(control, "ask", lambda _, request: told.append(request))
    with pytest.raises(TargetError, match=r"gone.*create it again"):
        path.compensate(tmp_path, str(tmp_path / "gone"))
    assert told[-1] == {"command": "bypass", "on": True}, "no wait stays behind"
