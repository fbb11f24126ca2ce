import pytest

from plimsoll.errors import UsageError
from plimsoll.stats.littles_law import residual


def test_fits() -> None:
    assert residual(operations_per_s=64_000, mean_latency_ns=1_000_000, in_flight=64) == pytest.approx(0.0)


def test_latency_that_was_not_seen() -> None:
    assert residual(64_000, 800_000, 64) == pytest.approx(-0.2)


def test_nothing_in_flight_is_refused() -> None:
    with pytest.raises(UsageError):
        residual(1, 1, 0)
