"""Looks at what others wrote and we build on: advisories, licences, and whether archives are those that were tested.

    python tools/audit.py [--write-hashes]

Exit code 0: all was checked and is clean; 1: something was found; 3: nothing was found, but not all could be checked
(a tool is missing, or its database cannot be had from here). "Not checked" is never said as "clean".
`--write-hashes` records the SHA-256 of the archives that pip would install here, in `constraints.sha256`.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PINNED = ROOT / "constraints.txt"
HASHES = ROOT / "constraints.sha256"
CLEAN, FOUND, NOT_CHECKED = 0, 1, 3

# May be linked into a program under Apache-2.0, or installed beside it. Copyleft of single files, or of a library that
# can be exchanged (MPL, EPL, LGPL), may; that of whole programs (GPL, AGPL) may not.
_FREE = """
    0BSD Apache-2.0 Apache-2.0-WITH-LLVM-exception Artistic-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC0-1.0
    CDLA-Permissive-2.0 EPL-2.0 HPND ISC LGPL-2.1-or-later LGPL-3.0-only LGPL-3.0-or-later MIT MIT-0 MIT-CMU MPL-2.0
    OpenSSL PSF-2.0 Python-2.0 Unicode-3.0 Unicode-DFS-2016 Unlicense Zlib bzip2-1.0.6
"""
FREE = frozenset(_FREE.split())
# What packages wrote before there were expressions: their classifiers, and the first words of the field.
OLDER = {
    "MIT License": "MIT",
    "MIT": "MIT",
    "The MIT License (MIT)": "MIT",
    "BSD License": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL-2.1-or-later",
    "ISC License (ISCL)": "ISC",
    "GNU General Public License (GPL)": "GPL-2.0-or-later",
    "The Unlicense (Unlicense)": "Unlicense",
}
OWN = "plimsoll"


@dataclass
class Answer:
    """Of one part."""

    checked: int = 0
    """Packages that were looked at."""
    found: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Why something was not checked."""

    @property
    def code(self) -> int:
        """What the whole would exit with."""
        return FOUND if self.found else NOT_CHECKED if self.missing or not self.checked else CLEAN

    def __str__(self) -> str:
        if self.found:
            return "\n  ".join([f"{len(self.found)} FOUND among {self.checked}", *self.found, *self.missing])
        if self.missing or not self.checked:
            return "NOT CHECKED: " + "; ".join(self.missing or ["nothing was there to look at"])
        return f"clean ({self.checked} looked at)"


def crates_advisories() -> Answer:
    """RustSec's, for what Cargo.lock and the fuzzer's pin."""
    if shutil.which("cargo-audit") is None:
        return Answer(missing=["cargo-audit is not installed (cargo install --locked cargo-audit)"])
    answer = Answer()
    for lock in ("Cargo.lock", "fuzz/Cargo.lock"):
        said, why = _json(["cargo", "audit", "--json", "--file", lock])
        if said is None or "vulnerabilities" not in said:
            answer.missing.append(f"{lock}: {why}")
            continue
        answer.checked += said["lockfile"]["dependency-count"]
        answer.found += [
            f"{each['package']['name']} {each['package']['version']}: {each['advisory']['id']}, "
            f"{each['advisory']['title']} ({lock})"
            for each in said["vulnerabilities"]["list"]
        ]
    return answer


def python_advisories() -> Answer:
    """PyPI's, for what the constraints pin."""
    program = shutil.which("pip-audit") or shutil.which("pip-audit", path=str(Path(sys.executable).parent))
    if program is None:
        return Answer(missing=["pip-audit is not installed (pip install pip-audit)"])
    words = ["--requirement", str(PINNED), "--no-deps", "--disable-pip", "--progress-spinner", "off"]
    said, why = _json([program, *words, "--format", "json"])
    if said is None or "dependencies" not in said:
        return Answer(missing=[why])
    known = [each for each in said["dependencies"] if "skip_reason" not in each]
    skipped = [f"{each['name']}: {each['skip_reason']}" for each in said["dependencies"] if "skip_reason" in each]
    found = [f"{each['name']} {each['version']}: {issue['id']}" for each in known for issue in each["vulns"]]
    return Answer(len(known), found, skipped)


def crates_licences() -> Answer:
    """As the crates' manifests state them."""
    said, why = _json(["cargo", "metadata", "--format-version", "1", "--locked"])
    if said is None:
        return Answer(missing=[why])
    others = [each for each in said["packages"] if each["source"] is not None]
    return _licences({f"{each['name']} {each['version']}": each["license"] or "" for each in others})


def python_licences() -> Answer:
    """As the packages state them that pip would install here."""
    offered, why = _offered()
    if offered is None:
        return Answer(missing=[why])
    return _licences({name: _stated(each["metadata"]) for name, each in offered.items()})


