"""Writes python/plimsoll/declared.py from the parameters that the core declares; `--check` only compares."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from plimsoll import _core

FILE = Path(__file__).parent.parent / "python" / "plimsoll" / "declared.py"
TYPES = {
    "flag": "bool", "count": "int", "bytes": "int", "nanoseconds": "int", "share": "float", "number": "float",
    "word": "Literal{}", "words": "list[Literal{}]", "text": "str", "sizes": "Sizes", "rate": "Rate",
    "distribution": "Distribution", "cpus": "list[int]", "record": "Any",
    "server": "str", "settings": "dict[str, str]", "requests": "Requests",
}  # fmt: skip
KINDS = {"files": "file-system test", "db": "database test", "volume": "volume"}
HEAD = '''"""The parameters of our workloads, a record each. Made by `make docs` from crates/; do not edit."""

from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from plimsoll.database_values import Requests
from plimsoll.parameter import Declared, Distribution, Rate, Sizes

'''


def module(records: list[dict[str, Any]]) -> Iterator[str]:
    """The whole file."""
    yield HEAD
    for record in records:
        yield from written(record)
    for base in dict.fromkeys(record["base"] for record in records if record["base"]):
        workloads = [record["name"] for record in records if record["base"] == base]
        yield f"\n{base.upper()}: dict[str, type[{class_of(base)}]] = {{\n"
        yield from (f'    "{name}": {class_of(name)},\n' for name in workloads)
        yield f'}}\n"""The records of the workloads in crates/{base} by name."""\n'


def written(record: Mapping[str, Any]) -> Iterator[str]:
    """One class."""
    base = class_of(record["base"]) if record["base"] else "TypedDict"
    kind = KINDS.get(record["name"])
    about = f"What every {kind} has." if kind else f"The parameters of `{record['name']}`."
    yield f'\nclass {class_of(record["name"])}({base}):\n    """{about}"""\n\n'
    for parameter in record["parameters"]:
        kind = TYPES[parameter["unit"]].format(parameter.get("choices"))
        kind += " | None" if parameter["default"] is None and kind != "Any" else ""
        words = [repr(parameter[name]) for name in ("unit", "default", "help")]
        words += [f"{bound}={parameter[bound]!r}" for bound in ("least", "most") if bound in parameter]
        hint = f"Annotated[{kind}, Declared({', '.join(words)})]"
        yield f"    {parameter['name']}: {f'NotRequired[{hint}]' if parameter.get('optional') else hint}\n"
    yield "\n"


def class_of(name: str) -> str:
    """`FsMarkParameters` for `fs_mark`."""
    return "".join(word.capitalize() for word in name.split("_")) + "Parameters"


def formatted(text: str) -> str:
    """As the formatter has it."""
    ruff = [str(Path(sys.executable).with_name("ruff")), "format", "--stdin-filename", str(FILE), "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout


def main() -> int:
    """The exit code."""
    text = formatted("".join(module(json.loads(_core.parameters()))))
    if "--check" not in sys.argv:
        FILE.write_text(text)
    elif FILE.read_text() != text:
        print(f"{FILE.name} is not what the core declares; run `make docs`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
