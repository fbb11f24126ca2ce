"""What is said of a single target: which volumes do the same, what they cost, what limits it, and why not."""

from __future__ import annotations

from typing import Any

from tests.golden.sentences.speech import Situation, of_report
from tests.unit.report.studies import evidence, with_runs
from tests.unit.report.test_imported_series import cliff, rates

from plimsoll.model import Finding, Level, Run, Target
from plimsoll.report import Evidence
from plimsoll.units import GIB, SECOND

LIKE = "In the cloud ("
BEYOND = "No volume of the catalog is as fast in"
LIMIT = "Limiting factor:"
LEFT_OUT = "Not compared with volumes, because"


def alone(
    *cases: str,
    options: dict[str, str] | None = None,
    where: str = "",
    warn: str = "",
    values: Any = None,
    **study: Any,
) -> Evidence:
    """One target with runs of some cases; `warn` is the guard that warns of each, with its values."""
    found = evidence(
        targets=("disk",), cases=cases or ("randread",), blocks=study.pop("blocks", 4), noise=0.01, **study
    )
    finding = (Finding(guard=warn, level=Level.WARN, message="something", values=values or {}),) if warn else ()

    def changed(run: Run) -> Run:
        place: dict[str, Any] = {"options": options or {}, "where": where or run.target.where}
        target = run.target.model_copy(update=place | ({"kind": "volume"} if where.startswith("vol:") else {}))
        return run.model_copy(update={"target": target, "findings": finding})

    return with_runs(found, [changed(run) for run in found.runs])


def _noisy() -> Evidence:
    """One target whose runs differ by a fifth from each other."""
    return evidence(targets=("disk",), cases=("randread",), blocks=4, noise=0.2)


def of_fio(rate: float = 9_000, *, format_name: str = "fio_json", runs: int = 3, **options: Any) -> Evidence:
    """Imported runs of one fio job."""
    given = {"rw": "randread", "bs": 4096, "iodepth": 32, "direct": 1, "size": GIB, "ioengine": "libaio", **options}
    found = evidence(targets=("disk",), cases=("randread",), blocks=runs)
    parameters = {name: value for name, value in given.items() if value is not None}
    session = found.sessions[0]
    study = {**session.study, "interleaved": False, "imported": format_name}

    def changed(place: int, run: Run) -> Run:
        scores = tuple(
            each.model_copy(update={"value": rate * (1 + place / 500)}) for each in run.scores if each.metric == "iops"
        )
        update = {"test": "fio", "workload": f"imported:{format_name}", "parameters": parameters, "metrics": ("iops",)}
        return run.model_copy(
            update={
                "target": Target(name="disk", kind="imported", where="/dev/sdb"),
                "plan": run.plan.model_copy(update=update),
                "scores": scores,
                "findings": (),
                "intervals": (),
                "ended_ns": run.started_ns + 30 * SECOND,
                "facts": {"imported": {"format": format_name}},
            }
        )

    made = [changed(place, run) for place, run in enumerate(found.runs)]
    return Evidence([session.model_copy(update={"study": study})], made, None, 0.1)


def scaled(found: Evidence, factor: float) -> Evidence:
    """The same with other rates."""
    return with_runs(
        found,
        [
            run.model_copy(
                update={"scores": tuple(each.model_copy(update={"value": each.value * factor}) for each in run.scores)}
            )
            for run in found.runs
        ],
    )


def _each(**factors: float) -> Evidence:
    """Cases with so many times their rates."""
    found = alone(*factors)
    return with_runs(
        found, [run for case in found.cases for run in scaled(found, factors[case]).runs if run.plan.case == case]
    )


def _of(name: str, found: Evidence, *says: str, never: tuple[str, ...] = ()) -> Situation:
    return Situation("report", name, lambda: of_report(found), says, never)


def _why_not(name: str, found: Evidence, reason: str) -> Situation:
    return _of(name, found, f"{LEFT_OUT} {reason}", never=(LIKE, BEYOND, "The cheapest of each type"))


def _uneven(found: Evidence) -> Evidence:
    """One run in four at half the rate."""
    runs = scaled(found, 0.5).runs
    return with_runs(found, [runs[i] if run.block == 2 else run for i, run in enumerate(found.runs)])


