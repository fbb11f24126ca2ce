"""The fit finds the numbers that runs were made from, and says no number that they do not show."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.unit.fitting.synthetic import latencies, run

from plimsoll.catalog.shape import volume_shape
from plimsoll.errors import UsageError
from plimsoll.fitting.fit import Fit, fitted
from plimsoll.fitting.latency import distribution, latency
from plimsoll.fitting.number import Number
from plimsoll.fitting.plateaus import Held, attributed, plateaus
from plimsoll.fitting.written import as_toml
from plimsoll.model import Run
from plimsoll.stats.histogram import decode

REAL = {"where": "/mnt/a", "options": {"as": "gp3+size=100GiB"}}


def named(fit: Fit) -> dict[str, Number]:
    return {each.name: each for each in fit.numbers}


def noisy(seed: int, rate: float, seconds: int = 12) -> list[float]:
    return list(rate * np.exp(np.random.default_rng(seed).normal(0, 0.005, seconds)))


def real(case: str, rate: float, seed: int = 0, values_ns: Sequence[float] = ()) -> Run:
    return run(case, noisy(seed, rate), values_ns=values_ns, where="/mnt/a", options={"as": "gp3+size=100GiB"})


def test_counters_say_which_limit_held() -> None:
    runs = [run("randread", noisy(seed, 2500), waited="volume.iops") for seed in range(3)]
    found = named(fitted(runs))
    assert found["iops"].low <= 2500 <= found["iops"].high
    assert found["iops"].high / found["iops"].low < 1.06
    assert "throughput" not in found


def test_without_counters_depths_and_sizes_say_it() -> None:
    small = [real("randread depth=1", 900, 0), *(real("randread", 2700, seed) for seed in range(3))]
    large = [real("randread block_size=256KiB depth=4", 480, 4), real("randread block_size=256KiB", 481, 5)]
    runs = [*small, *large]
    found = list(plateaus(runs))
    shape = volume_shape({"type": "gp3", "size": "100GiB"}, "v")
    assert attributed(found, shape) == [
        Held.NOTHING, *[Held.IOPS] * 3, Held.UNCLEAR, Held.THROUGHPUT,
    ]  # fmt: skip
    numbers = named(fitted(runs))
    assert numbers["throughput"].low <= 480.5 * 256 * 1024 <= numbers["throughput"].high
    assert numbers["iops"].runs == 3


def test_one_size_does_not_tell_which_limit_it_was() -> None:
    fit = fitted([real("randread depth=1", 900, 0), real("randread", 2700, 1)])
    assert not {"iops", "throughput"} & set(named(fit))
    why = {each.names[0]: each.why for each in fit.missing}
    assert why["iops"] == why["throughput"]
    assert why["iops"] == "whether a limit held the runs, and which, cannot be told from their depths and block sizes"


def test_a_load_that_no_limit_holds_shows_none() -> None:
    fit = fitted([run("randread", noisy(1, 2000), waited="none") for _ in range(3)])
    assert not fit.numbers
    missing = next(each for each in fit.missing if each.names == ("iops",))
    assert missing.why == "no run was held back by the volume's IOPS"
    assert missing.test.startswith("plimsoll run randread --on v=vol:type=gp3,size=100GiB --set depth=64")


def test_the_limit_of_an_instance_is_not_the_volumes() -> None:
    options = {"as": "gp3+size=100GiB+iops=16000+instance=m5.large"}
    runs = [
        run("randread depth=1", noisy(0, 2500), where="/mnt/a", options=options),
        run("randread", noisy(1, 3600), where="/mnt/a", options=options),
    ]
    fit = fitted(runs)
    assert "iops" not in named(fit)
    assert "the limit of m5.large was reached" in next(each.why for each in fit.missing if each.names == ("iops",))


def burst(capacity: float, rate: float, base: float) -> list[float]:
    """Seconds after a warm-up of three, of a volume that began with full credits."""
    left, seconds = capacity - 3 * (rate - base), []
    for _ in range(60):
        give = min(rate, base + max(0.0, left))
        left -= give - base
        seconds.append(give)
    return seconds


@pytest.mark.parametrize("capacity", [40_000, 60_000, 90_000])
def test_credits_of_a_burst(capacity: float) -> None:
    where = "vol:type=gp2,size=100GiB"
    fit = fitted([run("randread", burst(capacity, 3000, 300), where=where, waited="volume.iops")])
    found = named(fit)
    assert found["iops"].low <= 3000 <= found["iops"].high
    assert found["iops_baseline"].low <= 300 <= found["iops_baseline"].high
    assert found["iops_credits"].low <= capacity <= found["iops_credits"].high
    assert found["iops_credits"].high / found["iops_credits"].low < 1.35
    assert any("fewer than 3 runs" in note for note in fit.notes)


def test_credits_are_refused_where_no_run_outlasted_them() -> None:
    where = "vol:type=gp2,size=100GiB"
    fit = fitted([run("randread", noisy(seed, 3000), where=where, waited="volume.iops") for seed in range(3)])
    assert set(named(fit)) == {"iops"}
    missing = next(each for each in fit.missing if "iops_credits" in each.names)
    assert missing.names == ("iops_baseline", "iops_credits")
    assert "about 33 min 20 s" in missing.why
    assert "--set runtime=44m" in missing.test


def test_latency_is_covered_by_its_interval_in_nineteen_of_twenty() -> None:
    truth = {"median": 1e6, "sigma": 0.3}
    covered = dict.fromkeys(truth, 0)
    for seed in range(40):
        random = np.random.default_rng(1000 + seed)
        runs = [
            real(
                "randread depth=1",
                900,
                values_ns=latencies(97 * seed + k, 1e6 * float(np.exp(random.normal(0, 0.05))), 0.3),
            )
            for k in range(3)
        ]
        found = {each.name: each for each in latency("read", list(plateaus(runs)), served=False)[0]}
        for name, value in truth.items():
            number = found[f"read_{name}{'_ns' if name == 'median' else ''}"]
            covered[name] += number.low <= value <= number.high
    assert min(covered.values()) >= 36, covered


def test_body_floor_and_tail() -> None:
    from tests.unit.fitting.synthetic import histogram

    values = latencies(1, 500e3, 0.3, floor_ns=300e3, tail=(0.02, 8e6, 0.2))
    found = distribution(decode(histogram(values)))
    assert found.median_ns == pytest.approx(500e3, rel=0.03)
    assert found.sigma == pytest.approx(0.3, rel=0.08)
    assert found.tail_share == pytest.approx(0.02, rel=0.2)
    assert found.tail_median_ns == pytest.approx(8e6, rel=0.1)
    assert found.floor_seen
    assert found.floor_ns == pytest.approx(300e3, rel=0.01)


def test_larger_sizes_show_what_a_byte_takes() -> None:
    runs = [
        real(f"randread depth=1 block_size={size}", 900, values_ns=latencies(seed, 1e6 + bytes_ / 0.1, 0.2))
        for seed, (size, bytes_) in enumerate([("4KiB", 4096), ("64KiB", 65536)] * 3)
    ]
    found, why = latency("read", list(plateaus(runs)), served=False)
    numbers = {each.name: each for each in found}
    assert not why
    assert numbers["read_bytes_per_s"].low <= 1e8 <= numbers["read_bytes_per_s"].high
    assert numbers["read_median_ns"].low <= 1e6 <= numbers["read_median_ns"].high


def test_a_tail_that_only_some_runs_have_is_none() -> None:
    tails = [(0.02, 20e6, 0.1), (0.02, 20e6, 0.1), (0.0, 1.0, 0.0)]
    runs = [
        real("randread depth=1", 900, values_ns=latencies(seed, 1e6, 0.2, tail=tail)) for seed, tail in enumerate(tails)
    ]
    fit = fitted(runs)
    assert "read_tail_share" not in named(fit)
    missing = next(each for each in fit.missing if each.names == ("read_tail_share",))
    assert missing.why == "some runs have a tail of slow reads, and others none"
    assert "--set runtime=5m" in missing.test
    every = named(
        fitted([real("randread depth=1", 900, values_ns=latencies(s, 1e6, 0.2, tail=tails[0])) for s in range(3)])
    )
    assert every["read_tail_share"].low <= 0.02 <= every["read_tail_share"].high


def test_two_runs_show_no_latency() -> None:
    fit = fitted([real("randread depth=1", 900, values_ns=latencies(seed, 1e6, 0.2)) for seed in range(2)])
    assert not fit.numbers
    why = next(each.why for each in fit.missing if each.names == ("read latency",))
    assert why == "fewer than 3 runs of one size had one read in flight with no limit reached"


def test_a_place_that_nobody_named_is_refused() -> None:
    with pytest.raises(UsageError, match="nobody said which volume this is"):
        fitted([run("randread", noisy(1, 100), where="/mnt/a")])


def test_the_file_serves_the_fitted_volume(tmp_path: Path) -> None:
    runs = [run("randread", noisy(seed, 2500), waited="volume.iops") for seed in range(3)]
    single = [
        run("randread depth=1", noisy(seed, 900), values_ns=latencies(seed, 1e6, 0.2), waited="none")
        for seed in range(3)
    ]
    fit = fitted([*runs, *single])
    file = tmp_path / "gp3.toml"
    file.write_text(as_toml(fit, "abcd", "2026-11-27"), encoding="utf-8")
    assert set(tomllib.loads(file.read_text())["numbers"]) == set(named(fit))
    shape = volume_shape({"type": "gp3", "size": "100GiB", "model": str(file)}, "v")
    assert shape.limits.iops is not None
    assert shape.limits.iops.rate == round(named(fit)["iops"].value)
    assert shape.spec["read_latency"]["median_ns"] == pytest.approx(named(fit)["read_median_ns"].value, rel=0.01)
    assert shape.spec["write_latency"] == volume_shape({"type": "gp3", "size": "100GiB"}, "v").spec["write_latency"]
    # Stored, it needs no file; what is bought is what was asked for.
    file.unlink()
    again = volume_shape(shape.options, "v")
    assert again.spec == shape.spec
    assert again.provisioned_iops == 3000
