"""A model of a volume beside the volume itself: what is said of the model, and what is not."""

from __future__ import annotations

from tests.golden.sentences.of_reports import of_evidence
from tests.golden.sentences.speech import Situation
from tests.unit.report.test_models import MODEL, beside

WRONG, HOLDS, OPEN = (
    f"the model of gp3 100 GiB, 3,000 IOPS, 125 MiB/s {word}" for word in ("is wrong", "holds: ", "holds is")
)
FIT = "makes a model of what was measured"
WHERE = "An emulated volume answers on the machine that serves it"

SITUATIONS: list[Situation] = [
    of_evidence(
        "a model that promises too much",
        lambda: beside(0.6),
        "randread, IOPS: the model of gp3 100 GiB, 3,000 IOPS, 125 MiB/s is wrong: real is 1.6",
        "× slower than gp3 (1.",
        "ping, IOPS: the model of gp3 100 GiB, 3,000 IOPS, 125 MiB/s holds: real and gp3 are the same within ±10 %",
        FIT,
        WHERE,
        never=("IOPS: whether the model",),
    ),
    of_evidence(
        "a model that holds",
        lambda: beside(1.0),
        "ping, IOPS: the model of gp3 100 GiB, 3,000 IOPS, 125 MiB/s holds: ",
        WHERE,
        never=(WRONG, FIT),
    ),
    of_evidence(
        "too few runs to say it",
        lambda: beside(0.9, blocks=3, noise=0.2),
        "whether the model of gp3 100 GiB, 3,000 IOPS, 125 MiB/s holds is open: ",
        never=(WRONG, HOLDS, FIT),
    ),
    of_evidence(
        "a model of another volume",
        lambda: beside(0.6, real="gp3+size=200GiB"),
        never=(WRONG, HOLDS, OPEN, FIT, WHERE),
    ),
    of_evidence(
        "a model in faster time",
        lambda: beside(0.6, model=f"{MODEL},time_scale=60"),
        never=(WRONG, HOLDS, OPEN, FIT, WHERE),
    ),
]
