"""Merging is a union: associative, commutative, idempotent; contradictions are named and change nothing."""

from __future__ import annotations

import shutil
import tempfile
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories import make_study
from tests.integration.store.conftest import NewStore

from plimsoll.errors import ResultFileError
from plimsoll.model import Run, Session, SessionState
from plimsoll.store.exchange import export, import_results, merge
from plimsoll.store.opening import open_store
from plimsoll.store.result_file import write_results
from plimsoll.store.store import Store
from plimsoll.store.union import join

STUDIES = [make_study(("a", "b"), ("randread",), 2, title=f"study {n}", seed=n, intervals=1) for n in range(3)]

VERSIONS = [
    {"state": SessionState.RUNNING, "ended_ns": None},
    {"state": SessionState.INTERRUPTED, "ended_ns": 5},
    {"state": SessionState.INTERRUPTED, "ended_ns": 9},
    {"state": SessionState.DONE, "ended_ns": 7},
    {"state": SessionState.DONE, "ended_ns": 7, "title": "other"},
]
EDITS: list[dict[str, object]] = [
    {},
    {"title": "renamed", "edited": {"title": 3}},
    {"title": "renamed again", "edited": {"title": 8}, "note": "from the start"},
    {"note": "first", "edited": {"note": 4}},
    {"edited": {"note": 6, "tag base": 6}},
    {"tags": ("base", "nvme"), "edited": {"tag base": 5, "tag nvme": 5}},
    {"tags": ("base",), "edited": {"tag base": 9}},
    {"tags": ("gp3",)},
]

Content = list[tuple[Session, list[Run]]]


@st.composite
def contents(draw: st.DrawFn) -> Content:
    """What one machine may hold: some sessions, each in some version, with some of their runs."""
    chosen = draw(st.lists(st.sampled_from(range(len(STUDIES))), unique=True))
    return [
        (
            STUDIES[n][0].model_copy(update=draw(st.sampled_from(VERSIONS)) | draw(st.sampled_from(EDITS))),
            draw(st.lists(st.sampled_from(STUDIES[n][1]), unique_by=lambda run: run.id)),
        )
        for n in chosen
    ]


class Machines:
    """Stores and files below one folder."""

    def __init__(self, folder: Path, empty: Path) -> None:
        self.folder, self.empty = folder, empty
        self.made = 0

    def path(self, suffix: str) -> Path:
        self.made += 1
        return self.folder / f"{self.made}{suffix}"

    def file(self, held: Content) -> Path:
        """The result file of what a machine holds."""
        path = self.path(".plimsoll.gz")
        write_results(path, [record for session, runs in held for record in (session, *runs)])
        return path

    def merged(self, *files: Path) -> Path:
        """The result file of the union of result files."""
        with open_store(str(shutil.copy(self.empty, self.path(".db")))) as store:
            merge(store, files)
            ids = [session.id for session in store.sessions()]
            if not ids:
                return self.file([])
            path = self.path(".plimsoll.gz")
            export(store, ids, path)
            return path


