"""The parameters of the database tests, one table per workload of `crates/db`.

Defaults of `ycsb` are those of YCSB's core workload, of `tpcb` those of pgbench. Names are those of the original's
properties where it has one, in our spelling.
"""

from __future__ import annotations

from typing import Any

from plimsoll.drivers import server_called, servers
from plimsoll.errors import UsageError
from plimsoll.parameter import Optional, Parameter, read_flag, read_positive_count, read_rate, read_text
from plimsoll.units import SECOND, exact_number, exact_size, parse_count, parse_duration, parse_share, parse_size

DURABILITIES = ("full", "relaxed", "none")


def _name(value: Any) -> str:
    return str(value).strip()


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{value!r} is not a number") from None


def _bytes(value: Any) -> int:
    """A size of at least one byte."""
    size = parse_size(value)
    if size < 1:
        raise UsageError(f"{value!r} must be at least 1 byte")
    return size


def _settings(value: Any) -> dict[str, str]:
    """Settings from `name=value name=value` or a table; raises UsageError for a word without a value."""
    if isinstance(value, dict):
        return {str(name): str(each) for name, each in value.items()}
    found: dict[str, str] = {}
    if read_text(value) == "none":
        return found
    for word in str(value).split():
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise UsageError(f"{word!r} is not a setting; write name=value, several separated by spaces")
        found[name] = text
    return found


def _request(value: Any) -> dict[str, Any]:
    """`uniform`, `zipfian[:0.99]`, `latest`, `hotspot[:0.2:0.8]`, `sequential` or `exponential[:95:0.857]`."""
    if isinstance(value, dict):
        return value
    kind, *words = read_text(value).split(":")
    numbers = [_number(word) for word in words]
    fields: dict[str, tuple[tuple[str, float], ...]] = {
        "uniform": (),
        "sequential": (),
        "zipfian": (("theta", 0.99),),
        "latest": (("theta", 0.99),),
        "hotspot": (("data", 0.2), ("operations", 0.8)),
        "exponential": (("percentile", 95.0), ("share", 0.8571428571)),
    }
    if kind not in fields or len(numbers) > len(fields[kind]):
        raise UsageError(f"{value!r} is not a request distribution; write one of {', '.join(fields)}")
    given = [*numbers, *(default for _, default in fields[kind][len(numbers) :])]
    return {"kind": kind, **{name: number for (name, _), number in zip(fields[kind], given, strict=True)}}


def _settings_text(value: dict[str, str]) -> str:
    return " ".join(f"{name}={text}" for name, text in value.items()) or "none"


def _request_text(value: dict[str, Any]) -> str:
    return ":".join(part if isinstance(part, str) else exact_number(part) for part in value.values())


COMMON = (
    Parameter(
        "server",
        "none",
        lambda value: server_called(str(value)),
        "private server that is started on a directory target; none: the target is a database address",
        ("none", *servers()),
    ),
    Parameter(
        "durability",
        "full",
        read_text,
        "private server: full (commits on stable storage), relaxed (the last second may be lost), none (no syncs)",
        DURABILITIES,
    ),
    Parameter(
        "server_settings",
        {},
        _settings,
        "of a private server, in its own words, such as shared_buffers=1GB",
        write=_settings_text,
    ),
    Parameter(
        "session_settings",
        {},
        _settings,
        "of each connection, such as synchronous_commit=off",
        write=_settings_text,
    ),
    Parameter("password_env", None, Optional(_name), "environment variable that holds the password"),
    Parameter("tls", "off", read_text, "encryption of connections", ("off", "require", "verify")),
    Parameter("ca_file", None, Optional(_name), "PEM file of the authorities trusted with tls=verify"),
    Parameter("clients", 8, read_positive_count, "connections that work at the same time"),
    Parameter("threads", None, Optional(read_positive_count), "threads that serve them; none: as many as are useful"),
    Parameter(
        "data",
        "reuse",
        read_text,
        "reuse fitting data or load it; keep what is there; create only where there is none; recreate drops it first. "
        "Data without Plimsoll's mark are only used with keep",
        ("reuse", "keep", "create", "recreate"),
    ),
    Parameter("runtime", 10 * SECOND, parse_duration, "longest measured time"),
    Parameter("max_operations", None, Optional(parse_count), "stop after this many operations"),
    Parameter("warmup", 2 * SECOND, parse_duration, "load before anything is counted"),
    Parameter("rate", None, Optional(read_rate), "open loop at `1000/s`; latency from the intended start"),
    Parameter("arrival", "even", read_text, "spacing of the operations of a rate", ("even", "poisson")),
    Parameter("max_tries", 1, read_positive_count, "tries of an operation that ends in a deadlock"),
    Parameter(
        "count_errors", True, read_flag, "go on after a failed operation and count it; no: the first ends the run"
    ),
    Parameter("timeout", 30 * SECOND, parse_duration, "an operation without an answer for so long is an error"),
    Parameter("give_up", 30 * SECOND, parse_duration, "without any connection for so long, the run fails"),
    Parameter(
        "fault",
        "none",
        read_text,
        "none: an outage of the server makes a run invalid; expected: it is what is measured, and has figures",
        ("none", "expected"),
    ),
    Parameter("interval", None, Optional(parse_duration), "length of one interval of the time series"),
    Parameter("seed", 1, parse_count, "start of all random streams"),
)
"""What every database test has."""

