"""What a proof showed, in sentences, as a table and for programs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from plimsoll.catalog.levels import levels_text
from plimsoll.report.document import Block, Cell, Column, Phrase, Table, Tone, number, phrase, text
from plimsoll.simulation.slo import whole_value
from plimsoll.store.names import short_id
from plimsoll.traces.advice.proof.interval import Interval, Side
from plimsoll.traces.advice.proof.served import Measured, Served
from plimsoll.traces.advice.proof.shown import Proof
from plimsoll.traces.advice.proof.whole import beginning
from plimsoll.units import SECOND, format_duration, format_size, format_value

if TYPE_CHECKING:
    from plimsoll.traces.advice.whole import Advice


def proved(advice: Advice) -> Iterator[str]:
    """The proof; nothing where none was asked for."""
    proof = advice.proof
    if proof is None:
        return
    if proof.cheaper is None:
        yield f"There is nothing to prove: no volume that fails costs less than {proof.bought.one}."
    elif proof.interval is None:
        yield (
            f"Not proved: in no interval of up to 2 min does {proof.cheaper.one} break {_objective(advice)} while "
            f"{proof.bought.one} keeps it. What it fails takes longer, and was simulated."
        )
    elif proof.served is None:
        yield _simulated(advice, proof, proof.interval)
    else:
        yield from _served(advice, proof.interval, proof.served)


def _simulated(advice: Advice, proof: Proof, found: Interval) -> str:
    return (
        f"Proved by simulation: in {_when(advice, found)}, {_levels()}, {_expects(advice, found.bought)} and "
        f"{_expects(advice, found.cheaper)}. It was not served here: {proof.why_simulated}."
    )


def _served(advice: Advice, found: Interval, served: Served) -> Iterator[str]:
    replayed = f"{_when(advice, found)} were replayed"
    each = f"{replayed} {_often(len(served.bought))} on each of two served volumes, in turns, {_levels()}"
    invalid = next((run.why_not for run in (*served.bought, *served.cheaper) if run.why_not), "")
    bought = f"{found.bought.shape.one}"
    cheaper = f"{found.cheaper.shape.one}"
    if not served.is_valid:
        why = invalid or "the session ended before"
        yield f"Not proved here: {replayed}, but {why}. {_by_simulation(advice, found)}"
        return
    kept, broken = (f"({_values(advice, runs)})" for runs in (served.bought, served.cheaper))
    if served.holds:
        yield f"Proved here: {each}. {bought}, keeps {_objective(advice)} {kept}; {cheaper}, breaks it {broken}."
    else:
        yield (
            f"Not proved here: {each}, and {_objective(advice)} does not tell them apart: {bought} {kept}; {cheaper} "
            f"{broken}. {_by_simulation(advice, found)} A machine that is busy with something else is late itself."
        )
    if served.space_bytes is not None:
        yield f"For the replay, addresses were scaled to {format_size(served.space_bytes)}."
    yield f"`plimsoll report {short_id(served.session_id)}` shows the session of the proof."


def _often(times: int) -> str:
    return {1: "once", 2: "twice", 3: "three times"}.get(times, f"{times} times")


def _levels() -> str:
    return "beginning with what the load had left in their buckets by then"


def _by_simulation(advice: Advice, found: Interval) -> str:
    return f"In simulation {_expects(advice, found.bought)}, and {_expects(advice, found.cheaper)}."


def _when(advice: Advice, found: Interval) -> str:
    return f"the {format_duration(round(found.length_s * SECOND))} from {beginning(advice, found)} on"


def _objective(advice: Advice) -> str:
    return ", ".join(each.text for each in advice.clauses)


def _expects(advice: Advice, side: Side) -> str:
    verb = "keeps" if side.judgement.met else "breaks"
    values = ", ".join(_value(each.metric, whole_value(side.expected, each), each.unit) for each in advice.clauses)
    return f"{side.shape.one}, {verb} {_objective(advice)} ({values})"


def _values(advice: Advice, measured: Sequence[Measured]) -> str:
    """`p99 3.2 ms, the median of 3.2 ms, 3.1 ms and 3.3 ms`."""
    parts = []
    for place, clause in enumerate(advice.clauses):
        values = [each.values[place] for each in measured if each.values]
        *others, last = (format_value(each, clause.unit) for each in values)
        middle = format_value(statistics.median(values), clause.unit)
        parts.append(f"{clause.metric} {middle}, the median of {', '.join(others)} and {last}")
    return ", ".join(parts)


def _value(metric: str, value: float, unit: str) -> str:
    return f"{metric} {format_value(value, unit)}"


def proof_blocks(advice: Advice) -> Iterator[Block]:
    """The sentences, and both volumes side by side."""
    proof = advice.proof
    if proof is None:
        return
    good = proof.interval is not None and (proof.served is None or proof.served.holds)
    yield text(*proved(advice), tone=Tone.BETTER if good else Tone.NOTE)
    if proof.interval is not None:
        yield _table(advice, proof, proof.interval)


def _table(advice: Advice, proof: Proof, found: Interval) -> Table:
    heads = [Column("volume", "Volume"), Column("levels", "Buckets at the start")]
    for clause in advice.clauses:
        heads.append(Column(f"expected_{clause.metric}", f"{clause.metric}, simulated", "right"))
        if proof.served is not None:
            heads.append(Column(f"measured_{clause.metric}", f"{clause.metric}, measured here", "right"))
    heads.append(Column("keeps", f"Keeps {_objective(advice)}"))
    seen = _seen(proof)
    sides = (found.bought, seen[0]), (found.cheaper, seen[1])
    return Table("The proof", tuple(heads), tuple(_row(advice, side, seen) for side, seen in sides))


def _seen(proof: Proof) -> tuple[Sequence[Measured] | None, Sequence[Measured] | None]:
    """What was measured of both; None where nothing was served."""
    return (None, None) if proof.served is None else (proof.served.bought, proof.served.cheaper)


def _row(advice: Advice, side: Side, measured: Sequence[Measured] | None) -> tuple[Cell, ...]:
    levels = levels_text({name: round(share, 3) for name, share in side.levels.items()}).replace("/", ", ")
    cells: list[Cell] = [phrase(side.shape.one), phrase(levels.replace(":", " ") or "no limits")]
    for place, clause in enumerate(advice.clauses):
        cells.append(number(whole_value(side.expected, clause), clause.unit))
        if measured is not None:
            values = [each.values[place] for each in measured if each.values]
            cells.append(phrase(" · ".join(format_value(each, clause.unit) for each in values) or "none"))
    served = advice.proof and advice.proof.served
    met = side.judgement.met if not served or not served.is_valid else served.kept(measured or ())
    cells.append(Phrase("yes", Tone.BETTER) if met else Phrase("no", Tone.WORSE))
    return tuple(cells)


def proof_row(advice: Advice) -> dict[str, Any] | None:
    """For programs: base units."""
    proof = advice.proof
    if proof is None:
        return None
    found, seen = proof.interval, proof.served
    return {
        "sentences": list(proved(advice)),
        "proved": found is not None and (seen is None or seen.holds),
        "by": None if found is None else "simulation" if seen is None else "replay",
        "why_simulated": proof.why_simulated or None,
        "from_s": found and found.from_s,
        "length_s": found and found.length_s,
        "session": seen and seen.session_id,
        "recommended": found and _side(advice, found.bought, _seen(proof)[0]),
        "cheaper": found and _side(advice, found.cheaper, _seen(proof)[1]),
    }


def _side(advice: Advice, side: Side, measured: Sequence[Measured] | None) -> dict[str, Any]:
    return {
        "volume": side.shape.options,
        "levels": dict(side.levels),
        "simulated": {each.text: whole_value(side.expected, each) for each in advice.clauses},
        "measured": measured
        and [dict(zip((c.text for c in advice.clauses), each.values, strict=False)) for each in measured],
    }
