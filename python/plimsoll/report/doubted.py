"""Why no knee is told, in words: what speaks against each, and what to do."""

from __future__ import annotations

import math
from typing import Literal

from plimsoll.report.labels import count_text, percent_text, score_text
from plimsoll.report.load_line_search import LoadLineSearch
from plimsoll.stats.load_line.doubts import Doubt, Reason
from plimsoll.units import format_duration


def why(each: LoadLineSearch, reason: Reason) -> str:
    """What speaks against every knee, and what to do."""
    match reason.doubt:
        case Doubt.SHORT | Doubt.UNSTEADY | Doubt.CHANGED | Doubt.SCATTERED as doubt:
            return _of_the_runs(doubt, each, reason)
        case Doubt.UNBENT | Doubt.UNEVEN | Doubt.RISING | Doubt.NOT_KEPT as doubt:
            return _of_the_curve(doubt, each, reason)


def _of_the_runs(
    doubt: Literal[Doubt.SHORT, Doubt.UNSTEADY, Doubt.CHANGED, Doubt.SCATTERED], each: LoadLineSearch, reason: Reason
) -> str:
    match doubt:
        case Doubt.SHORT:
            return (
                f"runs of {format_duration(reason.lasted_ns)} measure what a volume had stored while it rested, not "
                f"what it carries; search again with runs of {format_duration(reason.least_ns)} or more (runtime=), or "
                "with --stored 0s if the place stores none, such as a local disk"
            )
        case Doubt.UNSTEADY:
            return (
                f"in {reason.runs} of {count_text(reason.of, 'run')} the rate still changed at the end; {each.again} "
                f"with {each.longer}"
            )
        case Doubt.CHANGED:
            fell, share = reason.carried < 1, percent_text(round(reason.carried, 2))
            cause = "burst credits may have ended, or others were" if fell else "others may have been"
            moved = "fell" if fell else "rose"
            return (
                f"what the place carries {moved} during the search, to {share} of what it was, after "
                f"{reason.runs} of {reason.of} runs from the knee on; {cause} at work: {each.again}"
            )
        case Doubt.SCATTERED:
            times = math.exp(2 * reason.carried)
            return (
                f"runs at one load differ {times:.1f}-fold from each other; {each.again} when the host is quieter, or "
                f"with {each.longer}"
            )


def _of_the_curve(
    doubt: Literal[Doubt.UNBENT, Doubt.UNEVEN, Doubt.RISING, Doubt.NOT_KEPT], each: LoadLineSearch, reason: Reason
) -> str:
    text = each.request.text
    most = _carried(each, reason.load, reason.carried)
    match doubt:
        case Doubt.UNBENT:
            least = _carried(each, reason.before, reason.level)
            return (
                f"throughput grows ever more slowly from {least} at {text(reason.before)} to {most} at "
                f"{text(reason.load)}, but does not level off; there may be no knee, or it is hidden: "
                f"{each.again} when the host is quieter, with {each.longer} or with {each.more_rounds}"
            )
        case Doubt.UNEVEN:
            level = score_text(reason.level, each.unit)
            return (
                f"throughput does not level off: {text(reason.load)} carried {most}, the fitted curve ends at {level}; "
                f"throughput falls again under more load, or runs scatter too much: {each.again} in a smaller range or "
                f"with {each.longer}"
            )
        case Doubt.RISING:
            less = _carried(each, reason.before, reason.level)
            return (
                f"throughput still rises at {text(reason.load)}, the largest load measured: it carried {most}, after "
                f"{less} at {text(reason.before)}; {each.again} in a range that goes further"
            )
        case Doubt.NOT_KEPT:
            return (
                f"the curve puts it at {text(each.request.bounds.rounded(reason.level))}, but runs did not keep their "
                f"schedule there, nor at {text(reason.load)}; {each.again} with {each.longer}"
            )


def _carried(each: LoadLineSearch, load: float, otherwise: float) -> str:
    """What a load carried, as the table of all loads has it."""
    found = next((level.throughput for level in each.line.levels if level.load == load), None)
    if found is None:
        return score_text(otherwise, each.unit)
    return score_text(found.value, each.unit, found.low, found.high)
