"""fio's command line: its own options, job options in place of a job file, and job files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import job_file, values
from plimsoll.frontends.fio.job_file import Section, Sections
from plimsoll.frontends.fio.options import ALIASES, FLAGS, SIZES, canonical
from plimsoll.meanings import nearest
from plimsoll.units import MILLISECOND, SECOND, format_duration

FORMATS = ("terse", "json", "json+", "normal")
"""In the order in which fio prints them, whichever is named first."""
DEBUG = (
    "all", "process", "file", "io", "mem", "blktrace", "verify", "random", "parse", "diskutil", "job", "mutex",
    "profile", "time", "net", "rate", "compress", "steadystate", "helperthread", "zbd",
)  # fmt: skip
"""fio's kinds of messages; there are some of `parse` here."""
TERSE_VERSIONS = ("3", "4", "5")
VERSION = "fio-3.33"
"""The version whose formats are printed; parsers look at it to choose between µs and ns."""

WITH_VALUE = (
    "output", "output-format", "section", "terse-version", "eta", "eta-interval", "eta-newline",
    "status-interval",
    "max-jobs", "alloc-size", "aux-path", "destroy", "debug", "inflate-log",
)  # fmt: skip
WITHOUT_VALUE = (
    "minimal", "append-terse", "parse-only", "readonly", "warnings-fatal", "version", "showcmd", "enghelp",
    "force", "bandwidth-log",
)  # fmt: skip
"""As with fio, the value of `--enghelp=` needs the equals sign."""
SHORT = {"v": "version"}
NOT_CARRIED_OUT = (
    "client", "server", "remote-config", "cmdhelp", "profile",
    "daemonize", "idle-prof", "trigger-file", "trigger-timeout", "trigger", "trigger-remote", "crctest",
    "cpuclock-test", "merge-blktrace-only",
)  # fmt: skip
INSTEAD = {
    "cmdhelp": "docs/front-ends.md has the options",
    "client": "`plimsoll run --cluster` runs on several machines",
    "server": "`plimsoll run --cluster` runs on several machines",
    "idle-prof": "usr_cpu and sys_cpu of the output are the processor's use",
    "crctest": "`openssl speed` or fio itself measure checksums",
    "trigger": "leave it out, and stop Plimsoll with Ctrl-C or SIGTERM",
}


@dataclass
class Invocation:
    """What a command line asks for."""

    sections: list[Section]
    formats: tuple[str, ...] = ("normal",)
    output: Path | None = None
    destroy: list[str] = field(default_factory=list)
    force: bool = False
    """What is there under the name of the output may be overwritten, whosever it is."""
    readonly: bool = False
    parse_only: bool = False
    warnings_fatal: bool = False
    want_version: bool = False
    show_command: bool = False
    engines_of: str | None = None
    """`--enghelp`: empty for the list of engines, or one of them."""
    inflate: str | None = None
    """A compressed log whose lines are wanted."""
    terse_version: str = "3"
    eta: str = "auto"
    """`always`, `never`, or `auto`: on a terminal."""
    eta_ns: int = SECOND
    newline_ns: int = 0
    """The line of the ETA becomes another line so often; 0: never."""
    begun: Sequence[Section] = ()
    """What stands before any job, as if it were one."""
    debug: tuple[str, ...] = ()
    """What messages are wanted of."""
    bandwidth_log: bool = False
    """Bandwidth of all jobs together over time, in `agg-read_bw.log` and its like."""
    status_ns: int = 0
    """All results so far are printed so often; 0: only at the end."""


def parse(words: Sequence[str]) -> Invocation:
    """Read the words after `plimsoll fio`. Raises UsageError."""
    general: dict[str, list[str]] = {}
    job_words: list[tuple[str, str]] = []
    files: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            files.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        name = SHORT.get(name, name)
        takes_value = name in WITH_VALUE or not _is_switch(name)
        if not equals and takes_value:
            if not rest:
                raise UsageError(f"fio's option --{name} needs a value; write --{name}=VALUE")
            value = rest.pop(0)
        if name in WITH_VALUE or name in WITHOUT_VALUE:
            general.setdefault(name, []).append(value)
        elif name in NOT_CARRIED_OUT:
            raise UsageError(f"fio's option --{name} is not supported by Plimsoll; {INSTEAD.get(name, 'leave it out')}")
        else:
            _must_exist(name)
            job_words.append((name, value))
    return _invocation(general, job_words, files)


def _is_switch(name: str) -> bool:
    return name in WITHOUT_VALUE or name in NOT_CARRIED_OUT or ALIASES.get(name, name) in FLAGS


def _must_exist(name: str) -> None:
    try:
        canonical(name, frozenset(WITH_VALUE + WITHOUT_VALUE))
    except UsageError as error:
        near = nearest(name, WITH_VALUE + WITHOUT_VALUE)
        hint = f" (or did you mean --{near[0]}?)" if near else ""
        raise UsageError(f"--{name}: {error}{hint}") from None


