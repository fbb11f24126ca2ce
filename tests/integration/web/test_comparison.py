"""What a page of comparisons may pool and compare: the same work on the same place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.factories import make_study
from tests.integration.web.conftest import add

from plimsoll.errors import UnknownName
from plimsoll.report.renderers.json import as_json
from plimsoll.store.names import short_id
from plimsoll.store.store import open_store
from plimsoll.web import comparison
from plimsoll.web.comparison import Choice


def test_other_places_of_one_name_are_not_pooled(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "r.db")) as store:
        chosen = []
        for night, file_system in enumerate(("ext4", "tmpfs", "ext4")):
            session, runs = make_study(
                ("disk",), title=f"n{night}", seed=night, ratios={"disk": 1.0 + 3 * (night == 1)}
            )
            target = runs[0].target.model_copy(update={"facts": {"file_system": file_system}})
            add(store, session, [run.model_copy(update={"target": target}) for run in runs])
            chosen.append(Choice(session.id, "disk"))
        found = comparison.collect(store, chosen, pool=True)
        assert list(found.names.values()) == ["disk (ext4)", "disk (tmpfs)", "disk (ext4)"]
        told = json.dumps(as_json(comparison.build(found)), ensure_ascii=False)
        assert re.search(r"disk \(tmpfs\) is \S+× faster than disk \(ext4\)", told)
        assert "4 and 8 runs measured apart" in told
        same = comparison.collect(store, [chosen[0], chosen[2]], pool=True)
        assert set(same.names.values()) == {"disk"}


def test_cases_are_compared_across_a_parameter_only_when_asked(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "r.db")) as store:
        chosen = []
        for size in ("1GiB", "2GiB"):
            session, runs = make_study(("disk",), (f"randread size={size}",), title=size, seed=len(chosen))
            runs = [run.model_copy(update={"plan": run.plan.model_copy(update={"case": "randread"})}) for run in runs]
            add(store, session, runs)
            chosen.append(Choice(session.id, "disk"))
        found = comparison.collect(store, chosen, pool=False)
        told = json.dumps(as_json(comparison.build(found)), ensure_ascii=False)
        assert "this target never ran this case" in told
        assert "the targets have no case in common" in told
        asked = json.dumps(as_json(comparison.build(found, across=["size"])), ensure_ascii=False)
        assert f"disk · {short_id(chosen[1].session_id)} size=2 GiB" in asked
        assert "4 and 4 runs measured apart" in asked
        with pytest.raises(UnknownName, match="size"):
            comparison.build(found, across=["sise"])
