"""Advice for loads of which the right answer is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from tests.golden.sentences.speech import Situation, of_blocks
from tests.unit.traces.loads import Part, load

from plimsoll.traces.advice.document import advice_document
from plimsoll.traces.advice.progress import Progress
from plimsoll.traces.advice.whole import Asked, advise
from plimsoll.traces.series import Series

MINUTE = (Part(60, 2900),)


def _silent(_: str) -> None:
    """Nobody waits."""


def _lines(series: Series, asked: Asked) -> Sequence[str]:
    document = advice_document(advise(series, asked, Progress(_silent)))
    return [line for section in document.sections for line in of_blocks(section.blocks)]


def _situation(name: str, series: Series, asked: Asked, *says: str, never: tuple[str, ...] = ()) -> Situation:
    return Situation("advice", name, cache(lambda: _lines(series, asked)), says, never)


def _saturated() -> Series:
    """At 1,500/s, as on a gp2 of 500 GiB without credits, with eight times the latency; elsewhere 400/s."""
    return load((Part(60, 400), Part(60, 1500), Part(60, 400)), latency_s=(0.001, 0.008, 0.001))


SITUATIONS = [
    _situation(
        "2,900 a second",
        load(MINUTE),
        Asked(size="500GiB", providers=("aws",)),
        "Buy gp3 500 GiB, 3,000 IOPS, 125 MiB/s: $40.00 a month",
        "as the load grows, the first limit reached is its IOPS, at 3.5 % more load",
        "would cap this load by their own limits",
        "the load is taken to repeat these 60 s for ever",
        "how many were in flight was not counted",
        never=("this is a lower bound", "the answer is a range", "Unknown", "less than", "more than today's"),
    ),
    _situation(
        "3,100 a second of all providers",
        load((Part(60, 3100),)),
        Asked(size="500GiB", providers=("aws", "azure")),
        "Buy gp3 500 GiB, 3,100 IOPS, 125 MiB/s: $40.50 a month",
        "and so not recommended: ",
        "families of azure",
        never=("this is a lower bound",),
    ),
    _situation(
        "what is there is too dear",
        load(MINUTE),
        Asked(current="type=gp2,size=1000GiB,instance=m5.large", growth_per_month=0.03),
        "$20.00 less than today's gp2 1,000 GiB",
        "carries it, too",
        "in 1 month at this growth",
        "The instance m5.large does not cap this load by its own limits",
        never=("more than today's", "does not carry it"),
    ),
    _situation(
        "what is there is too slow",
        load((Part(60, 9000),)),
        Asked(current="type=gp2,size=500GiB,instance=m5.large", growth_per_month=0.001),
        "more than today's gp2 500 GiB",
        "does not carry it for ever: 9,000/s are asked for",
        "would cap this load by its own limits",
        never=("less than today's", "carries it, too"),
    ),
    _situation(
        "what is there is right",
        load(MINUTE),
        Asked(current="type=gp3,size=500GiB"),
        "what you have today",
        never=("less than today's", "more than today's"),
    ),
    _situation(
        "too late on what is there",
        load((Part(30, 100), Part(1, 4900), Part(29, 100)), size=4096),
        Asked(slo="p99<800us", current="type=gp2,size=500GiB"),
        "does not carry it within p99<800us",
    ),
    _situation(
        "as dear as what is there",
        load(MINUTE),
        Asked(slo="p99<1.3ms", current="type=gp2,size=400GiB", size="500GiB"),
        "as much as today's gp2 400 GiB",
        never=("less than today's", "more than today's"),
    ),
    _situation(
        "sums over five minutes",
        load((Part(600, 900),), period_s=300, size=4096),
        Asked(current="type=gp2,size=1000GiB"),
        "if the I/Os of each 5 min came evenly",
        "if they came in the worst bursts",
        "only their sum is known, so the answer is a range",
        "Bursts are taken to be as fast as today's volume allows",
        never=("if the I/Os of each 10 s",),
    ),
    _situation(
        "sums of few",
        load((Part(600, 1),), period_s=300, size=4096),
        Asked(size="100GiB", providers=("aws",)),
        "whether the I/Os of each 5 min came evenly or in the worst bursts",
        "--current narrows it: bursts cannot have been faster",
        "as the load grows, the first limit reached in the worst bursts is its IOPS",
        never=("up to gp3", "if they came evenly is its"),
    ),
    _situation(
        "hardly anything",
        load((Part(60, 1),), size=4096),
        Asked(size="100GiB", providers=("aws",)),
        "it carries 64 times the load as well",
        never=("first limit reached",),
    ),
    _situation(
        "sums of hardly anything",
        load((Part(600, 0.1),), period_s=300, size=4096),
        Asked(size="100GiB", providers=("aws",)),
        "it carries 64 times the load in the worst bursts as well",
        "None of the",
        "would cap this load, even in the worst bursts",
        never=("first limit reached",),
    ),
    _situation(
        "sums under which what is there carries the even load only",
        load((Part(600, 2900),), period_s=300, size=4096),
        Asked(current="type=gp2,size=1000GiB,instance=m5.large", headroom=0.03),
        "carries it with 3 % headroom if the I/Os came evenly, not in the worst bursts",
        "does not cap this load with 3 % headroom by its own limits, even in the worst bursts",
        never=("carries it, too", "carries it with 3 % headroom, too", "if they came evenly is its"),
    ),
    _situation(
        "sums that an instance carries only if they come evenly",
        load((Part(3600, 250),), period_s=300, size=65_536),
        Asked(current="type=gp3,size=500GiB,iops=16000,throughput=500,instance=m5.large", headroom=1.0),
        "The instance m5.large would cap this load with 100 % headroom by its own limits in the worst bursts, and not "
        "if its I/Os came evenly",
        "by their own limits in the worst bursts, 25 of them even if they came evenly",
        never=("does not cap",),
    ),
    _situation(
        "sums that are carried whichever way they come",
        load((Part(600, 1),), period_s=300, size=4096),
        Asked(current="type=gp2,size=1000GiB"),
        "carries it, too, even in the worst bursts",
        never=("not in the worst bursts",),
    ),
    _situation(
        "less space than is asked for, and less than its headroom",
        load(MINUTE),
        Asked(current="type=gp2,size=1000GiB", size="1100GiB", headroom=0.3),
        "holds less than was asked for",
        "does not carry it with 30 % headroom for ever: 3,770/s are asked for",
        never=("carries it, too", "carries it with 30 % headroom, too"),
    ),
    _situation(
        "headroom that there is",
        load(MINUTE),
        Asked(current="type=gp2,size=2000GiB", headroom=0.3),
        "carries it with 30 % headroom, too",
        never=("holds less than",),
    ),
    _situation(
        "an instance of which nobody has said what it gives to the volume",
        load((Part(10, 60_000),), size=4096),
        Asked(current="type=premium-ssd,size=512GiB,instance=standard_d2S_V5"),
        "Whether the instance Standard_D2s_v5 caps this load is unknown: no source says what it gives to ultra",
        "of 18 more no source says what they give to ultra",
        "standard-hdd (limits by size are not known)",
        never=("Standard_D2s_v5 would cap", "Standard_D2s_v5 does not cap"),
    ),
    _situation(
        "instances of which nobody has said what they give to the volume",
        load((Part(10, 200_000),), size=4096),
        Asked(size="10TiB", providers=("gcp",), slo="p50<100ms"),
        "No source says what the instance types of gcp give to hyperdisk-extreme; which would cap this load is unknown",
        never=("would cap this load by", "more no source says"),
    ),
    _situation(
        "instances without a price",
        load((Part(10, 60_000),), size=4096),
        Asked(size="10TiB", providers=("gcp",), slo="p50<100ms"),
        "no price of the others is known",
    ),
    _situation(
        "sums that may be anything",
        load((Part(600, 20_000),), period_s=300, size=4096),
        Asked(size="100GiB", providers=("aws",)),
        "if they came in the worst bursts, no volume of aws with a published price is enough",
    ),
    _situation(
        "more than anything carries",
        load((Part(10, 300_000),), size=16_384),
        Asked(size="100GiB", providers=("aws",)),
        "No volume of aws with a published price carries this load within p99<10ms",
        never=("Buy", "would cap"),
    ),
    _situation(
        "a saturated device",
        _saturated(),
        Asked(current="type=gp2,size=500GiB"),
        "Buy at least gp3",
        "this is a lower bound, because the device was saturated in 33.3 % of the time (its volume IOPS of 1,500/s, "
        "credits used up)",
        "what was asked of it then is hidden",
        "if it waits for them and never has more than 12 in flight, it is the same",
        never=("how many were in flight was not counted",),
    ),
    _situation(
        "a saturated device that nobody names",
        _saturated(),
        Asked(size="500GiB", providers=("aws",)),
        "a plateau at 1,500/s with 8 times the usual latency",
        never=("its volume IOPS of",),
    ),
    _situation(
        "a device whose credits are used up, and that nobody names",
        load((Part(60, 3000), Part(240, 300)), latency_s=(0.001, 0.1)),
        Asked(size="500GiB", providers=("aws",)),
        "Buy at least gp3",
        "saturated in 80 % of the time (a plateau at 300/s with 100 times the usual latency)",
    ),
    _situation(
        "as much as a limit allows, and nothing waits",
        load((Part(60, 2950),), latency_s=(0.001,)),
        Asked(current="type=gp3,size=500GiB"),
        "Buy gp3 500 GiB, 3,000 IOPS, 125 MiB/s",
        never=("this is a lower bound", "at least"),
    ),
    _situation(
        "the baseline between idle times",
        load((Part(60, 1500), Part(140, 0)), latency_s=(0.001, 0.0)),
        Asked(current="type=gp2,size=500GiB"),
        never=("this is a lower bound", "at least"),
    ),
    _situation(
        "a program that waits",
        load((Part(20, 500), Part(1, 9000), Part(39, 500)), size=4096, latency_s=(0.001, 0.001, 0.001)),
        Asked(slo="p99.9<10ms", size="100GiB", providers=("aws",)),
        "if it waits for them and never has more than 9 in flight, gp3 100 GiB, 3,",
        "125 MiB/s, is enough",
    ),
    _situation(
        "sums of a program that waits",
        load((Part(600, 900),), period_s=300, size=4096, latency_s=(0.002,)),
        Asked(size="100GiB", providers=("aws",)),
        "never has more than 2 in flight and the I/Os came evenly, it is the same",
    ),
    _situation(
        "a bound on the mean",
        load((Part(40, 100), Part(20, 5000)), size=4096),
        Asked(slo="mean<5ms", current="type=gp3,size=100GiB"),
        " s on average for its volume IOPS, longer than mean<5ms allows",
    ),
    _situation(
        "a stream",
        load((Part(60, 300),), size=1024 * 1024),
        Asked(size="500GiB", providers=("aws",), sequential=True),
        "one after the other, as --sequential says",
        never=("taken to go anywhere",),
    ),
    _situation(
        "a whole day",
        load((Part(86_400, 1),), period_s=60),
        Asked(size="100GiB", providers=("aws",)),
        "Where I/Os went: counters do not say it; they are taken to go anywhere",
        never=("Hours of the day that were not observed", "sums of the trace"),
    ),
    _situation(
        "a trace",
        replace(load(MINUTE), of_trace=True),
        Asked(size="500GiB", providers=("aws",)),
        "Where I/Os went: only the sums of the trace are used; they are taken to go anywhere",
        never=("counters do not say it",),
    ),
]
