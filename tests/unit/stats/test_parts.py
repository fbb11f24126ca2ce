"""The parts of an extended session, as its study keeps them."""

from plimsoll.stats.parts import Extension, extensions_of, part_of, without_extensions

FIRST = Extension(started_ns=5, after={"randread": 6, "ping": 3}, blocks=10)
SECOND = Extension(
    started_ns=9,
    after={"randread": 16, "ping": 13},
    time_ns=60,
    until_verdict=True,
    changed=("kernel was 6.1, is 6.5",),
)


def test_a_study_keeps_them() -> None:
    study = {"title": "t", "extensions": [FIRST.to_table(), SECOND.to_table()]}
    assert extensions_of(study) == (FIRST, SECOND)
    assert without_extensions(study) == {"title": "t"}
    assert extensions_of({}) == ()


def test_a_block_belongs_to_the_part_in_which_it_was_made() -> None:
    parts = (FIRST, SECOND)
    assert [part_of(parts, "randread", block) for block in (0, 5, 6, 15, 16, 90)] == [0, 0, 1, 1, 2, 2]
    assert [part_of(parts, "ping", block) for block in (2, 3, 12, 13)] == [0, 1, 1, 2]
    assert (FIRST.cap("ping"), FIRST.cap("never ran"), SECOND.cap("ping")) == (13, 10, None)


def test_what_a_stranger_writes_is_no_fault_of_ours() -> None:
    for listed in ("x", 3, [3], [{"after": 3}], [{"after": {}, "blocks": -1}], [{"after": {}, "started_ns": "x"}]):
        assert extensions_of({"extensions": listed}) == ()
    odd = {"after": {"a": "x", "b": 2}, "until": 7, "changed": "kernel"}
    assert extensions_of({"extensions": [odd]}) == (Extension(0, {"b": 2}),)
