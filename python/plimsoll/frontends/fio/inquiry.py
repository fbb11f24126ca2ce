"""What `plimsoll fio` answers without a run: `--showcmd`, `--enghelp`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from plimsoll.declared import IoParameters
from plimsoll.errors import UsageError
from plimsoll.frontends.fio.job_file import Section
from plimsoll.frontends.fio.plans import ENGINES
from plimsoll.frontends.fio.section_options import Words
from plimsoll.frontends.fio.steady import criterion as criterion_of
from plimsoll.model import Plan

PRIORITIES = {
    "cmdprio_percentage": "Share of the operations with a priority of their own",
    "cmdprio_class": "Class of that priority, 1 to 3",
    "cmdprio": "Level of that priority, 0 to 7",
    "cmdprio_bssplit": "Shares, and maybe priorities, by the size of an operation",
}
ENGINE_OPTIONS = {
    "io_uring": {
        **PRIORITIES,
        "hipri": "Completions are polled for",
        "fixedbufs": "Buffers are registered: always",
        "registerfiles": "Files are registered: always",
        "sqthread_poll": "A thread of the kernel submits",
        "nonvectored": "Reads and writes without vectors: always",
    },
    "libaio": {**PRIORITIES, "userspace_reap": "Completions are taken from the ring: here from the kernel"},
}


def command_of(sections: Sequence[Section]) -> str:
    """The sections of job files as one command line. What is global stands first, as long as it is the same for all."""
    shared = dict(sections[0].shared) if sections else {}
    words = ["fio", *_options(shared)]
    for section in sections:
        changed = {name: value for name, value in section.shared.items() if shared.get(name) != value}
        words += [_option("name", section.name), *_options({**changed, **section.own})]
    return " ".join(words)


def debug(asked: Sequence[str], sections: Sequence[Words]) -> Iterator[str]:
    """fio's lines about what was asked for, and of `parse` what steady state was read as."""
    yield from (f"fio: set debug option {word}" for word in asked)
    if not {"parse", "all"} & set(asked):
        return
    for criterion in filter(None, map(criterion_of, sections)):
        name = "IOPS" if criterion.kind.startswith("iops") else "BW"
        limit = f"{criterion.limit:f}" if name == "IOPS" else f"{criterion.limit:.0f}"
        told = f"threshold to {criterion.limit:f}%" if criterion.percent else f"{name} threshold to {limit}"
        yield f"parse    set steady state {told}"


def seeds(asked: Sequence[str], plans: Sequence[tuple[int, Plan]]) -> Iterator[str]:
    """fio's lines of `random`: here the one seed of each job."""
    if {"random", "all"} & set(asked):
        for number, plan in plans:
            yield f"random   {number} FIO_RAND_NR_OFFS=1"
            yield f"random   {number} rand_seeds[0]={plan.values(IoParameters)['seed']}"


def _options(options: Mapping[str, str]) -> Iterator[str]:
    return (_option(name, value) for name, value in options.items())


def _option(name: str, value: str) -> str:
    return f"--{name}={shlex.quote(value)}" if value else f"--{name}"


def engines(asked: str) -> list[str]:
    """The engines there are; with the name of one, its options. Raises UsageError where there is no such engine."""
    if not asked:
        return ["Available IO engines:", *(f"\t{name}" for name in ENGINES)]
    name, _, option = asked.partition(",")
    if name not in ENGINES:
        raise UsageError(f"--enghelp: IO engine {name} not found; there are {', '.join(ENGINES)}")
    found = ENGINE_OPTIONS.get(name, {})
    if option and option not in found:
        raise UsageError(f"--enghelp: IO engine {name} has no option {option}; it has {', '.join(found) or 'none'}")
    return [f"{each:24}: {text}" for each, text in found.items() if not option or each == option]
