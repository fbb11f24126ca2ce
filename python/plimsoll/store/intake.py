"""Takes the runs that waited as files into their store."""

from __future__ import annotations

from pathlib import Path

from plimsoll.errors import ResultFileError, StoreError
from plimsoll.store import spill
from plimsoll.store.names import short_id
from plimsoll.store.store import Store
from plimsoll.store.union import merge_sources


def take_in(store: Store) -> list[str]:
    """Add what waits for this store and remove its files; says what became of them. Raises StoreError.

    All of a session is on disk before the first of its files goes. A file that cannot be read stays and is named.
    """
    if not spill.waiting(store.engine.url):
        return []
    with spill.alone(store.engine.url) as alone:
        if not alone:
            return []
        return [
            sentence
            for folder, files in spill.waiting(store.engine.url).items()
            for sentence in _of(store, folder, files)
        ]


def _of(store: Store, folder: Path, files: list[Path]) -> list[str]:
    told = []
    good = list(files)
    try:
        merge_sources(store, files)
    except ResultFileError:
        good = []
        for file in files:
            try:
                merge_sources(store, [file])
            except ResultFileError as error:
                told.append(f"{file} waits for the store {store.place} and was not taken in: {error}")
            else:
                good.append(file)
    spill.remove(good)
    if runs := len(spill.runs_of(good)):
        count = "1 finished run" if runs == 1 else f"{runs:,} finished runs"
        told.append(f"{count} of session {short_id(folder.name)} from {folder}: now in the store {store.place}")
    return told


def taken_in(store: Store) -> list[str]:
    """The same for whoever opens the store for something else: what fails is told, and the files stay."""
    try:
        return take_in(store)
    except StoreError as error:
        return [f"{error}; {spill.told(store.engine.url)}"]