DB_WORKLOADS: dict[str, tuple[Parameter, ...]] = {
    "ycsb": (
        Parameter("read", 0.95, parse_share, "share of reads"),
        Parameter("update", 0.05, parse_share, "share of updates"),
        Parameter("insert", 0.0, parse_share, "share of inserts"),
        Parameter("scan", 0.0, parse_share, "share of scans"),
        Parameter("read_modify_write", 0.0, parse_share, "share of reads followed by an update of the record"),
        Parameter("measure", "run", read_text, "run: the workload; load: loading its records", ("run", "load")),
        Parameter("records", 1000, read_positive_count, "records in the table (recordcount)"),
        Parameter("insert_start", 0, parse_count, "first record that is loaded or asked for"),
        Parameter("insert_count", None, Optional(read_positive_count), "how many from there on; none: the rest"),
        Parameter(
            "request",
            {"kind": "uniform"},
            _request,
            "records asked for: uniform, zipfian, latest, hotspot, …",
            write=_request_text,
        ),
        Parameter("fields", 10, read_positive_count, "fields of a record (fieldcount)"),
        Parameter("field_length", 100, _bytes, "bytes of a field, or its longest", write=exact_size),
        Parameter("field_length_min", 1, _bytes, "its shortest", write=exact_size),
        Parameter(
            "field_length_distribution", "constant", read_text, "how it varies", ("constant", "uniform", "zipfian")
        ),
        Parameter("read_all_fields", True, read_flag, "read whole records; otherwise one random field"),
        Parameter("write_all_fields", False, read_flag, "update whole records; otherwise one random field"),
        Parameter("scan_length_min", 1, read_positive_count, "records of the shortest scan"),
        Parameter("scan_length_max", 1000, read_positive_count, "records of the longest scan"),
        Parameter(
            "scan_length_distribution", "uniform", read_text, "how it varies", ("constant", "uniform", "zipfian")
        ),
        Parameter("insert_order", "hashed", read_text, "keys by hash or in order", ("hashed", "ordered")),
        Parameter("zero_padding", 1, read_positive_count, "digits that key numbers are padded to"),
        Parameter("table", "usertable", _name, "name of the table"),
        Parameter("data_integrity", False, read_flag, "values computed from the key, and checked when read"),
        *COMMON,
    ),
    "tpcb": (
        Parameter("script", "tpcb", read_text, "pgbench's built-in script", ("tpcb", "simple_update", "select_only")),
        Parameter("scale", 1, read_positive_count, "branches; 100,000 accounts each"),
        *COMMON,
    ),
    "web": (
        Parameter("keep_alive", False, read_flag, "one connection for all requests of a client"),
        Parameter("page_bytes", 1024, parse_size, "bytes of the page of a private server"),
        *COMMON,
    ),
}
