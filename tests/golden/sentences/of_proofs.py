"""Proofs of an advice, with what volumes are said to have done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from tests.golden.sentences.speech import Situation, of_blocks
from tests.unit.traces.loads import Part, load

from plimsoll.simulation.slo import parse_slo
from plimsoll.traces.advice.document import advice_document
from plimsoll.traces.advice.progress import Progress
from plimsoll.traces.advice.proof.served import Measured, Served
from plimsoll.traces.advice.proof.whole import prove
from plimsoll.traces.advice.whole import Advice, Asked, advise
from plimsoll.units import GIB, MILLISECOND

BURST = (Part(600, 100), Part(60, 4000), Part(600, 100))
SLO = "p99<100ms"


def _nobody(_: object) -> None:
    """Nobody waits, and nothing is measured."""


@cache
def _simulated(parts: Sequence[Part], slo: str) -> Advice:
    """An advice with the proof that there is without serving anything."""
    found = advise(load(parts), Asked(slo=slo, size="100GiB", providers=("aws",)), Progress(_nobody))
    return replace(found, proof=prove(found, None, _nobody, _nobody))  # type: ignore[arg-type]


def _lines(parts: Sequence[Part], slo: str, served: Served | None) -> Sequence[str]:
    found = _simulated(parts, slo)
    assert found.proof is not None
    if served is not None:
        found = replace(found, proof=replace(found.proof, why_simulated="", served=served))
    [proof] = [each for each in advice_document(found).sections if each.id == "proof"]
    return of_blocks(proof.blocks)


def _runs(*p99_ms: float, why_not: str = "") -> tuple[Measured, ...]:
    return tuple(Measured(() if why_not else (each * MILLISECOND,), why_not) for each in p99_ms)


def _served(bought: tuple[Measured, ...], cheaper: tuple[Measured, ...], space_bytes: int | None = None) -> Served:
    return Served("0123456789abcdef", bought, cheaper, parse_slo(SLO), space_bytes)


def _situation(
    name: str,
    served: Served | None,
    *says: str,
    parts: Sequence[Part] = BURST,
    slo: str = SLO,
    never: tuple[str, ...] = (),
) -> Situation:
    return Situation("proofs", name, cache(lambda: _lines(parts, slo, served)), says, never)


def _without_interval() -> Sequence[str]:
    """As where a volume fails only what takes longer than what is replayed."""
    found = _simulated(BURST, SLO)
    assert found.proof is not None
    found = replace(found, proof=replace(found.proof, interval=None))
    [proof] = [each for each in advice_document(found).sections if each.id == "proof"]
    return of_blocks(proof.blocks)


SITUATIONS = [
    Situation(
        "proofs",
        "it fails what takes longer",
        cache(_without_interval),
        ("Not proved: in no interval of up to 2 min does gp3 100 GiB", "What it fails takes longer, and was simulated"),
        ("Proved", "shows the session of the proof"),
    ),
    _situation(
        "by simulation",
        None,
        "Proved by simulation: in the ",
        "keeps p99<100ms",
        "breaks p99<100ms",
        "It was not served here: monitoring has sums and no single I/Os, which could be replayed",
        never=("Proved here", "shows the session of the proof"),
    ),
    _situation(
        "by replay, one of three runs late",
        _served(_runs(3, 900, 4), _runs(600, 610, 590)),
        "Proved here: the ",
        "three times on each of two served volumes, in turns",
        "(p99 4 ms, the median of 3 ms, 900 ms and 4 ms)",
        "breaks it (p99 600 ms, the median of 600 ms, 610 ms and 590 ms)",
        "`plimsoll report 89abcdef` shows the session of the proof",
        never=("Not proved", "by simulation", "addresses were scaled"),
    ),
    _situation(
        "both broke it",
        _served(_runs(300, 900, 400), _runs(600, 610, 590), 4 * GIB),
        "Not proved here: the ",
        "p99<100ms does not tell them apart",
        "A machine that is busy with something else is late itself",
        "addresses were scaled to 4 GiB",
        never=("Proved here",),
    ),
    _situation(
        "both kept it",
        _served(_runs(3, 3, 4), _runs(60, 61, 59)),
        "does not tell them apart",
        never=("Proved here", "breaks it"),
    ),
    _situation(
        "a run was not valid",
        _served(_runs(3, 3, 4), (*_runs(600, 600), *_runs(0, why_not="the device reported errors"))),
        "were replayed, but the device reported errors",
        "In simulation ",
        never=("Proved here", "tell them apart"),
    ),
    _situation(
        "ended too early",
        _served(_runs(3, 3, 4), _runs(600)),
        "were replayed, but the session ended before",
        never=("Proved here", "tell them apart"),
    ),
    _situation(
        "nothing is cheaper",
        None,
        "There is nothing to prove: no volume that fails costs less than sc1 125 GiB",
        parts=(Part(60, 1),),
        slo="p99<1s",
        never=("Proved", "Not proved"),
    ),
]
