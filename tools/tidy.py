"""Checks the budgets of this code base: sizes of files and functions, no leftovers, no unfinished merges.

Budgets (CONTRIBUTING.md): files median at most 150 lines and none over 800; functions at most 70 lines.
"""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE_LINES_MAX = 800
FILE_LINES_MEDIAN = 150
FUNCTION_LINES_MAX = 70
LEFTOVERS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|NotImplementedError|todo!\(|unimplemented!\(")
KEEPS = re.compile(r"\)[*+?]\+|\}\+|\(\?>")
r"""A repeated group that gives nothing back: Python 3.11.2 of Debian 12 gets some of them wrong, and no other version.
Of a single character (`\s*+`) they are right everywhere."""
RAW = re.compile(r"\b(?:r|rf|fr|rb|br)([\"'])((?:\\.|[^\\])*?)\1")
# Checked by this file itself, so these are the only places where the words may stand.
EXEMPT = {"tools/tidy.py"}


def sources() -> list[Path]:
    """Python and Rust files under version control."""
    listed = subprocess.run(["git", "ls-files", "*.py", "*.rs"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def python_functions(path: Path) -> Iterator[tuple[str, int, int]]:
    """Name, line and length of each function of a Python file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def rust_functions(path: Path) -> Iterator[tuple[str, int, int]]:
    """The same for Rust as rustfmt writes it: from `fn` to the brace at its indentation."""
    lines = path.read_text().splitlines()
    for start, line in enumerate(lines):
        match = re.match(r"(\s*)(?:pub(?:\([a-z]+\))? )?(?:const |unsafe |extern \"C\" )*fn (\w+)", line)
        if match:
            for end in range(start, len(lines)):
                if lines[end] == match[1] + "}":
                    yield match[2], start + 1, end - start + 1
                    break
                if lines[end].endswith(";") and end == start:
                    break


def conflicts() -> Iterator[str]:
    """Halves of a merge that were left in a file of any kind."""
    found = subprocess.run(
        ["git", "grep", "-nIE", "^(<{7}|>{7}) "], cwd=ROOT, check=False, capture_output=True, text=True
    )
    for line in found.stdout.splitlines():
        yield f"{line}: a merge was not finished here"


def patterns(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each pattern that not every Python reads alike."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in RAW.finditer(line):
            if KEEPS.search(re.sub(r"\[[^\]]*\]|\\.", "x", match[2])):
                yield number, match[2]


def problems() -> Iterator[str]:
    """One line per broken budget."""
    yield from conflicts()
    lengths = []
    for path in sources():
        name = str(path.relative_to(ROOT))
        text = path.read_text()
        is_test = name.startswith(("tests/", "benches/")) or "/tests/" in name or name.endswith("tests.rs")
        if not is_test:
            lengths.append(text.count("\n"))
            if lengths[-1] > FILE_LINES_MAX:
                yield f"{name}: {lengths[-1]} lines, at most {FILE_LINES_MAX}"
        for function, line, length in python_functions(path) if name.endswith(".py") else rust_functions(path):
            if length > FUNCTION_LINES_MAX and not is_test:
                yield f"{name}:{line}: function {function} has {length} lines, at most {FUNCTION_LINES_MAX}"
        for number, pattern in patterns(text) if name.startswith(("python/", "examples/")) else ():
            yield f"{name}:{number}: Python 3.11.2 may get this wrong: {pattern}"
        for number, line in enumerate(text.splitlines(), 1):
            if name not in EXEMPT and LEFTOVERS.search(line):
                yield f"{name}:{number}: leftover: {line.strip()}"
    median = statistics.median(lengths)
    if median > FILE_LINES_MEDIAN:
        yield f"the median file has {median} lines, at most {FILE_LINES_MEDIAN}"


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found), file=sys.stderr)
    sys.exit(1 if found else 0)
