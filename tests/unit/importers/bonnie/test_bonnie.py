"""Golden: fields of Bonnie++ CSV lines of three versions."""

from tests.unit.importers.importing import load, scores, told

from plimsoll.units import GIB, KIB, MICROSECOND, MILLISECOND, SECOND


def test_1_03_with_its_text_block() -> None:
    (run,) = load("bonnie", "old_1.03.csv").runs
    assert scores(run) == {
        "putc_throughput": 30_100 * KIB,
        "put_block_throughput": 41_200 * KIB,
        "rewrite_throughput": 17_300 * KIB,
        "getc_throughput": 28_400 * KIB,
        "get_block_throughput": 50_500 * KIB,
        "seek_rate": 131.7,
        "seq_create_rate": 17_923,
        "seq_del_rate": 20_100,
        "ran_del_rate": 19_200,
    }
    assert run.target.name == "alpha"
    assert run.plan.parameters == {"size": 16 * GIB, "files": 16}
    assert run.facts["too_fast"] == ["seq_stat", "ran_create", "ran_stat"]
    assert told(run) == {"too_fast"}


def test_1_97_lines_are_repeats_and_skipped_phases_are_absent() -> None:
    first, second = load("bonnie", "new_1.97.csv").runs
    assert scores(first)["put_block_throughput"] == 90_100 * KIB
    assert scores(first)["put_block_max"] == 512 * MILLISECOND
    assert scores(first)["get_block_max"] == 44_660 * MICROSECOND
    assert scores(first)["ran_del_max"] == SECOND
    assert first.facts["cpu"]["ran_del"] == 1.6
    assert first.started_ns == 0
    assert first.facts["seed"] == 1_767_225_600
    assert "putc_throughput" not in scores(second)
    assert "seq_create_rate" not in scores(second)
    assert second.block == 1
    assert not told(second)


def test_2_00_has_two_fields_more() -> None:
    (run,) = load("bonnie", "new_2.00.csv").runs
    assert scores(run)["putc_throughput"] == 581 * KIB
    assert scores(run)["getc_throughput"] == 785 * KIB
    assert scores(run)["seek_max"] == 57_900 * MICROSECOND
    assert run.plan.parameters["seek_count"] == 8192
    assert run.plan.parameters["seek_processes"] == 5
