"""Where it was measured: host, targets, versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from plimsoll.model import Target
from plimsoll.report.document import Block, Cell, Column, Table, columns, phrase
from plimsoll.report.evidence import Evidence
from plimsoll.units import SECOND, format_duration, format_size, plain_text

ORDER = 80
TITLE = "Environment"

MANY_VALUES = 12


def build(evidence: Evidence) -> list[Block]:
    """The sessions, the hosts and the targets, each as a table."""
    blocks: list[Block] = [_sessions(evidence)]
    if any(session.host for session in evidence.sessions):
        blocks.append(_hosts(evidence))
    if evidence.runs:
        blocks.append(_targets(evidence))
    return blocks


EARLIEST_NS = 10**17
"""Of 1973: imported runs without a time start at 0."""


def time_text(time_ns: int | None) -> str:
    """`2026-11-21 14:03:10 UTC`, a dash where it never ended, `unknown` where an imported file does not tell it."""
    if time_ns is None:
        return "–"
    if time_ns < EARLIEST_NS:
        return "unknown"
    try:
        return f"{datetime.fromtimestamp(time_ns / SECOND, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{time_ns} ns since 1970"


def _sessions(evidence: Evidence) -> Table:
    names = ("Session", "Title", "Started", "Ended", "State", "Plimsoll", "Policy")
    rows = tuple(
        tuple(
            phrase(value)
            for value in (
                session.id,
                session.title,
                time_text(session.started_ns),
                time_text(session.ended_ns),
                session.state.value,
                session.plimsoll_version,
                session.policy_version,
            )
        )
        for session in evidence.sessions
    )
    return Table("Sessions", columns(*names), rows)


def _hosts(evidence: Evidence) -> Table:
    """Sessions on equal hosts share a column; each worker of a cluster has one."""
    hosts: list[tuple[str, dict[str, str]]] = []
    for session in evidence.sessions:
        workers = session.host.get("workers")
        others = workers if isinstance(workers, Mapping) else {}
        own = {name: value for name, value in session.host.items() if name != "workers" or not others}
        for title, values in ((session.title, own), *((f"worker {name}", each) for name, each in others.items())):
            facts = host_facts(values) if isinstance(values, Mapping) else {}
            if all(facts != known for _, known in hosts):
                hosts.append((title, facts))
    titles = [title for title, _ in hosts] if len(hosts) > 1 else ["Value"]
    return _side_by_side("Host", titles, [facts for _, facts in hosts])


def _targets(evidence: Evidence) -> Table:
    latest: dict[str, Target] = {run.target.name: run.target for run in evidence.runs}
    facts = [
        {"where": target.where, "kind": target.kind}
        | {f"option {name}": value for name, value in target.options.items()}
        | dict(flat_facts(target.facts))
        for target in (latest[name] for name in evidence.targets)
    ]
    return _side_by_side("Targets", list(evidence.targets), facts)


def _side_by_side(caption: str, titles: list[str], facts: list[dict[str, str]]) -> Table:
    names = list(dict.fromkeys(name for each in facts for name in each))
    heads = (Column("fact", "Fact"), *(Column(f"value_{i}", title) for i, title in enumerate(titles)))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (phrase(name), *(phrase(each[name]) if name in each else None for each in facts)) for name in names
    )
    return Table(caption, heads, rows)


def host_facts(host: Mapping[str, Any]) -> dict[str, str]:
    """Facts of a host as pairs of words, without which process it was that measured there: that is never the same."""
    return dict(flat_facts({name: value for name, value in host.items() if name != "owner"}))


def flat_facts(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested facts as flat pairs of words."""
    for name, value in values.items():
        label = f"{prefix}{name.replace('_', ' ')}"
        if (
            isinstance(value, Mapping)
            and len(value) > MANY_VALUES
            and all(isinstance(each, str) for each in value.values())
        ):
            yield label, _by_value(value)
        elif isinstance(value, Mapping):
            yield from flat_facts(value, f"{label} · ")
        else:
            yield _labelled(label, value)


def _by_value(values: Mapping[str, str]) -> str:
    """A long list of like facts, such as the mitigations of a processor: each value once, with its names."""
    names: dict[str, list[str]] = {}
    for name, value in values.items():
        names.setdefault(value, []).append(name.replace("_", " "))
    return "; ".join(f"{value} ({', '.join(each)})" for value, each in names.items())


def _labelled(label: str, value: Any) -> tuple[str, str]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and label.endswith(" bytes"):
        return label.removesuffix(" bytes"), format_size(value)
    if is_number and label.endswith(" ns"):
        return label.removesuffix(" ns"), format_duration(value)
    if value is None or value == "":
        return label, "unknown"
    if isinstance(value, list | tuple):
        separator = "; " if any(isinstance(each, Mapping) for each in value) else ", "
        shown = separator.join(_item(each) for each in value[:MANY_VALUES])
        return label, (shown or "none") + (f" and {len(value) - MANY_VALUES} more" if len(value) > MANY_VALUES else "")
    return label, plain_text(value)


def _item(value: Any) -> str:
    """One of a list; a device among the devices is its own facts in a row."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {told}" for name, told in flat_facts(value))
    return plain_text(value)
