"""What a page of comparisons may pool and compare: the same work on the same place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.factories import make_study
from tests.integration.web.conftest import add
from tests.unit.report.test_bill_section import rented
from tests.unit.report.test_subject import as_stored

from plimsoll.errors import UnknownName
from plimsoll.report.renderers.json import as_json
from plimsoll.store.names import short_id
from plimsoll.store.opening import open_store
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


def test_allocations_of_products_are_pooled_as_these(tmp_path: Path) -> None:
    kept = rented([1.0, 0.9, 0.8])
    runs = as_stored(kept, list(kept.runs))
    with open_store(str(tmp_path / "r.db")) as store:
        for session in kept.sessions:
            add(store, session, [run for run in runs if run.session_id == session.id])
        chosen = [Choice(session.id, name) for session in kept.sessions for name in ("a", "b")]
        found = comparison.collect(store, chosen, pool=True)
        assert set(found.names.values()) == {"a", "b"}
        told = json.dumps(as_json(comparison.build(found)), ensure_ascii=False)
        assert "b is 1.26× slower than a (1.20…1.33) in randread (IOPS)." in told
        assert "from 3 fresh allocations" in told
        apart = comparison.collect(store, chosen, pool=False)
        told = json.dumps(as_json(comparison.build(apart)), ensure_ascii=False)
        assert "fresh allocations" not in told


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
