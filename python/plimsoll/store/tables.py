"""Stored sessions as Parquet tables for DuckDB, pandas and Spark: one row group per session, units in the names.

`TABLES` says what every column is; the same words travel in the files as the description of each field.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from plimsoll.drafts import whole_file
from plimsoll.errors import ResultFileError, StoreError, UsageError
from plimsoll.extras import explained
from plimsoll.model import Run, Session
from plimsoll.stats.histogram import decode
from plimsoll.store.store import Store

Row = tuple[Any, ...]

_RUN = {
    "run_id": ("string", "id of the run"),
    "session_id": ("string", "id of the session"),
    "case": ("string", "test with its overrides; runs of one case are compared"),
    "target": ("string", "name of the place under test"),
    "block": ("int32", "number of the block within its case, from 0; its runs are adjacent in time"),
    "attempt": ("int32", "1 for the repetition of an invalid block, else 0"),
    "status": ("string", "ok, failed, invalid, partial or skipped; only ok counts"),
}
TABLES: dict[str, dict[str, tuple[str, str]]] = {
    "runs": {
        **_RUN,
        "reason": ("string", "why it is not ok"),
        "order": ("int32", "place within the block, from 0"),
        "test": ("string", "name of the test"),
        "plan_hash": ("string", "equal for runs of equal parameters"),
        "workload": ("string", "which part of Plimsoll, or which importer"),
        "started": ("timestamp", "start, UTC; absent where an imported file does not tell it"),
        "duration_ns": ("int64", "from start to end, with layout and warm-up; absent where unknown"),
        "target_kind": ("string", "directory, device, imported, …"),
        "target_where": ("string", "path or address"),
        "parameters_json": ("string", "every parameter in base units, as JSON"),
        "facts_json": ("string", "what was measured once per run, as JSON"),
        "findings_json": ("string", "what the guards say, as JSON"),
        "session_title": ("string", "title of the session"),
        "host_name": ("string", "name of the machine"),
        "plimsoll_version": ("string", "the Plimsoll that measured or imported"),
        "policy_version": ("int32", "version of the rules when it was measured"),
    },
    "scores": {
        **_RUN,
        "metric": ("string", "such as iops or read_p99"),
        "value": ("float64", "in the base unit"),
        "unit": ("string", "1/s, B/s, ns, B or 1"),
        "direction": ("string", "higher or lower is better"),
        "judged": ("bool", "whether verdicts are sought for it"),
    },
    "intervals": {
        **_RUN,
        "start_ns": ("int64", "since the start of the measured part"),
        "duration_ns": ("int64", "length of the interval"),
        "kind": ("string", "read, write, trim, sync or commit"),
        "operations": ("int64", "operations of that kind that ended in it"),
        "bytes": ("int64", "bytes that they moved"),
        "p50_ns": ("int64", "median of their latency"),
        "p99_ns": ("int64", "99th percentile of their latency"),
        "max_ns": ("int64", "their largest latency"),
        "errors": ("int64", "failed operations of all kinds in the interval"),
        "cpu_busy_share": ("float64", "busy share of all CPU time, 0 to 1"),
        "cpu_steal_share": ("float64", "share that the host took, 0 to 1"),
        "device_read_bytes": ("float64", "bytes that the device itself counted"),
        "device_write_bytes": ("float64", "bytes that the device itself counted"),
    },
    "histograms": {
        **_RUN,
        "kind": ("string", "read, write, trim, sync or commit; …_service counts from the real start"),
        "low_ns": ("int64", "smallest latency of the bucket"),
        "high_ns": ("int64", "largest latency of the bucket"),
        "count": ("int64", "operations in it; empty buckets are left out"),
    },
    "series": {
        **_RUN,
        "time_ns": ("float64", "since the start of the run; of imported time series"),
        "column": ("string", "such as read_iops"),
        "value": ("float64", "in the base unit; absent where the file has a gap"),
        "unit": ("string", "1/s, B/s, ns, B or 1"),
    },
}


def write_tables(store: Store, session_ids: Sequence[str], folder: Path, *, replace: bool = False) -> list[Path]:
    """Write TABLES of these sessions as `folder/NAME.parquet`, each whole or not at all; returns the files.

    Raises UsageError if a file is there already or pyarrow is missing, StoreError if it cannot be written.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise explained(error) from None
    if not session_ids:
        raise UsageError("there is no session to export; `plimsoll list sessions` shows what is there")
    files = {name: folder / f"{name}.parquet" for name in TABLES}
    for path in files.values():
        if path.exists() and not replace:
            raise UsageError(f"{path} already exists; choose another folder, or replace it with --force")
    schemas = {name: _schema(pyarrow, columns) for name, columns in TABLES.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # All tables are complete before one has its name.
        with ExitStack() as made, ExitStack() as opened:
            writers = {}
            for name, path in files.items():
                file = made.enter_context(whole_file(path))
                writer = parquet.ParquetWriter(file, schemas[name], compression="zstd")
                writers[name] = opened.enter_context(writer)
            for session in (store.find_session(session_id) for session_id in session_ids):
                runs = store.runs([session.id])
                for name in TABLES:
                    writers[name].write_table(arrow_table(name, columns_of(name, session, runs)))
    except OSError as error:
        raise StoreError(f"cannot write tables in {folder}: {error.strerror}; choose another place") from None
    return list(files.values())


def _schema(pyarrow: Any, columns: dict[str, tuple[str, str]]) -> Any:
    kinds = {"bool": pyarrow.bool_(), "timestamp": pyarrow.timestamp("ns", tz="UTC")}
    return pyarrow.schema(
        [
            pyarrow.field(name, kinds.get(kind) or getattr(pyarrow, kind)(), metadata={"description": about})
            for name, (kind, about) in columns.items()
        ]
    )


def columns_of(name: str, session: Session, runs: Sequence[Run]) -> dict[str, list[Any]]:
    """One of `TABLES` for the runs of a session: the values of each column, None where there is none."""
    make = _ROWS[name]
    rows = [row for run in runs for row in make(session, run)]
    columns = zip(*rows, strict=True) if rows else ((),) * len(TABLES[name])
    return dict(zip(TABLES[name], map(list, columns), strict=True))


def arrow_table(name: str, columns: Mapping[str, list[Any]]) -> Any:
    """Columns of one of `TABLES` as Arrow has them, with the description of each. Raises UsageError without pyarrow."""
    pyarrow = _pyarrow()
    return pyarrow.Table.from_pydict(columns, schema=_schema(pyarrow, TABLES[name]))


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise explained(error) from None
    return pyarrow


def _head(run: Run) -> Row:
    return run.id, run.session_id, run.plan.case, run.target.name, run.block, run.attempt, run.status.value


def _runs(session: Session, run: Run) -> Iterator[Row]:
    # A series has a table of its own.
    facts = {name: fact for name, fact in run.facts.items() if name != "series"}
    yield (
        *_head(run),
        run.reason,
        run.order,
        run.plan.test,
        run.plan.hash,
        run.plan.workload,
        run.started_ns or None,
        run.ended_ns - run.started_ns or None,
        run.target.kind,
        run.target.where,
        _json(run.plan.parameters),
        _json(facts),
        _json([finding.model_dump() for finding in run.findings]),
        session.title,
        str(session.host.get("name", "")) or None,
        session.plimsoll_version,
        session.policy_version,
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _scores(_: Session, run: Run) -> Iterator[Row]:
    head, judged = _head(run), run.plan.metrics
    for each in run.scores:
        yield (*head, each.metric, each.value, each.unit, each.direction, each.metric in judged)


def _intervals(_: Session, run: Run) -> Iterator[Row]:
    head = _head(run)
    for each in run.intervals:
        cpu, device = each.cpu, each.device
        last = (
            each.errors, cpu.get("busy"), cpu.get("steal"), device.get("read_bytes"), device.get("write_bytes"),
        )  # fmt: skip
        for kind, of_kind in each.operations.items():
            counted = (of_kind.operations, of_kind.bytes, of_kind.p50_ns, of_kind.p99_ns, of_kind.max_ns)
            yield (*head, each.start_ns, each.duration_ns, kind, *counted, *last)


def _histograms(_: Session, run: Run) -> Iterator[Row]:
    head = _head(run)
    for kind, encoded in run.histograms.items():
        try:
            found = decode(encoded)
        except ResultFileError as error:
            raise StoreError(f"run {run.id} has a damaged histogram {kind!r}: {error}") from None
        for low, high, count in zip(found.low.tolist(), found.high.tolist(), found.counts.tolist(), strict=True):
            yield (*head, kind, low, high, count)


def _series(_: Session, run: Run) -> Iterator[Row]:
    series = run.facts.get("series")
    if not isinstance(series, dict) or not isinstance(series.get("columns"), dict):
        return
    head = _head(run)
    for name, column in series["columns"].items():
        for time, value in zip(series.get("time_ns", ()), column.get("values", ()), strict=False):
            yield (*head, time, name, value, column.get("unit"))


_ROWS: dict[str, Callable[[Session, Run], Iterator[Row]]] = {
    "runs": _runs,
    "scores": _scores,
    "intervals": _intervals,
    "histograms": _histograms,
    "series": _series,
}
"""The rows of each table, with the values of its columns in their order."""
