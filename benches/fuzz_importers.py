"""Feeds damaged files to the importers: each must give a valid import or ResultFileError, quickly and in little memory.

    python benches/fuzz_importers.py --format fio_json --inputs 1000000 [--first 0] [--seed 7] [--keep DIR]

Without `--format` every format gets its inputs. Every input follows from seed, format and number, so a finding can be
repeated, and a million can be run in slices (`--first`, or fuzz_campaign.py); the bytes of findings are written to
`--keep`. Exit code 1 if there was one.

Every input goes through `recognise` and `read` of its format, and what was read through `assert_valid`; one in
FOREIGN_EVERY also through `recognise` of all other formats. One in WHOLE_EVERY is a damaged fixture; the others are
damaged cuttings: some lines of a fixture that the importer still reads, which is faster and differs more.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.unit.importers.mutations import mutate  # noqa: E402
from tests.unit.importers.validity import assert_valid  # noqa: E402

from plimsoll import plugins  # noqa: E402
from plimsoll.errors import ResultFileError  # noqa: E402
from plimsoll.importers.source import HEAD_BYTES, Options, Source  # noqa: E402

FIXTURES = ROOT / "tests/unit/importers"
LONGEST_S = 5
MOST_MEMORY_BYTES = 1 << 30
MOST_FINDINGS = 20
REPORT_EVERY = 10_000
FOREIGN_EVERY = 16
WHOLE_EVERY = 8
CUTTINGS = 12
"""Of each fixture, where so many are found."""

LONGEST_CUTTING = 0.5

_FORMATS = tuple(plugins.modules("plimsoll.importers.formats"))


class TooSlow(BaseException):
    """One input took more than LONGEST_S of CPU time; no importer can catch it."""


@dataclass
class Tally:
    """What became of the inputs of one format."""

    outcomes: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0
    slowest_input: int = -1
    findings: list[str] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """How many there were."""
        return sum(self.outcomes.values())


def main() -> int:
    arguments = _arguments()
    bounded()
    known = {module.NAME: module for module in _FORMATS}
    chosen = [known[arguments.format]] if arguments.format else list(known.values())
    bad = 0
    for module in chosen:
        began = time.monotonic()
        tally = fuzz(module, range(arguments.first, arguments.first + arguments.inputs), arguments.seed, arguments.keep)
        print(told(module.NAME, tally, time.monotonic() - began), flush=True)
        for finding in tally.findings:
            print(finding, file=sys.stderr)
        bad += len(tally.findings)
    return 1 if bad else 0


def bounded() -> None:
    """Limit memory and time of this process; whatever is loaded by now is no garbage to look through."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES * 2, MOST_MEMORY_BYTES * 2))
    signal.signal(signal.SIGPROF, _too_slow)
    gc.freeze()
    # Not much more: a histogram of 300 kB is garbage in a cycle.
    gc.set_threshold(2_000)


def fuzz(module: ModuleType, numbers: range, seed: int, keep: Path | None, most_s: float = float("inf")) -> Tally:
    """Read the damaged files with these numbers of one format, for at most so many seconds."""
    last = time.monotonic() + most_s
    files = [(path.name, path.read_bytes()) for path in sorted((FIXTURES / module.NAME / "fixtures").iterdir())]
    foreign = [path.read_bytes() for path in sorted(FIXTURES.glob("*/fixtures/*"))]
    tally = Tally()
    for number, name, content in _damaged(module, numbers, seed, files, foreign):
        # CPU time, because on a busy machine the clock also counts the work of others.
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
        try:
            tally.outcomes[_read(module, name, content, foreign=number % FOREIGN_EVERY == 0)] += 1
        except (Exception, TooSlow):
            tally.outcomes["findings"] += 1
            _found(tally, module, number, content, keep)
            if len(tally.findings) >= MOST_FINDINGS:
                break
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        took = time.process_time() - began
        if took > tally.slowest_s:
            tally.slowest_s, tally.slowest_input = took, number
        if time.monotonic() > last:
            break
        if number % REPORT_EVERY == REPORT_EVERY - 1:
            print(f"{module.NAME}: {number + 1:,} of {numbers.stop:,}", file=sys.stderr, flush=True)
    return tally


def _damaged(
    module: ModuleType, numbers: range, seed: int, files: list[tuple[str, bytes]], foreign: list[bytes]
) -> Iterator[tuple[int, str, bytes]]:
    parts = [(name, part) for name, content in files for part in _cuttings(module, name, content)] or files
    for number in numbers:
        rng = random.Random(f"{seed} {module.NAME} {number}")
        name, content = rng.choice(files if number % WHOLE_EVERY == 0 else parts)
        yield number, name, mutate(content, foreign, rng)


def _cuttings(module: ModuleType, name: str, content: bytes) -> list[bytes]:
    """Runs of lines, with or without the first ones, that are recognised and read; the fixture where there are none."""
    rng = random.Random(f"{module.NAME} {name} {len(content)}")
    lines = content.splitlines(keepends=True)
    found: set[bytes] = set()
    for _ in range(CUTTINGS * 8):
        if len(found) == CUTTINGS:
            break
        head, first = rng.choice((0, 0, 1, 2, 5)), rng.randrange(len(lines))
        last = first + 1 + rng.randrange(max(1, int(len(lines) * LONGEST_CUTTING)))
        part = b"".join([*lines[: min(head, first)], *lines[first:last]])
        try:
            runs = module.read(Source(name, part), Options()).runs if module.recognise(part, name) else ()
            if any(run.scores for run in runs):
                found.add(part)
        except ResultFileError:
            continue
    return sorted(found) or [content]


def _read(module: ModuleType, name: str, content: bytes, *, foreign: bool) -> str:
    for each in _FORMATS if foreign else (module,):
        each.recognise(content[:HEAD_BYTES], name)
    try:
        imported = module.read(Source(name, content), Options())
    except ResultFileError:
        return "refused"
    assert_valid(imported)
    return "read"


def _found(tally: Tally, module: ModuleType, number: int, content: bytes, keep: Path | None) -> None:
    place = ""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        path = keep / f"{module.NAME}-{number}"
        path.write_bytes(content)
        place = f", kept as {path}"
    tally.findings.append(f"{module.NAME} input {number}{place}\n{traceback.format_exc(limit=-4)}")


def _too_slow(*_: object) -> None:
    raise TooSlow(f"an input took more than {LONGEST_S} s of CPU time")


def told(name: str, tally: Tally, seconds: float) -> str:
    """What became of the inputs, in a line."""
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return (
        f"{name}: {tally.inputs:,} inputs in {seconds:.0f} s, {tally.outcomes['read']:,} read, "
        f"{tally.outcomes['refused']:,} refused, {tally.outcomes['findings']:,} findings, "
        f"slowest {tally.slowest_s * 1000:.0f} ms (input {tally.slowest_input}), peak {megabytes} MiB"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--inputs", type=int, default=10_000, help="inputs per format")
    parser.add_argument(
        "--format", choices=sorted(module.NAME for module in _FORMATS), help="one format; otherwise all"
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the bytes of findings")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
