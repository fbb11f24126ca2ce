import json
import zlib

import pytest
from tests.factories import make_study

from plimsoll.store import codec
from plimsoll.store.codec import (
    NotStorable,
    as_stored,
    canonical_json,
    check_storable,
    pack_intervals,
    read_intervals,
    unpack_json,
)

SESSION, (RUN, *_) = make_study(("a",), ("randrw",), 1, artefacts=True)


def test_equal_values_have_equal_text() -> None:
    assert canonical_json({"b": 1, "a": ["é", None]}) == canonical_json({"a": ("é", None), "b": 1})
    assert canonical_json({"a": "é", "b": b"\x00\xff"}) == '{"a":"\\u00e9","b":"AP8="}'


def test_real_records_can_be_stored() -> None:
    check_storable(SESSION.model_dump())
    check_storable(RUN.model_dump())
    json.loads(canonical_json(RUN.model_dump()))


def test_zero_has_no_sign() -> None:
    score = RUN.scores[0].model_copy(update={"value": -0.0})
    stored = as_stored(RUN.model_copy(update={"scores": (score,)}))
    assert str(stored["scores"][0]["value"]) == "0.0"


def test_the_way_to_a_bad_value_is_named() -> None:
    with pytest.raises(NotStorable, match=r"^facts\.a\.1\.b is inf, which is not a finite number$"):
        check_storable({"facts": {"a": [0, {"b": float("inf")}]}})
    with pytest.raises(NotStorable, match=r"^facts has the name 1, which is not text$"):
        check_storable({"facts": {1: 2}})
    with pytest.raises(NotStorable, match=r"^facts\.\\x00 contains a NUL character$"):
        check_storable({"facts": {"\0": 2}})


def test_intervals_come_back() -> None:
    packed = pack_intervals([interval.model_dump() for interval in RUN.intervals])
    assert read_intervals(unpack_json(packed)) == RUN.intervals


def test_packed_intervals_are_unpacked_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "MAX_SERIES_BYTES", 1000)
    with pytest.raises(ValueError, match="over 1000 bytes"):
        unpack_json(zlib.compress(b"[" + b" " * 1_000_000 + b"]"))
