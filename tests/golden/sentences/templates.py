"""The sentences that conclusions are made of, as they stand in the code: found by parsing it, so none can be missed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import plimsoll

ROOT = Path(plimsoll.__file__).parent
SPEAKERS = (
    "stats/sentences.py", "stats/rules.py", "stats/stopping.py", "stats/repeats.py", "stats/steady.py",
    "stats/unpaired.py", "stats/paired.py", "stats/multiplicity.py",
    "catalog/bounds.py", "catalog/delivery.py", "catalog/lasting.py",
    "simulation/slo.py", "simulation/choice.py",
    "run/guards/*.py", "report/sections/*.py", "report/memory.py", "report/doubted.py", "report/likened.py",
    "report/disturbed.py", "report/settings.py",
    "altered.py", "report/changed.py", "traces/advice/sentences.py", "traces/advice/wanted.py",
    "traces/advice/proof/sentences.py",
    "traces/notes.py", "traces/cgroups.py", "traces/seconds.py", "traces/observe.py", "traces/places.py",
    "traces/replay.py",
    "traces/series.py", "traces/demand.py", "traces/profile/sentences.py", "traces/counters/__init__.py",
    "traces/counters/_times.py", "traces/counters/cloudwatch.py", "traces/counters/iostat.py", "traces/counters/sar.py",
)  # fmt: skip
"""Files that word a verdict, a finding, an advice or a note."""
CRATES = ROOT.parents[1] / "crates"
RUST_SPEAKERS = ("logs/src/trace/header.rs", "logs/src/trace/order.rs", "logs/src/trace/text/*.rs")
"""Those of the core that word what is not in a trace."""
FEWEST_WORDS = 4
"""Shorter strings are names, units and parts of a sentence that stands elsewhere."""
NO_CONCLUSIONS = ("NAME", "TITLE", "WHY", "KINDS")
"""What describes a guard or a section, and is said of no data."""
_WORD = re.compile(r"[A-Za-z]{2,}")
_CODE = re.compile(r"\(\?|\\d|^\S+$")
"""Regular expressions, settings and names of columns."""
_RUST_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_RUST_SILENT = re.compile(
    r"""^\s*//[^\n]*$ | :\ Why\ =\s*"(?:[^"\\]|\\.)*" | Fault::of_\w+\([^;]*; | title:\ "[^"]*"
    | b"[^"]*" | b'\\?.' """,
    re.MULTILINE | re.VERBOSE,
)
"""Comments, what ends the reading, and names."""


@dataclass(frozen=True)
class Template:
    """One string of the code; `{}` stands for what is filled in."""

    file: str
    line: int
    words: str

    @property
    def key(self) -> str:
        return f"{self.file}: {self.words}"

    @cached_property
    def _parts(self) -> list[str]:
        return plain(self.words).split("{}")

    @cached_property
    def core(self) -> str:
        """What every line that holds it has: its longest part, without a letter that may have become a capital one."""
        return max(self._parts, key=len)[1:]

    def said_in(self, line: str) -> bool:
        """Whether a line holds it; its first letter may have become a capital one."""
        return self._holds(line, self._parts) or self._holds(line, [_capital(self._parts[0]), *self._parts[1:]])

    def _holds(self, line: str, parts: list[str]) -> bool:
        """Whether the parts stand in the line in their order; the earliest place of each is as good as any."""
        at = 0
        for part in parts:
            at = line.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return True


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def plain(text: str) -> str:
    """Blanks do not count, nor does a full stop at the end: sentences are joined later."""
    return re.sub(r"\s+", " ", text.replace(" %", "%")).strip().rstrip(".")


def templates() -> list[Template]:
    files = sorted(path for pattern in SPEAKERS for path in ROOT.glob(pattern))
    rust = sorted(path for pattern in RUST_SPEAKERS for path in CRATES.glob(pattern))
    return [*(each for path in files for each in _of(path)), *(each for path in rust for each in _of_rust(path))]


def _of(path: Path) -> Iterator[Template]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from _templates(str(path.relative_to(ROOT)), ((node.lineno, _words(node)) for node in _spoken(tree)))


def _of_rust(path: Path) -> Iterator[Template]:
    """Its strings, but for those of faults, which end the reading, and of comments."""
    text = _RUST_SILENT.sub(lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"))
    strings = ((text[: match.start()].count("\n") + 1, match[1]) for match in _RUST_STRING.finditer(text))
    yield from _templates(
        str(path.relative_to(CRATES)),
        (
            (line, re.sub(r"\{\w*\}", "{}", re.sub(r"\\\n\s*", "", words).replace("{{}}", "{}")))
            for line, words in strings
        ),
    )


def _templates(file: str, strings: Iterable[tuple[int, str]]) -> Iterator[Template]:
    seen = set()
    for line, words in strings:
        spoken = len(_WORD.findall(words)) >= FEWEST_WORDS and not _CODE.search(words)
        if spoken and words not in seen:
            seen.add(words)
            yield Template(file, line, words)


def _spoken(node: ast.AST) -> Iterator[ast.JoinedStr | ast.Constant]:
    """Strings of an expression, not documentation, not what is raised, not a description."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Raise) or _is_documentation(child) or _describes(child):
            continue
        if isinstance(child, ast.JoinedStr):
            yield child
            for part in child.values:
                if isinstance(part, ast.FormattedValue):
                    yield from _spoken(part)
        elif isinstance(child, ast.Constant):
            if isinstance(child.value, str):
                yield child
        else:
            yield from _spoken(child)


def _is_documentation(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _describes(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id in NO_CONCLUSIONS for target in node.targets
    )


def _words(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
