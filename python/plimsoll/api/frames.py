"""Columns as the tables of pandas, Polars and Arrow, with the types that `store/tables.py` declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from plimsoll.api import faults
from plimsoll.errors import UnknownName
from plimsoll.model import Run, Session
from plimsoll.store.tables import TABLES, arrow_table, columns_of

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Columns = Mapping[str, list[Any]]


def columns(name: str, session: Session, runs: tuple[Run, ...]) -> dict[str, list[Any]]:
    """One of the tables; raises UnknownName."""
    if name not in TABLES:
        raise UnknownName("table", name, TABLES)
    return columns_of(name, session, runs)


def to_arrow(name: str, values: Columns) -> pyarrow.Table:
    """As Arrow has it, with the description of each column."""
    return arrow_table(name, values)


def to_pandas(name: str, values: Columns) -> pandas.DataFrame:
    """As pandas has it. What is absent is a missing value: whole numbers stay such (`Int64`)."""
    with faults.told():
        import pandas

    made = {}
    for column, (kind, _) in TABLES[name].items():
        found = values[column]
        if kind == "timestamp":
            made[column] = pandas.to_datetime(pandas.Series(found, dtype="Int64"), unit="ns", utc=True)
        elif kind.startswith("int"):
            made[column] = pandas.Series(found, dtype="Int64" if None in found else "int64")
        elif kind == "float64":
            made[column] = pandas.Series(found, dtype="float64")
        else:
            made[column] = pandas.Series(found, dtype="bool" if kind == "bool" else "str")
    return pandas.DataFrame(made)


def to_polars(name: str, values: Columns) -> polars.DataFrame:
    """As Polars has it."""
    with faults.told():
        import polars

    kinds = {
        "string": polars.String(),
        "bool": polars.Boolean(),
        "int32": polars.Int32(),
        "int64": polars.Int64(),
        "float64": polars.Float64(),
        "timestamp": polars.Datetime("ns", "UTC"),
    }
    schema: dict[str, Any] = {column: kinds[kind] for column, (kind, _) in TABLES[name].items()}
    return polars.DataFrame(dict(values), schema=schema)