def _stated(metadata: Mapping[str, Any]) -> str:
    if expression := metadata.get("license_expression") or _installed_licence(metadata):
        return str(expression)
    prefix = "License :: OSI Approved :: "
    names = [str(each).removeprefix(prefix) for each in metadata.get("classifier", ()) if str(each).startswith(prefix)]
    names = names or [str(metadata.get("license") or "").strip().partition("\n")[0]]
    return " OR ".join(OLDER.get(name, name) for name in names)


def _installed_licence(metadata: Mapping[str, Any]) -> str:
    """`License-Expression` of the same package here: older pip leaves that field out of its report."""
    try:
        here = importlib.metadata.distribution(str(metadata.get("name")))
    except importlib.metadata.PackageNotFoundError:
        return ""
    return str(here.metadata.get("License-Expression") or "") if here.version == metadata.get("version") else ""


def _licences(stated: Mapping[str, str]) -> Answer:
    bad = [f"{name}: {text or 'no licence is stated'}" for name, text in sorted(stated.items()) if not is_free(text)]
    return Answer(len(stated), bad)


def is_free(expression: str) -> bool:
    """Whether a licence expression of SPDX can be met by licences in FREE alone."""
    text = expression.replace("/", " OR ").replace(" WITH ", "-WITH-")
    words = re.findall(r"\(|\)|[^\s()]+", text)
    truth = [word.lower() if word in ("AND", "OR", "(", ")") else str(word in FREE) for word in words]
    try:
        return bool(words) and bool(eval(" ".join(truth), {"__builtins__": {}}))
    except SyntaxError:
        return False


def archives() -> Answer:
    """What pip would install here now, beside what was tested."""
    known: dict[str, set[str]] = {}
    for line in HASHES.read_text().splitlines() if HASHES.exists() else ():
        if line and not line.startswith("#"):
            name, *hashes = line.split()
            known[name] = set(hashes)
    offered, why = _offered()
    if offered is None:
        return Answer(missing=[why])
    answer = Answer(len(offered))
    for name, each in sorted(offered.items()):
        if name not in known:
            answer.missing.append(f"{name} has no hash in {HASHES.name}")
        elif _sha256(each) not in known[name]:
            # Another platform has archives of its own; the same version's never change.
            answer.found.append(f"{name} is another archive than those that were tested: sha256 {_sha256(each)}")
    return answer


def _sha256(entry: Mapping[str, Any]) -> str:
    return str(entry["download_info"]["archive_info"]["hashes"]["sha256"])


@cache
def _offered() -> tuple[dict[str, Any] | None, str]:
    """What pip would install here of all that is pinned, by name and version, as its report has it; or why not."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-audit-") as folder:
        report = Path(folder) / "report.json"
        words = ["--dry-run", "--ignore-installed", "--no-deps", "--report", str(report), "--requirement", str(PINNED)]
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None, f"pip cannot have the packages: {_last_line(done.stderr)}"
        found = json.loads(report.read_text())["install"]
    return {f"{each['metadata']['name'].lower()}=={each['metadata']['version']}": each for each in found}, ""


def write_hashes() -> int:
    """Add the archives of this platform to those that are known; the exit code."""
    offered, why = _offered()
    if offered is None:
        print(f"nothing was written: {why}", file=sys.stderr)
        return NOT_CHECKED
    lines = HASHES.read_text().splitlines() if HASHES.exists() else []
    before = {name: set(rest) for name, *rest in (line.split() for line in lines if not line.startswith("#"))}
    rows = [" ".join([name, *sorted({_sha256(each), *before.get(name, ())})]) for name, each in sorted(offered.items())]
    HASHES.write_text("# SHA-256 of the archives that were tested; made by tools/audit.py --write-hashes.\n")
    with HASHES.open("a") as file:
        file.write("\n".join(rows) + "\n")
    return CLEAN


def _json(words: Sequence[str]) -> tuple[dict[str, Any] | None, str]:
    """What a program says on standard output, or why it says nothing; where it found something, it may exit with 1."""
    try:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError as error:
        return None, f"{words[0]} cannot be run: {error.strerror}"
    try:
        return dict(json.loads(done.stdout)), _last_line(done.stderr)
    except ValueError:
        return None, _last_line(done.stderr) or f"{words[0]} ended with {done.returncode} without an answer"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # Addresses of a registry, and what a mirror's may hold, are nobody's business.
    return re.sub(r"\w+://\S+", "(address)", lines[-1])[:300] if lines else ""


PARTS: dict[str, Callable[[], Answer]] = {
    "advisories, crates": crates_advisories,
    "advisories, Python": python_advisories,
    "licences, crates": crates_licences,
    "licences, Python": python_licences,
    "archives": archives,
}


def main() -> int:
    """Every part, a line each; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--write-hashes", action="store_true", help="record the archives of this platform")
    if parser.parse_args().write_hashes:
        return write_hashes()
    codes = set()
    for name, part in PARTS.items():
        answer = part()
        codes.add(answer.code)
        print(f"{name}: {answer}", flush=True)
    return FOUND if FOUND in codes else NOT_CHECKED if NOT_CHECKED in codes else CLEAN


if __name__ == "__main__":
    sys.exit(main())
