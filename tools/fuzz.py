"""Fuzzes everything in Rust that reads bytes of others: `python tools/fuzz.py [--seconds 120] [TARGET…]`.

Builds `fuzz/` with LLVM's address sanitizer and coverage, on the stable compiler (RUSTC_BOOTSTRAP=1), and lets its
targets run side by side, each on its corpus in `fuzz/corpus`, with all checks of a debug build. What is found stays as
a file in `--keep`; exit code 1 if there was one. `--grow` adds to the corpus what reaches new code, and minimises it.
Equal seeds begin alike, but what is reached depends on the time that there is.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FUZZ = ROOT / "fuzz"
HOST = f"{platform.machine()}-unknown-linux-gnu"
SANITIZER = "address"
COVERAGE = (
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
)
LONGEST_BYTES = 65_536
SLOWEST_S = 10
MOST_MEMORY_MIB = 2048


def main() -> int:
    """The exit code."""
    arguments = _arguments()
    program = _built(arguments.target_dir)
    chosen = arguments.targets or sorted(path.name for path in (FUZZ / "corpus").iterdir())
    processors = len(os.sched_getaffinity(0))
    # So many run at once, each for its share of the time.
    seconds = max(1, arguments.seconds * min(processors, len(chosen)) // len(chosen))
    failed = []
    with tempfile.TemporaryDirectory(prefix="plimsoll-fuzz-") as folder:
        waiting, running = list(chosen), dict[str, subprocess.Popen[str]]()
        while waiting or running:
            while waiting and len(running) < processors:
                name = waiting.pop(0)
                running[name] = _started(program, name, seconds, Path(folder), arguments)
            name = next(iter(running))
            process = running.pop(name)
            said, _ = process.communicate()
            failed += _told(name, process.returncode, said)
            if arguments.grow and process.returncode == 0:
                _grown(program, name, Path(folder))
    if failed:
        print(f"found by {', '.join(failed)}; the inputs are in {arguments.keep}", file=sys.stderr)
    return 1 if failed else 0


def _built(target: Path) -> Path:
    if shutil.which(os.environ.get("CXX", "c++")) is None:
        sys.exit("fuzzing needs a C++ compiler, which builds LLVM's fuzzer (Debian: apt install g++)")
    flags = [*COVERAGE, f"-Zsanitizer={SANITIZER}", "-Cunsafe-allow-abi-mismatch=sanitizer", "--cfg", "fuzzing"]
    environment = {
        **os.environ,
        "RUSTC_BOOTSTRAP": "1",
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags),
        "CARGO_TARGET_DIR": str(target),
    }
    words = ["cargo", "build", "--release", "--quiet", "--locked", "--target", HOST]
    subprocess.run(words, cwd=FUZZ, env=environment, check=True)
    return target / HOST / "release/parsers"


def _started(
    program: Path, name: str, seconds: int, folder: Path, arguments: argparse.Namespace
) -> subprocess.Popen[str]:
    arguments.keep.mkdir(parents=True, exist_ok=True)
    found = folder / name
    found.mkdir()
    words = [
        str(program),
        f"-max_total_time={seconds}",
        f"-seed={arguments.seed}",
        f"-max_len={LONGEST_BYTES}",
        f"-timeout={SLOWEST_S}",
        f"-rss_limit_mb={MOST_MEMORY_MIB}",
        f"-artifact_prefix={arguments.keep}/{name}-",
        "-print_final_stats=1",
        str(found),
        str(FUZZ / "corpus" / name),
    ]
    environment = {**os.environ, "PLIMSOLL_FUZZ": name}
    return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _told(name: str, code: int, said: str) -> list[str]:
    """One line of what a target did; its whole words where it failed."""
    numbers = dict(line[6:].split(": ", 1) for line in said.splitlines() if line.startswith("stat::"))
    executed = int(numbers.get("number_of_executed_units", "0"))
    if code == 0 and executed:
        print(f"{name}: {executed:,} inputs, nothing found", flush=True)
        return []
    print(f"{name}: exit code {code}\n{said[-8000:]}", file=sys.stderr, flush=True)
    return [name]


def _grown(program: Path, name: str, folder: Path) -> None:
    """The smallest set of inputs that reaches all that was reached, in place of the corpus."""
    corpus, merged = FUZZ / "corpus" / name, folder / f"{name}-merged"
    merged.mkdir()
    words = [str(program), "-merge=1", f"-max_len={LONGEST_BYTES}", str(merged), str(corpus), str(folder / name)]
    environment = {**os.environ, "PLIMSOLL_FUZZ": name}
    subprocess.run(words, env=environment, check=True, capture_output=True)
    kept = {path.name for path in corpus.glob("seed-*")}
    for path in corpus.iterdir():
        if path.name not in kept:
            path.unlink()
    for path in merged.iterdir():
        shutil.copy(path, corpus / path.name)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=120, help="of all targets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=ROOT / "target/fuzz-found", help="folder for what was found")
    parser.add_argument("--target-dir", type=Path, default=ROOT / "target/fuzz", help="folder of the build")
    parser.add_argument("--grow", action="store_true", help="keep what reaches new code, minimised")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
