"""What every round begins with: a store that holds a session, and results of another one to be taken in."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from benches.torture.sandbox import SHORT, Sandbox

TITLE = "earlier"
OTHER = "other"


@dataclass(frozen=True)
class Template:
    """Made once; rounds copy it."""

    folder: Path

    @property
    def store(self) -> Path:
        """A store with the session `earlier`, of two runs."""
        return self.folder / "earlier/home/results.db"

    @property
    def other_store(self) -> Path:
        """A store with the session `other`, of two runs."""
        return self.folder / "other/home/results.db"

    @property
    def earlier_results(self) -> Path:
        """`earlier` as a result file."""
        return self.folder / "earlier/out/results.plimsoll.gz"

    @property
    def other_results(self) -> Path:
        """`other` as a result file."""
        return self.folder / "other/out/results.plimsoll.gz"

    def copied(self, sandbox: Sandbox) -> Sandbox:
        """The sandbox, with the store of the template."""
        if sandbox.store is None:
            shutil.copy(self.store, sandbox.results)
            # What was stored before is on the disk, whatever becomes of that.
            for each in (sandbox.results, sandbox.home):
                descriptor = os.open(each, os.O_RDONLY)
                os.fsync(descriptor)
                os.close(descriptor)
        else:
            answer = sandbox.run("import", str(self.earlier_results))
            assert answer.code == 0, answer.said
        return sandbox


def make(folder: Path) -> Template:
    """Measure the two sessions."""
    for title in (TITLE, OTHER):
        sandbox = Sandbox(folder / title)
        words = ("ping", "--on", f"here={sandbox.disk}", *SHORT, "--set", "runtime=20ms", "--blocks", "2")
        answer = sandbox.run("run", *words, "--title", title)
        assert answer.code == 0, answer.said
        answer = sandbox.run("export", "-o", "results.plimsoll.gz")
        assert answer.code == 0, answer.said
    return Template(folder)
