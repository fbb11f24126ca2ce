"""A verification as a document: the verdict, what was measured against what is paid for, and for how long it holds."""

from __future__ import annotations

from plimsoll.catalog.delivery import Answer, Delivery, Load
from plimsoll.report.document import (
    Block,
    Cell,
    Document,
    Phrase,
    Section,
    Sentence,
    Table,
    Text,
    Tone,
    columns,
    number,
)
from plimsoll.report.document import phrase as words
from plimsoll.report.labels import percent_text

_TONES = {Answer.YES: Tone.BETTER, Answer.NO: Tone.WORSE, Answer.UNKNOWN: Tone.UNKNOWN}


def verified_document(delivery: Delivery, title: str) -> Document:
    """The verdict of a verification."""
    first, *rest = delivery.sentences
    sentences = (Sentence(first, _TONES[delivery.answer]), *(Sentence(each) for each in rest))
    blocks: tuple[Block, ...] = (Text(sentences), *([_loads(delivery)] if delivery.loads else []))
    promise = delivery.shape.type
    subtitle = f"{promise.title}, {promise.period}"
    if promise.consistency and promise.consistency_time:
        least, time = percent_text(promise.consistency), percent_text(promise.consistency_time)
        subtitle += f": {least} of the limit {time} of the time is promised"
    section = Section("verdict", "Verdict", blocks, short=True)
    return Document(title, subtitle, (section,), make_scores=lambda: _loads(delivery))


def _loads(delivery: Delivery) -> Table:
    heads = columns("Load", ">Paid for", ">Got", ">p99", ">Windows kept", "Limited by", "Why", "Answer")
    brief = ("load", "paid_for", "got", "p99", "windows_kept", "limited_by", "answer")
    return Table("Paid for and got", heads, tuple(_row(load) for load in delivery.loads), brief=brief)


def _row(load: Load) -> tuple[Cell, ...]:
    expected, most = load.expected, load.most
    paid = None
    if expected is not None:
        text = expected.text
        if most is not None and most.per_second > expected.per_second * 1.01:
            text += f", burst {most.text}"
        paid = number(expected.per_second, "1/s", text)
    return (
        words(load.role.value),
        paid,
        number(load.rate, "1/s", "" if load.rate is None or expected is None else expected.seen(load.rate)),
        number(load.p99_ns, "ns"),
        words(f"{load.kept} of {load.windows}" if load.windows else "–"),
        words(load.party or "–"),
        words(load.why),
        Phrase(load.answer.value, _TONES[load.answer]),
    )