def _invocation(
    general: dict[str, list[str]], job_words: Sequence[tuple[str, str]], files: Sequence[str]
) -> Invocation:
    sections = Sections(wanted=tuple(general.get("section", ())))
    _check_units(job_words)
    for name, value in job_words:
        if name == "name":
            sections.begin(value, "the command line")
        else:
            sections.put(name, value, f"--{name}")
    for number, path in enumerate(files):
        sections.begin_file(path, further=number > 0)
        job_file.read(Path(path), sections)
    for name in sections.unknown():
        raise UsageError(f"--section={name}: no job file has a section of this name")
    if "max-jobs" in general:
        _check_max_jobs(general["max-jobs"][-1], sections.found)
    return Invocation(
        sections=sections.found,
        formats=_formats(general),
        output=Path(general["output"][-1]) if "output" in general else None,
        destroy=general.get("destroy", []),
        force="force" in general,
        readonly="readonly" in general,
        parse_only="parse-only" in general,
        warnings_fatal="warnings-fatal" in general,
        want_version="version" in general,
        show_command="showcmd" in general,
        begun=[Section("", {}, dict(sections.shared), "the command line")],
        debug=inquiry_words(general.get("debug", [])),
        bandwidth_log="bandwidth-log" in general,
        engines_of=general["enghelp"][-1] if "enghelp" in general else None,
        inflate=general["inflate-log"][-1] if "inflate-log" in general else None,
        terse_version=_terse_version(general),
        eta=_eta(general),
        eta_ns=_time(general, "eta-interval", "ms", 250 * MILLISECOND) or SECOND,
        newline_ns=_time(general, "eta-newline", "s", 0),
        status_ns=_time(general, "status-interval", "s", MILLISECOND),
    )


def inquiry_words(given: Sequence[str]) -> tuple[str, ...]:
    """What `--debug` names. Raises UsageError where fio has no such messages."""
    found = [word for text in given for word in text.split(",") if word]
    for word in found:
        if word.partition(":")[0] not in DEBUG:
            raise UsageError(f"--debug={word}: use one of {', '.join(DEBUG)}")
    return tuple(found)


def _check_units(job_words: Sequence[tuple[str, str]]) -> None:
    """fio reads each argument as it comes: what stands before `--kb_base` is read without it."""
    before = [ALIASES.get(name, name) for name, value in job_words if not re.fullmatch(r"[\d.,:%/-]*", value)]
    names = [ALIASES.get(name, name) for name, _ in job_words]
    first = names.index("kb_base") if "kb_base" in names else 0
    for name in names[:first]:
        if name in SIZES and name in before:
            raise UsageError(f"--kb_base holds for what comes behind it, and --{name} stands before it; put it first")


def _eta(general: Mapping[str, Sequence[str]]) -> str:
    when = general.get("eta", ["auto"])[-1]
    if when not in ("always", "never", "auto"):
        raise UsageError(f"--eta={when}: use always, never or auto")
    return when


def _time(general: Mapping[str, Sequence[str]], name: str, unit: str, least_ns: int) -> int:
    """A time in ns, where a bare number counts `unit`; 0 where the option is absent."""
    if name not in general:
        return 0
    text = general[name][-1]
    try:
        found = values.time_ns(text, unit)
    except UsageError as error:
        raise UsageError(f"--{name}: {error}") from None
    if found < least_ns:
        raise UsageError(f"--{name}={text} is too small; use {format_duration(least_ns)} or more")
    return found


def _formats(general: dict[str, list[str]]) -> tuple[str, ...]:
    chosen = general.get("output-format", ["normal"])[-1].split(",")
    if "minimal" in general:
        chosen = ["terse"]
    if "append-terse" in general and "terse" not in chosen:
        chosen.append("terse")
    for each in chosen:
        if each not in FORMATS:
            raise UsageError(f"--output-format={each}: use one of {', '.join(FORMATS)}")
    return tuple(sorted(set(chosen), key=FORMATS.index))


def _terse_version(general: Mapping[str, Sequence[str]]) -> str:
    version = general.get("terse-version", ["3"])[-1]
    if version not in TERSE_VERSIONS:
        raise UsageError(f"--terse-version={version}: use one of {', '.join(TERSE_VERSIONS)}")
    return version


def _check_max_jobs(text: str, sections: Sequence[Section]) -> None:
    try:
        jobs, most = sum(values.whole(section.options.get("numjobs", "1")) for section in sections), values.whole(text)
    except UsageError as error:
        raise UsageError(f"--max-jobs={text}: {error}") from None
    if jobs > most:
        raise UsageError(f"{jobs} jobs are more than --max-jobs={text} allows")
