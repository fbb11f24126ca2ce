"""Results of a campaign: one JSON object a line, each written when it is there; and the table of what they say."""

from __future__ import annotations

import itertools
import json
import math
import os
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benches.rules.questions import NOBODY_KNOWS, QUESTIONS, WRONG

DECIDED = frozenset({"better", "worse", "same"})


@dataclass(frozen=True)
class Result:
    """What one rule said once, of the second side."""

    question: str
    way: str
    """What was measured: `slices`, `blocks`, `fio`; with `-on`, sessions extended until there is an answer. Only so:
    `long`, blocks of runs as long as the test's own."""
    rule: str
    answer: str
    """`better`, `worse`, `same`, `unknown`; `failed`, and then `error` says why."""
    seconds: float
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    blocks: int | None = None
    """Of Plimsoll's sessions; of fio's, the runs of both sides."""
    error: str = ""
    when: str = ""

    @property
    def wrong(self) -> bool:
        """Whether the answer is false."""
        return self.answer in WRONG[QUESTIONS[self.question].truth]


def read(file: Path) -> list[Result]:
    """The results so far; a last line that was cut off does not count."""
    if not file.exists():
        return []
    found = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        try:
            result = Result(**json.loads(line))
            QUESTIONS[result.question]
        except (ValueError, TypeError, KeyError) as error:
            print(f"{file}:{number}: not a result, left out: {error}", file=sys.stderr)
        else:
            found.append(result)
    return found


def append(file: Path, results: Iterable[Result]) -> None:
    """Adds results; they are on disk when this returns, on lines of their own whatever was cut off before them."""
    with file.open("a+b") as output:
        if output.tell() and not _ends_a_line(file):
            output.write(b"\n")
        for result in results:
            output.write(json.dumps(asdict(result)).encode() + b"\n")
        output.flush()
        os.fsync(output.fileno())


def _ends_a_line(file: Path) -> bool:
    with file.open("rb") as source:
        source.seek(-1, os.SEEK_END)
        return source.read() == b"\n"


def table(results: Sequence[Result]) -> str:
    """All questions by all rules, as Markdown."""
    rows: list[Sequence[str]] = [
        (
            "question",
            "rule",
            "sessions",
            "same",
            "faster",
            "slower",
            "undecided",
            "wrong",
            "time, median",
            "to an answer",
        )
    ]
    for question in QUESTIONS.values():
        of_it = [each for each in results if each.question == question.name]
        rules = sorted({each.rule for each in of_it})
        rows += [(question.title, rule, *_cells([each for each in of_it if each.rule == rule])) for rule in rules]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:], "", *_together(results)])


def _cells(results: Sequence[Result]) -> list[str]:
    done = [each for each in results if each.answer != "failed"]
    failed = len(results) - len(done)
    count = Counter(each.answer for each in done)
    said = [str(count[answer]) for answer in ("same", "better", "worse", "unknown")]
    if not done:
        return [f"0 (+{failed} failed)", *said, "–", "–", "–"]
    return [
        f"{len(done)}{f' (+{failed} failed)' if failed else ''}",
        *said,
        str(_wrong(done)),
        f"{statistics.median(each.seconds for each in done):.1f} s",
        _until_answer(done),
    ]


def _wrong(results: Sequence[Result]) -> int:
    """Where nobody knows the truth, the fewer of two directions that contradict each other."""
    if QUESTIONS[results[0].question].truth == NOBODY_KNOWS:
        return min(sum(each.answer == answer for each in results) for answer in ("better", "worse"))
    return sum(each.wrong for each in results)


def _until_answer(results: Sequence[Result]) -> str:
    """The median time to an answer, where none takes longer than anything that was waited for."""
    median = until_answer(results)
    return f"{median:.1f} s" if math.isfinite(median) else "not in most"


def until_answer(results: Sequence[Result]) -> float:
    """The lower median of the time to an answer; infinite where most had none."""
    return statistics.median_low([each.seconds if each.answer in DECIDED else math.inf for each in results])


def _together(results: Sequence[Result]) -> Iterator[str]:
    """The sums over all questions with a real difference, and what slices save."""
    real = [each for each in results if QUESTIONS[each.question].truth not in ("same", NOBODY_KNOWS)]
    for rule in sorted({each.rule for each in real}):
        decided = [each for each in real if each.rule == rule and each.answer in DECIDED]
        backwards = sum(each.wrong and each.answer != "same" for each in decided)
        yield f"{rule}: of {len(decided)} answers on real differences {backwards} in the wrong direction."
    for (name, question), on, way in itertools.product(QUESTIONS.items(), ("", "-on"), ("blocks", "long")):
        slices, other = (
            [each for each in results if (each.question, each.way) == (name, one + on) and each.answer != "failed"]
            for one in ("slices", way)
        )
        if slices and other and math.isfinite(until_answer(slices)):
            said = f"slices have an answer {_earlier(until_answer(slices), until_answer(other), way)}"
            yield f"{question.title}{', extended' if on else ''}: {said}."


def _earlier(slices: float, other: float, way: str) -> str:
    """In the median session."""
    blocks = "blocks" if way == "blocks" else "long blocks"
    if not math.isfinite(other):
        return f"where {blocks} mostly have none"
    return f"in {slices / other:.2f} of the time of {blocks}"


def as_json(results: Sequence[Result]) -> list[dict[str, Any]]:
    """To hand from one process to another."""
    return [asdict(each) for each in results]
