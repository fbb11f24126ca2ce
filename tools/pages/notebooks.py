"""Carries out the notebooks of docs/notebooks, in a folder and a store of their own and without a network."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from tools.pages.contents import ROOT, Part
from tools.pages.stage import NOTEBOOK

__all__ = ["CellExecutionError", "executed", "write"]

LIMIT_S = 120
"""For one cell."""
START = "import altair\naltair.renderers.enable('svg')\n"
"""What the kernel does first: a chart becomes a picture, since a page may not fetch the program that draws it."""


def write(source: Path, parts: Sequence[Part], folder: Path, root: Path = ROOT) -> None:
    """Carry out the notebooks among the pages, one after the other, into the folder that Sphinx reads."""
    for page in (page for part in parts for page in part.pages if page.endswith(NOTEBOOK)):
        own = folder / Path(page).stem
        own.mkdir(parents=True)
        nbformat.write(executed(root / page, own), source / page)


def executed(notebook: Path, folder: Path) -> nbformat.NotebookNode:
    """A notebook with what its cells gave. `folder` is empty; nothing of the user's is read or written.

    Raises nbclient.exceptions.CellExecutionError.
    """
    shutil.copytree(notebook.parent, folder / "here")
    startup = folder / "ipython/profile_default/startup"
    startup.mkdir(parents=True)
    (startup / "charts.py").write_text(START)
    own = {"IPYTHONDIR": "ipython", "PLIMSOLL_HOME": "home", "PLIMSOLL_STORE": "store.db"}
    found = nbformat.read(notebook, as_version=4)
    client = NotebookClient(found, timeout=LIMIT_S, resources={"metadata": {"path": str(folder / "here")}})
    # Sockets in a folder, since nobody else may speak to the kernel; their paths must be short.
    with tempfile.TemporaryDirectory(prefix="kernel-") as sockets:
        manager = client.create_kernel_manager()
        manager.transport, manager.ip = "ipc", f"{sockets}/kernel"
        client.execute(env={**os.environ, **{name: str(folder / place) for name, place in own.items()}})
    return found
