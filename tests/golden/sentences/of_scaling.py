"""How much would match the baseline: within what was measured, beyond it, and too far beyond."""

from __future__ import annotations

from collections.abc import Callable

from tests.golden.sentences.speech import Situation, of_blocks
from tests.unit.report.test_file_sections import IOPS, volumes

from plimsoll.report import Evidence
from plimsoll.report.sections import scaling


def _amounts() -> list[Situation]:
    beyond, far = "extrapolated,", "is too far to say"

    def of(
        name: str, ratios: tuple[float, ...], says: str, *never: str, make: Callable[[Evidence], Evidence] | None = None
    ) -> Situation:
        found = volumes(dict(zip(IOPS, ratios, strict=True)))
        changed = make(found) if make else found
        return Situation("scaling", name, lambda: of_blocks(scaling.build(changed)), (says,), never)

    def with_study(found: Evidence) -> Evidence:
        session = found.sessions[0]
        words = {"published": "about 10,500 by hand"}
        changed = session.model_copy(update={"study": session.study | words})
        return Evidence([changed], found.runs, "standard", 0.1)

    def sized(found: Evidence) -> Evidence:
        sizes = {"p200": "100GiB", "p400": "200GiB", "p1000": "500GiB"}
        return _as_volumes(found, {name: f"gp2+size={size}" for name, size in sizes.items()})

    def threaded(found: Evidence) -> Evidence:
        threads = {"p200": 1, "p400": 2, "p1000": 5}
        runs = []
        for run in found.runs:
            plan = run.plan.having({**run.plan.parameters, "threads": threads.get(run.target.name, "as it comes")})
            target = run.target.model_copy(update={"options": {"threads": str(threads.get(run.target.name, 1))}})
            runs.append(run.model_copy(update={"plan": plan, "target": target}))
        return Evidence(found.sessions, runs, "standard", 0.1)

    return [
        of("within", (0.5, 1.0, 2.5), "would match standard", beyond, far, "what was published"),
        of("beyond the largest", (0.1, 0.2, 0.5), "times the largest that was measured, 1,000 IOPS", far),
        of("below the smallest", (4.0, 8.0, 20.0), "of the smallest that was measured, 200 IOPS", far),
        of("far beyond", (0.01, 0.02, 0.05), "and the targets that grow span 5 times", beyond, "would match standard:"),
        of("far beyond one", (5.0, 6.0, 6.0), "and one target alone grows", beyond),
        of(
            "published sums",
            (0.5, 1.0, 2.5),
            "For comparison, what was published: about 10,500 by hand",
            make=with_study,
        ),
        of("sizes", (0.5, 1.0, 2.5), "Scaling with size", "Scaling, test by test", make=sized),
        of("prices", (0.5, 1.0, 2.5), "a month would match standard", make=sized),
        of("a parameter", (0.5, 1.0, 2.5), "Scaling with threads", "IOPS would match", make=threaded),
    ]


def _as_volumes(found: Evidence, kinds: dict[str, str]) -> Evidence:
    """The targets said to be these volumes."""
    runs = [
        run.model_copy(
            update={
                "target": run.target.model_copy(
                    update={"options": {"as": kinds[run.target.name]} if run.target.name in kinds else {}}
                )
            }
        )
        for run in found.runs
    ]
    return Evidence(found.sessions, runs, "standard", 0.1)


SITUATIONS = _amounts()
