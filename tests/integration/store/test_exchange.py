"""Export and import: everything comes back, everything or nothing is kept."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.factories import make_study, many_cases
from tests.integration.store.conftest import NewStore
from tests.integration.store.strategies import RUNS, SESSIONS

from plimsoll.altered import without_checksum
from plimsoll.errors import ResultFileError, StoreError, UnknownName, UsageError
from plimsoll.model import Run, Session
from plimsoll.store.exchange import export, import_results
from plimsoll.store.records import sealed
from plimsoll.store.result_file import Limits, read_results, write_results
from plimsoll.store.store import Store


def fill(store: Store, *studies: tuple[Session, list[Run]]) -> None:
    for session, runs in studies:
        store.add_session(session)
        for run in runs:
            store.add_run(run)


def test_a_study_goes_through_a_file(store: Store, new_store: NewStore, tmp_path: Path) -> None:
    session, runs = make_study(("a", "b"), many_cases(7), 2, failed=1, invalid=1, artefacts=True)
    other, other_runs = make_study(title="not asked for", seed=2, blocks=1)
    fill(store, (session, runs), (other, other_runs))
    path = tmp_path / "study.plimsoll.gz"
    assert export(store, [session.id], path).runs == len(runs)
    second = new_store()
    summary = import_results(second, path)
    assert (summary.new_sessions, summary.new_runs, summary.already_there) == (1, len(runs), 0)
    assert str(summary) == f"1 new session, {len(runs)} new runs, 0 runs already there"
    assert second.sessions() == [session]
    assert second.runs([session.id]) == runs
    again = import_results(second, path)
    assert (again.new_sessions, again.new_runs, again.already_there) == (0, 0, len(runs))
    export(second, [session.id], tmp_path / "again.plimsoll.gz")
    assert (tmp_path / "again.plimsoll.gz").read_bytes() == path.read_bytes()


def test_a_file_goes_into_both_databases(store: Store, new_store: NewStore, tmp_path: Path) -> None:
    first = new_store()
    session, runs = make_study(("a", "b"), ("randrw",), 3, failed=1, artefacts=True)
    fill(first, (session, runs))
    export(first, [session.id], tmp_path / "x.plimsoll.gz")
    import_results(store, tmp_path / "x.plimsoll.gz")
    assert store.runs([session.id]) == runs
    export(store, [session.id], tmp_path / "y.plimsoll.gz")
    assert (tmp_path / "y.plimsoll.gz").read_bytes() == (tmp_path / "x.plimsoll.gz").read_bytes()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(session=SESSIONS, run=RUNS)
def test_every_field_goes_through_a_file(tmp_path: Path, session: Session, run: Run) -> None:
    run = run.model_copy(update={"session_id": session.id})
    path = tmp_path / "any.plimsoll.gz"
    write_results(path, [session, run])
    assert list(read_results(path)) == [session, run]


def test_any_program_can_read_a_file(tmp_path: Path) -> None:
    """With gunzip, a JSON parser and SHA-256, as docs/result-file.md says."""
    session, (run, *_) = make_study(blocks=1, artefacts=True)
    write_results(tmp_path / "x.plimsoll.gz", [session, run])
    *lines, last = gzip.decompress((tmp_path / "x.plimsoll.gz").read_bytes()).splitlines(keepends=True)
    header, *records = map(json.loads, lines)
    assert (header["format"], header["version"]) == ("plimsoll-results", 2)
    end = json.loads(last)["end"]
    assert end == {"sessions": 1, "runs": 1, "sha256": hashlib.sha256(b"".join(lines)).hexdigest()}
    assert records[0]["session"]["title"] == session.title
    written = records[1]["run"]
    assert base64.b64decode(written["histograms"]["read"], validate=True) == run.histograms["read"]
    assert base64.b64decode(written["artefacts"][0]["content"]) == run.artefacts[0].content
    assert written["scores"][0]["value"] == run.scores[0].value
    plan = {name: written["plan"][name] for name in ("workload", "parameters")}
    assert hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:16] == run.plan.hash


def test_an_export_appears_whole_or_not_at_all(new_store: NewStore, tmp_path: Path) -> None:
    store = new_store()
    session, runs = make_study(blocks=1)
    fill(store, (session, runs))
    folder = tmp_path / "out"
    folder.mkdir()
    path = folder / "x.plimsoll.gz"
    export(store, [session.id], path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="too large for a result file"):
        write_results(path, [session, *runs], Limits(line_bytes=1500))
    assert path.read_bytes() == before
    assert list(folder.iterdir()) == [path]


def test_what_cannot_be_exported_is_named(new_store: NewStore, tmp_path: Path) -> None:
    store = new_store()
    with pytest.raises(UsageError, match="no session to export"):
        export(store, [], tmp_path / "x.plimsoll.gz")
    with pytest.raises(UnknownName, match="gone"):
        export(store, ["gone"], tmp_path / "x.plimsoll.gz")
    session, _ = make_study(blocks=0)
    store.add_session(session)
    with pytest.raises(StoreError, match="No such file"):
        export(store, [session.id], tmp_path / "gone" / "x.plimsoll.gz")


def test_script_in_text_is_kept_as_text(new_store: NewStore, tmp_path: Path) -> None:
    """It is escaped where it is shown; a store changes nothing."""
    title = "<script>alert(1)</script>\x1b]0;x\x07 [bold]'; DROP TABLE run; --"
    session, runs = make_study(title=title, blocks=1)
    write_results(tmp_path / "x.plimsoll.gz", [session, *map(sealed, runs)])
    store = new_store()
    import_results(store, tmp_path / "x.plimsoll.gz")
    assert store.find_session(title) == session
    assert store.runs([session.id]) == runs


class Tampered:
    """A good file whose parsed lines a test may change; the checksum is made anew unless `end` is given."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.session, self.runs = make_study(("a",), ("randread",), 2, artefacts=True)
        write_results(path, [self.session, *self.runs])
        *self.lines, _ = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())

    def write(self, end: dict[str, Any] | None = None, raw: bytes = b"") -> Path:
        body = b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)
        kinds = [kind for line in self.lines for kind in line]
        made = {
            "sessions": kinds.count("session"),
            "runs": kinds.count("run"),
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        last = json.dumps({"end": {**made, **(end or {})}}).encode() + b"\n"
        self.path.write_bytes(gzip.compress(raw or body + last))
        return self.path

    @property
    def run(self) -> dict[str, Any]:
        found: dict[str, Any] = self.lines[2]["run"]
        return found


@pytest.fixture
def tampered(tmp_path: Path) -> Tampered:
    return Tampered(tmp_path / "bad.plimsoll.gz")


def refusal(path: Path, store: Store, limits: Limits | None = None) -> str:
    """The message of the import that must fail and change nothing."""

    def read() -> None:
        if limits is None:
            import_results(store, path)
        else:
            list(read_results(path, limits))

    with pytest.raises(ResultFileError) as caught:
        read()
    message = str(caught.value)
    assert str(path) in message
    assert "; " in message
    assert "\x1b" not in message
    assert store.sessions() == []
    assert store.runs([]) == []
    return message


def test_a_file_that_was_only_written_again_is_good(tampered: Tampered, new_store: NewStore) -> None:
    """So that the refusals below are for their own reason."""
    store = new_store()
    import_results(store, tampered.write())
    assert store.runs([tampered.session.id]) == [without_checksum(run) for run in tampered.runs]


DEEP: Any = None
for _ in range(40):
    DEEP = [DEEP]

BAD_FIELDS = [
    ({"facts": {"x": float("nan")}}, "NaN is not a number"),
    ({"facts": {"x": float("-inf")}}, "-Infinity is not a number"),
    ({"facts": {"x": 10**400}}, "facts.x is a number of more than 64 bits"),
    ({"block": 2**31}, "block is 2147483648"),
    ({"started_ns": 10**30}, "started_ns"),
    ({"block": "1"}, "run.block: Input should be a valid integer"),
    ({"block": True}, "run.block: Input should be a valid integer"),
    ({"facts": {"x": DEEP}}, "nested more than 32 levels"),
    ({"id": "../../etc/passwd"}, "is not a UUID"),
    ({"id": "01A1EE56-5E00-7D50-AD63-BC3FB9B3D0D8"}, "is not a UUID"),
    ({"session_id": "01a1ee56-5e00-7d50-ad63-bc3fb9b3d0d8"}, "without its session"),
    ({"reason": "a\0b"}, "reason contains a NUL"),
    ({"reason": "\ud800"}, "line 3"),
    ({"status": "splendid"}, "run.status"),
    ({"\x1b[2Jextra": 1}, r"run.\x1b[2Jextra: Extra inputs are not permitted"),
    ({"scores": [{"metric": "iops", "value": "NaN", "unit": "1/s", "direction": "higher"}]}, "run.scores.0.value"),
    ({"scores": [{"metric": "iops", "value": 1, "unit": "parsec", "direction": "higher"}]}, "run.scores.0.unit"),
    ({"histograms": {"read": "not base64!"}}, "not base64"),
    ({"histograms": {"read": "AAAA"}}, "bad histogram read"),
    ({"artefacts": [{"name": "x", "sha256": "0" * 64, "content": "AAAA"}]}, "'x' does not match its SHA-256"),
]


BAD_PLANS = [
    ({"deth": 3}, ("depth",), "no parameter named 'deth' in the plan of run RUN; did you mean 'depth'?"),
    ({"iodepth": 3}, ("depth",), "no parameter named 'iodepth' in the plan of run RUN; did you mean 'depth'?"),
    ({"depth": 0}, (), "the plan of run RUN: depth: 0 is out of bounds; use 1 to 16384"),
    ({"threads": 5000}, (), "the plan of run RUN: threads: 5000 is out of bounds; use 1 to 1024"),
    ({"depth": "many"}, (), "the plan of run RUN: depth: 'many' is not a value for it"),
]
"""What is added to the parameters, what is taken from them, and what is said as `plimsoll run` says it."""


@pytest.mark.parametrize(("added", "taken", "said"), BAD_PLANS, ids=[str(added) for added, _, _ in BAD_PLANS])
def test_parameters_that_no_plan_can_have_are_refused(
    tampered: Tampered, new_store: NewStore, added: dict[str, Any], taken: tuple[str, ...], said: str
) -> None:
    parameters = tampered.run["plan"]["parameters"]
    for name in taken:
        del parameters[name]
    parameters.update(added)
    message = refusal(tampered.write(), new_store())
    assert f"line 3 cannot be kept: {said.replace('RUN', tampered.run['id'])}" in message
    assert "\n" not in message


def test_a_parameter_of_another_version_is_kept(tampered: Tampered, new_store: NewStore) -> None:
    tampered.run["plan"]["parameters"] |= {"deth": 3, "tide": "high"}
    store = new_store()
    import_results(store, tampered.write())
    assert store.runs([tampered.session.id])[0].plan.parameters["tide"] == "high"


def test_a_misspelt_field_is_told_the_nearest(tampered: Tampered, new_store: NewStore) -> None:
    tampered.run["plan"]["parametres"] = tampered.run["plan"].pop("parameters")
    said = "run.plan.parametres: Extra inputs are not permitted, did you mean 'parameters'?"
    assert said in refusal(tampered.write(), new_store())


@pytest.mark.parametrize(("change", "said"), BAD_FIELDS, ids=[said for _, said in BAD_FIELDS])
def test_bad_fields_are_refused(tampered: Tampered, new_store: NewStore, change: dict[str, Any], said: str) -> None:
    tampered.run.update(change)
    message = refusal(tampered.write(), new_store())
    assert "line 3" in message
    assert said in message


def test_a_number_too_large_for_any_float_is_refused(tampered: Tampered, new_store: NewStore) -> None:
    tampered.run["facts"] = {"x": "HUGE"}
    raw = gzip.decompress(tampered.write().read_bytes()).replace(b'"HUGE"', b"1e999")
    assert "facts.x is inf, which is not a finite number" in refusal(tampered.write(raw=raw), new_store())


def test_a_missing_field_is_refused(tampered: Tampered, new_store: NewStore) -> None:
    del tampered.run["plan"]
    assert "line 3 is not a record of a result file: run.plan: Field required" in refusal(tampered.write(), new_store())


def test_repeated_records_are_refused(tampered: Tampered, new_store: NewStore) -> None:
    tampered.lines.append(tampered.lines[2])
    assert f"line 5 repeats run {tampered.runs[0].id}" in refusal(tampered.write(), new_store())
    tampered.lines[-1] = tampered.lines[1]
    assert f"line 5 repeats session {tampered.session.id}" in refusal(tampered.write(), new_store())


def test_other_formats_and_versions_are_named(tampered: Tampered, new_store: NewStore) -> None:
    tampered.lines[0]["version"] = 3
    tampered.lines[0]["plimsoll_version"] = "9.1"
    message = refusal(tampered.write(), new_store())
    assert "has version 3 (written by Plimsoll 9.1)" in message
    assert "install the newest Plimsoll" in message
    tampered.lines[0]["format"] = "fio"
    assert "has the format fio" in refusal(tampered.write(), new_store())


def test_wrong_ends_are_refused(tampered: Tampered, new_store: NewStore) -> None:
    store = new_store()
    assert "counts 1 sessions and 9 runs" in refusal(tampered.write({"runs": 9}), store)
    assert "SHA-256 that does not fit" in refusal(tampered.write({"sha256": "0" * 64}), store)
    good = gzip.decompress(tampered.write().read_bytes())
    assert "the file goes on" in refusal(tampered.write(raw=good + b"{}\n"), store)
    assert "the last line, with the counts, is missing" in refusal(
        tampered.write(raw=b"".join(good.splitlines(keepends=True)[:-1])), store
    )


RAW = {
    "no JSON": (b"hello\n", "is not JSON"),
    "empty": (b"\n", "is not JSON"),
    "binary": (b"\xff\xfe\x00\n", "line 1"),
    "a list": (b"[1]\n", "is not a record of a result file"),
    "brackets": (b"[" * 200_000 + b"\n", "nested too deeply"),
    "objects": (b'{"a":' * 200_000 + b"\n", "nested too deeply"),
    "long integer": (b'{"version":' + b"9" * 10_000 + b"}\n", "line 1"),
    "names twice": (b'{"format":"x","format":"plimsoll-results"}\n', "a name appears twice"),
}


@pytest.mark.parametrize("kind", RAW)
def test_lines_that_are_no_records_are_refused(tampered: Tampered, new_store: NewStore, kind: str) -> None:
    raw, said = RAW[kind]
    assert said in refusal(tampered.write(raw=raw), new_store())


def test_bombs_are_refused_within_bounds(tampered: Tampered, new_store: NewStore) -> None:
    store = new_store()
    bomb = tampered.write(raw=b"0" * (80 * 2**20))
    assert bomb.stat().st_size < 100_000
    assert "line 1 is longer than 67108864 bytes" in refusal(bomb, store)
    assert "holds more than 2000000 values" in refusal(tampered.write(raw=b"[" + b"{}," * 2_000_001 + b"{}]\n"), store)
    good = tampered.write()
    assert "past the limit of 2000 bytes" in refusal(good, store, Limits(total_bytes=2000))
    assert "past the limit of 2 records" in refusal(good, store, Limits(records=2))


def test_files_that_are_no_results_are_refused(new_store: NewStore, tmp_path: Path) -> None:
    store = new_store()
    path = tmp_path / "x.plimsoll.gz"
    assert "No such file" in refusal(path, store)
    path.write_bytes(b"#!/bin/sh\n")
    assert "is not a result file" in refusal(path, store)
    path.write_bytes(b"")
    assert "line 1 is cut off" in refusal(path, store)
    assert "Is a directory" in refusal(tmp_path, store)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_cut_off_or_flipped_files_change_nothing(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "damaged.plimsoll.gz"
    session, runs = make_study(("a",), ("randread",), 1)
    write_results(path, [session, *runs])
    content = bytearray(path.read_bytes())
    # Bytes 3 to 9 of a gzip header (flags, time, system) may differ without harm.
    place = data.draw(st.integers(10, len(content) - 1))
    if data.draw(st.booleans()):
        content = content[:place]
    else:
        content[place] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    with pytest.raises(ResultFileError, match="nothing was imported"):
        list(read_results(path))


def test_a_bad_end_changes_nothing_that_was_there(store: Store, tampered: Tampered) -> None:
    session, runs = make_study(title="mine", seed=9, blocks=1)
    fill(store, (session, runs))
    with pytest.raises(ResultFileError):
        import_results(store, tampered.write({"sha256": "0" * 64}))
    assert store.sessions() == [session]
    assert store.runs([session.id, tampered.session.id]) == runs