@settings(max_examples=12)
@given(held=st.tuples(contents(), contents(), contents()))
def test_the_three_laws(empty_file: Path, held: tuple[Content, Content, Content]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machines = Machines(Path(folder), empty_file)
        # Merged once into nothing, a file has the order of an export.
        a, b, c = (machines.merged(machines.file(each)) for each in held)
        both = machines.merged(a, b)
        assert machines.merged(b, a).read_bytes() == both.read_bytes()
        assert machines.merged(a, a).read_bytes() == a.read_bytes()
        assert machines.merged(both, a, b).read_bytes() == both.read_bytes()
        assert machines.merged(both, c).read_bytes() == machines.merged(a, machines.merged(b, c)).read_bytes()


def test_any_order_gives_the_same_bytes(new_store: NewStore, tmp_path: Path) -> None:
    files = []
    for number, (session, runs) in enumerate(STUDIES):
        store = new_store()
        for each, some in ((session, runs[:3]), (STUDIES[0][0], STUDIES[0][1][number:])):
            if each.id not in {known.id for known in store.sessions()}:
                store.add_session(each)
            for run in some:
                if run.id not in {known.id for known in store.runs([each.id])}:
                    store.add_run(run)
        files.append(tmp_path / f"{number}.plimsoll.gz")
        export(store, [known.id for known in store.sessions()], files[-1])
    made = set()
    for order in permutations(files):
        store = new_store()
        for file in order:
            import_results(store, file)
        import_results(store, order[0])
        export(store, [known.id for known in store.sessions()], tmp_path / "all.plimsoll.gz")
        made.add((tmp_path / "all.plimsoll.gz").read_bytes())
    assert len(made) == 1


@given(held=st.tuples(*[st.sampled_from(VERSIONS)] * 3))
def test_the_session_further_along_stays(held: tuple[dict[str, object], ...]) -> None:
    a, b, c = (STUDIES[0][0].model_copy(update=version) for version in held)
    joined = join(a, b)
    assert joined in (a, b)
    assert joined == join(b, a)
    assert join(joined, c) == join(a, join(b, c))
    ranks = {SessionState.RUNNING: 0, SessionState.INTERRUPTED: 1, SessionState.DONE: 2}
    assert ranks[joined.state] == max(ranks[a.state], ranks[b.state])


@given(held=st.tuples(*[st.tuples(st.sampled_from(VERSIONS), st.sampled_from(EDITS))] * 3))
def test_what_users_said_of_a_session_obeys_the_laws(held: tuple[tuple[dict[str, object], ...], ...]) -> None:
    a, b, c = (STUDIES[0][0].model_copy(update=version | edit) for version, edit in held)
    assert join(a, a) == a
    assert join(a, b) == join(b, a)
    assert join(join(a, b), c) == join(a, join(b, c))
    assert join(join(a, b), a) == join(a, b)


def test_of_what_users_said_the_later_change_stays() -> None:
    there = STUDIES[0][0]
    begun = {"state": SessionState.RUNNING, "ended_ns": None}
    renamed = there.model_copy(update={**begun, "title": "mine", "edited": {"title": 3}})
    assert (join(there, renamed).title, join(there, renamed).state) == ("mine", SessionState.DONE)
    tagged = there.model_copy(update={"tags": ("base", "nvme"), "edited": {"tag base": 3, "tag nvme": 3}})
    untagged = there.model_copy(update={"tags": ("gp3",), "edited": {"tag base": 5, "tag gp3": 2}, "note": "of old"})
    both = join(tagged, untagged)
    assert (both.tags, both.note) == (("gp3", "nvme"), "of old"), "united, and what was taken away stays away"


def test_a_merge_brings_a_session_forward(store: Store, new_store: NewStore) -> None:
    session, runs = STUDIES[0]
    other = new_store()
    store.add_session(session.model_copy(update={"state": SessionState.RUNNING, "ended_ns": None}))
    store.add_run(runs[0])
    other.add_session(session)
    other.add_run(runs[1])
    summary = merge(store, [other])
    assert (summary.new_sessions, summary.new_runs, summary.already_there) == (0, 1, 0)
    assert store.sessions() == [session]
    assert store.runs([session.id]) == runs[:2]


def test_stores_and_files_merge_alike(store: Store, store_url: str, new_store: NewStore, tmp_path: Path) -> None:
    session, runs = STUDIES[0]
    store.add_session(session)
    for run in runs:
        store.add_run(run)
    export(store, [session.id], tmp_path / "x.plimsoll.gz")
    for source in (store, store_url, str(tmp_path / "x.plimsoll.gz"), tmp_path / "x.plimsoll.gz"):
        target = new_store()
        assert merge(target, [source, source]).already_there == len(runs)
        assert target.runs([session.id]) == runs


def test_a_store_merged_with_itself_stays(store: Store) -> None:
    session, runs = STUDIES[0]
    store.add_session(session)
    store.add_run(runs[0])
    assert merge(store, [store]).already_there == 1
    assert store.runs([session.id]) == runs[:1]


def test_a_run_with_two_contents_is_named_and_nothing_changes(
    store: Store, new_store: NewStore, tmp_path: Path
) -> None:
    session, runs = STUDIES[0]
    store.add_session(session)
    store.add_run(runs[1])
    forged = new_store()
    forged.add_session(session)
    forged.add_run(runs[0])
    score = runs[1].scores[0].model_copy(update={"value": 1e9})
    forged.add_run(runs[1].model_copy(update={"scores": (score,)}))
    path = tmp_path / "forged.plimsoll.gz"
    export(forged, [session.id], path)
    with pytest.raises(ResultFileError) as caught:
        import_results(store, path)
    assert str(path) in str(caught.value)
    assert runs[1].id in str(caught.value)
    assert store.runs([session.id]) == [runs[1]]


def test_what_is_no_store_and_no_file_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ResultFileError, match="No such file"):
        merge(store, [tmp_path / "gone.db"])
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(ResultFileError, match="is not a result file"):
        merge(store, [str(tmp_path / "notes.txt")])
