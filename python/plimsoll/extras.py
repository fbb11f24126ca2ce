"""What belongs to an extra of the package, and the one sentence for a command that needs one that is not installed."""

from __future__ import annotations

from plimsoll.errors import UsageError

MODULES = {
    "postgres": ("psycopg", "psycopg_binary"),
    "parquet": ("pyarrow",),
    "cloud": ("obstore",),
    "web": ("fastapi", "starlette", "uvicorn", "python_multipart", "multipart"),
    "notebook": ("altair", "pandas", "polars"),
    "cluster": ("distributed", "dask", "tornado", "cloudpickle", "asyncssh"),
    "aws": ("boto3", "botocore"),
    "otel": ("opentelemetry", "opentelemetry_sdk", "opentelemetry_exporter_otlp_proto_http"),
}
"""Extra → the modules that come with it and that Plimsoll imports, directly or through one of them."""

PURPOSE = {
    "postgres": "a store in PostgreSQL",
    "parquet": "a Parquet or Arrow table",
    "cloud": "object storage",
    "web": "the team's server",
    "cluster": "a cluster",
    "aws": "renting from AWS",
    "otel": "sending by OTLP",
    "notebook": "a table or chart for a notebook",
}


def explained(error: ImportError) -> Exception:
    """A UsageError that says what to install where the missing module belongs to an extra, else the error itself."""
    name = (error.name or "").partition(".")[0]
    for extra, modules in MODULES.items():
        if name in modules:
            needed = f"{PURPOSE[extra]} needs the Python module {name!r}, which is not installed"
            return UsageError(f"{needed}; get it with: pip install 'plimsoll[{extra}]'")
    return error