def _of_loads() -> list[Situation]:
    cap = {"cap_iops": "10k"}
    near, above = {"share": 1.0, "variation": 0.001}, {"share": 1.4, "variation": 0.001}
    lost = {"read_device_bytes": 1.0, "read_test_bytes": 100.0}
    more = {"read_device_bytes": 120.0, "read_test_bytes": 100.0}
    memory = "memory or another cache may have answered"
    known = {"as": "gp3+size=100GiB"}
    emulated = "vol:type=gp3,size=100GiB"
    return [
        _of(
            "a disk among volumes",
            scaled(alone(), 0.1),
            LIKE,
            "randread needs",
            "A default gp3 has 3,000 IOPS, 125 MiB/s",
            "a disk that bursts does less later",
            "`plimsoll run --on disk=/mnt/disk --on other=…`",
            "Cheaper, but too slow for randread, limited by ",
            never=(BEYOND, LIMIT, LEFT_OUT, "wide spread)", "Slower still"),
        ),
        _of("a disk whose rate scatters", scaled(_noisy(), 0.1), "; measured with wide spread)"),
        _of(
            "more cases than the answer names",
            scaled(alone("randread", "randwrite", "randrw", "seqread"), 0.05),
            "is the cheapest that does randread, randwrite, randrw and 1 more; randread decides that, each of the "
            "other 3 alone needs one of $",
            never=("seqread alone needs", "no one volume does all"),
        ),
        _of(
            "two cases of which one asks for more",
            _each(randread=1, seqread=1),
            "AWS’s io2 of 97,600 IOPS ($4,618 a month) is the cheapest that does randread and seqread; randread "
            "decides that, seqread alone needs one of $101",
            never=("each of the other", "no one volume does all"),
        ),
        _of(
            "two cases that ask for different things of one volume",
            _each(randread=0.5, seqread=1),
            "AWS’s gp3 98 GiB, 48,800 IOPS, 2,000 MiB/s ($312 a month) is the cheapest that does randread and seqread.",
            never=("decides that", "no one volume does all"),
        ),
        _of(
            "two cases that no one volume does",
            _each(randread=1, seqread=3),
            "no one volume does all; randread needs AWS’s io2 of 97,600 IOPS ($4,618 a month), seqread Azure’s ultra "
            "of 5.85 GiB/s ($3,445 a month).",
            never=("is the cheapest that does",),
        ),
        _of(
            "four cases that no one volume does",
            _each(randread=1, seqread=3, randwrite=0.1, randrw=0.1),
            "no one volume does all; randread needs",
            "; 1 more case.",
            never=("is the cheapest that does",),
        ),
        _of(
            "faster than any volume",
            scaled(alone(), 9),
            BEYOND,
            "too slow:",
            "Slower still in randread, limited by ",
            never=(LIKE, LIMIT, "Cheaper, but"),
        ),
        _of(
            "a volume that is known",
            scaled(alone(options=known), 0.03),
            f"{LIMIT} near volume IOPS (3,000/s) in randread",
            never=(LIKE, BEYOND, LEFT_OUT, "More than this volume delivers"),
        ),
        _of(
            "an emulated volume",
            scaled(alone(where=emulated), 0.03),
            LIMIT,
            never=(LIKE, BEYOND, LEFT_OUT, "More than this volume delivers"),
        ),
        _of(
            "more than a volume that is known",
            alone(options=known),
            "More than this volume delivers in randread",
            never=(LIKE, BEYOND, LEFT_OUT, LIMIT),
        ),
        _of(
            "a stated cap",
            scaled(alone(options=cap, warn="cap_plateau", values=near), 0.1),
            f"{LIMIT} near the stated cap in randread",
            LIKE,
        ),
        _why_not("above a stated cap", alone(options=cap, warn="cap_plateau", values=above), memory),
        _why_not("files in memory", alone(warn="memory_file_system"), memory),
        _why_not("bytes that never arrived", alone(warn="device_bytes", values=lost), memory),
        _of("bytes on top", scaled(alone(warn="device_bytes", values=more), 0.1), LIKE, never=(memory,)),
        _why_not("runs that differ", _uneven(alone()), "the runs differ too much: randread"),
        _of(
            "a level that changed",
            with_runs(
                found := alone(blocks=40),
                [run if run.block < 24 else scaled(found, 0.1).runs[i] for i, run in enumerate(found.runs)],
            ),
            "there is no single score",
            never=(LIKE, BEYOND),
        ),
    ]


def _of_parameters() -> list[Situation]:
    def changed(**values: Any) -> Evidence:
        found = alone()
        plans = [run.plan.model_copy(update={"parameters": run.plan.parameters | values}) for run in found.runs]
        return with_runs(
            found, [run.model_copy(update={"plan": plan}) for run, plan in zip(found.runs, plans, strict=True)]
        )

    rate = {"per_second": 1000.0, "unit": "operations"}
    files = with_runs(
        found := alone(),
        [run.model_copy(update={"plan": run.plan.model_copy(update={"workload": "dbench"})}) for run in found.runs],
    )
    totals = with_runs(
        found,
        [
            run.model_copy(update={"scores": tuple(each for each in run.scores if each.metric != "iops")})
            for run in found.runs
        ],
    )
    return [
        _why_not("buffered", changed(direct=False), "the page cache was not bypassed"),
        _why_not("with commits", changed(sync="fdatasync"), "the catalog knows no times of commits"),
        _why_not("trims", changed(mode="randtrim"), "the model of volumes has no trims and no I/Os of several sizes"),
        _why_not("a rate", changed(rate=rate), "a rate or pauses were asked for"),
        _why_not("files", files, "what files or a database ask of the disk is not known"),
        _why_not("no total", totals, "the IOPS of all operations together are not known"),
    ]


def _of_imports() -> list[Situation]:
    return [
        _of(
            "one job of fio",
            of_fio(),
            LIKE,
            "randread needs",
            "32 × 4 KiB",
            "`plimsoll import FILE`, then `plimsoll compare",
            never=(LEFT_OUT, "--on"),
        ),
        _of("one run of fio", of_fio(runs=1), "; one run)", never=(LEFT_OUT,)),
        _why_not("fio without direct", of_fio(direct=None), "the page cache may have answered"),
        _why_not(
            "fio of several sizes",
            of_fio(bssplit="4k/50:8k/50"),
            "the model of volumes has no trims and no I/Os of several sizes",
        ),
        _why_not("fio with a rate", of_fio(rate_iops=500), "a rate or pauses were asked for"),
        _why_not("fio with fsync", of_fio(fsync=1), "the catalog knows no times of commits"),
        _why_not(
            "fio without options",
            of_fio(rw=None),
            "the file names no block size, mix of reads and writes or queue depth",
        ),
    ]


def _burst() -> Evidence:
    """Imported seconds in which a burst ended: no score of what lasts."""
    found = of_fio()
    series = {"series": rates(cliff(), "iops")}
    return with_runs(found, [run.model_copy(update={"facts": run.facts | series}) for run in found.runs])


SITUATIONS = [
    *_of_loads(),
    *_of_parameters(),
    *_of_imports(),
    _of("a burst of fio", _burst(), "a burst was seen, and not what lasts", never=(LIKE, BEYOND)),
]
