"""A model beside the real volume: what is compared, and what is not."""

from __future__ import annotations

import pytest
from tests.factories import make_study

from plimsoll.report import Evidence, build_document
from plimsoll.report.models import model_checks
from plimsoll.report.renderers.markdown import render
from plimsoll.stats.verdict import Answer

MODEL = "vol:type=gp3,size=100GiB"
REAL = "gp3+size=100GiB"


def beside(ratio: float, *, model: str = MODEL, real: str = REAL, blocks: int = 6, noise: float = 0.01) -> Evidence:
    """A session of a model and a later one of a real volume, whose IOPS are `ratio` times the model's."""
    sessions, runs = [], []
    for seed, (name, where, options) in enumerate((("gp3", model, {}), ("real", "/mnt/a", {"as": real}))):
        session, own = make_study(
            seed=seed + 1, targets=(name,), cases=("randread", "ping"), blocks=blocks, noise=noise,
            block_noise=0.0,
            ratios={(name, "randread"): 1.0 if name == "gp3" else ratio},
        )  # fmt: skip
        sessions.append(session.model_copy(update={"started_ns": session.started_ns + seed * 10**12}))
        kind = "volume" if where.startswith("vol:") else "directory"
        for run in own:
            target = run.target.model_copy(update={"where": where, "options": options, "kind": kind})
            runs.append(run.model_copy(update={"target": target}))
    return Evidence(sessions, runs, None, 0.1, apart=True)


def test_a_volume_that_is_slower_than_its_model() -> None:
    found = {(each.cell.case, each.cell.metric): each.cell for each in model_checks(beside(0.6))}
    assert found["randread", "iops"].verdict.answer is Answer.WORSE
    assert found["randread", "iops"].verdict.ratio == pytest.approx(0.6, rel=0.03)
    assert found["ping", "iops"].verdict.answer is Answer.SAME
    assert {cell.baseline for cell in found.values()} == {"gp3"}


@pytest.mark.parametrize(
    ("model", "real"),
    [
        (MODEL, "gp3+size=200GiB"),
        (MODEL, "gp2+size=100GiB"),
        (MODEL, "gp3+size=100GiB+iops=4000"),
        (MODEL, "gp3+size=100GiB+instance=m5.large"),
        (f"{MODEL},time_scale=60", REAL),
        (f"{MODEL},first_touch=yes", REAL),
        ("/mnt/b", REAL),
    ],
)
def test_what_is_no_model_of_the_other_is_not_held_against_it(model: str, real: str) -> None:
    assert not model_checks(beside(0.6, model=model, real=real))


def test_a_fitted_model_is_one_too() -> None:
    assert model_checks(beside(1.0, model=f"{MODEL},model=iops:2900"))


def test_a_report_has_it() -> None:
    assert "Model and volume" in render(build_document(beside(0.6)))
