"""Folders that are held open, and how messages name what is in them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.errors import TargetError
from plimsoll.targets.held import held, make_file, make_folder, readable


def test_what_is_in_a_held_folder_is_reached_wherever_the_folder_is_now(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    with held(place) as folder:
        (folder / "file").write_text("ours")
        place.rename(tmp_path / "moved")
        place.mkdir()
        (place / "file").write_text("theirs")
        assert (folder / "file").read_text() == "ours"
        assert str(folder) == str(place)


def test_a_message_names_places_and_no_descriptors(tmp_path: Path) -> None:
    with held(tmp_path) as folder:
        told = f"cannot open {folder / 'sub/file'}: no; sqlite:{folder / 'x.db'}, {os.fspath(folder)}"
        assert readable(told) == f"cannot open {tmp_path}/sub/file: no; sqlite:{tmp_path}/x.db, {tmp_path}"
    assert readable("in /proc/self/fd/9999/x, and 5 of /proc/self") == "in /proc/self/fd/9999/x, and 5 of /proc/self"


def test_a_folder_keeps_its_name_or_does_not(tmp_path: Path) -> None:
    above = tmp_path / "above"
    above.mkdir()
    with held(above) as parent:
        folder = make_folder(parent, "own")
        try:
            assert folder.is_still(parent)
            folder.path.rename(above / "moved")
            assert not folder.is_still(parent)
            folder.path.symlink_to(above / "moved")
            assert not folder.is_still(parent), "a link to it is not it"
            folder.path.unlink()
            (above / "moved").rename(folder.path)
            assert folder.is_still(parent)
            above.rename(tmp_path / "elsewhere")
            assert not folder.is_still(parent), "the directory above counts as well"
        finally:
            os.close(folder.descriptor)


def test_nothing_that_is_there_is_used(tmp_path: Path) -> None:
    (tmp_path / "file").symlink_to(tmp_path / "precious")
    (tmp_path / "folder").symlink_to(tmp_path)
    with held(tmp_path) as folder:
        for name in ("file", "folder"):
            with pytest.raises(FileExistsError):
                make_file(folder, name)
            with pytest.raises(FileExistsError):
                make_folder(folder, name)
    assert not (tmp_path / "precious").exists()


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="cannot open the folder"), held(tmp_path / "missing"):
        pass
