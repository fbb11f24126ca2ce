"""Runs the Rust tests under a sanitizer: `python tools/sanitize.py address|thread [CRATE…]`.

On the stable compiler (RUSTC_BOOTSTRAP=1); its standard library is not instrumented, for its sources are not needed to
be there. What that cannot see (std's own accesses) is trusted; `tools/tsan.supp` silences what is reported of it.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOST = f"{platform.machine()}-unknown-linux-gnu"
WITHOUT = "python"
"""A module of Python: it has no tests of its own, and cannot be linked into a program."""
CRATES = sorted(f"plimsoll-{path.name}" for path in (ROOT / "crates").iterdir() if path.name != WITHOUT)
MEASURES_MEMORY = "memory_is_bounded"
"""A sanitizer has memory of its own, which this test would take for the program's."""
OWN_DESCRIPTORS = "plimsoll-files"
"""Its workers leave the descriptors of their process, and with them the sanitizer's symbolizer: what the thread
sanitizer then reports has no names that `tools/tsan.supp` could know. Of this crate it takes the tests without workers.
"""
OPTIONS = {
    "address": {"ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0", "LSAN_OPTIONS": "report_objects=1"},
    "thread": {"TSAN_OPTIONS": f"halt_on_error=1 suppressions={ROOT}/tools/tsan.supp"},
}


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sanitizer", choices=sorted(OPTIONS))
    parser.add_argument("crates", nargs="*", metavar="CRATE", default=CRATES)
    parser.add_argument("--target-dir", type=Path, default=ROOT / "target/sanitize")
    parser.add_argument("--filter", help="only tests whose name holds this")
    arguments = parser.parse_args()
    flags = [f"-Zsanitizer={arguments.sanitizer}", "-Cunsafe-allow-abi-mismatch=sanitizer"]
    environment = {
        **os.environ,
        **OPTIONS[arguments.sanitizer],
        "RUSTC_BOOTSTRAP": "1",
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags),
        # Doc tests are compiled apart, and need the same.
        "CARGO_ENCODED_RUSTDOCFLAGS": "\x1f".join(flags),
        "CARGO_TARGET_DIR": str(arguments.target_dir / arguments.sanitizer),
    }
    # Programs that tests start: `cargo test --examples` would make tests of them.
    subprocess.run(["cargo", "build", *common(arguments.crates), "--examples"], cwd=ROOT, env=environment, check=True)
    apart = {OWN_DESCRIPTORS} & set(arguments.crates) if arguments.sanitizer == "thread" else set()
    parts = ((set(arguments.crates) - apart, ["--lib", "--tests"]), (apart, ["--lib"]))
    codes = []
    for crates, kinds in parts:
        if crates:
            words = ["cargo", "test", *common(sorted(crates)), "--no-fail-fast", *kinds]
            words += [arguments.filter] if arguments.filter else []
            words += ["--", "--skip", MEASURES_MEMORY]
            codes.append(subprocess.run(words, cwd=ROOT, env=environment, check=False).returncode)
    return max(codes)


def common(crates: Iterable[str]) -> list[str]:
    """The options of every call of cargo."""
    return ["--quiet", "--locked", "--target", HOST, *(word for crate in crates for word in ("-p", crate))]


if __name__ == "__main__":
    sys.exit(main())
