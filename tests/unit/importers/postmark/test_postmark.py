"""Golden: PostMark's verbose report."""

from tests.unit.importers.importing import load, read_text, scores, told

from plimsoll.model import RunStatus
from plimsoll.units import MIB, SECOND


def test_a_verbose_report() -> None:
    (run,) = load("postmark", "verbose_1.51.txt").runs
    assert scores(run) == {"transactions_postmark": 2000, "create_postmark": 500, "delete_postmark": 528}
    assert run.plan.parameters == {"files": 500, "transactions": 2000, "seed": 42}
    assert run.facts["tool_version"] == "1.51"
    counts = run.facts["counts"]
    assert (counts["created"], counts["read"], counts["appended"], counts["deleted"]) == (1514, 993, 1007, 1514)
    assert counts["read_bytes"] == 307.32 * MIB
    assert run.ended_ns - run.started_ns == SECOND
    assert told(run) == {"whole_seconds"}


def test_two_runs_in_one_file() -> None:
    text = "PostMark v1.51 : 8/14/01\n" + "Creating files...Done\nTime:\n\t9 seconds total\n" * 2
    first, second = read_text("postmark", text).runs
    assert first.status is second.status is RunStatus.FAILED
    assert "no line of transactions" in first.reason
