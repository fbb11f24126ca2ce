"""Builds the site.

python -m tools.pages [--output target/site]

The pages open from the file system; the search works there as well. The gallery and the notebooks take the most
time: they measure.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.pages import gallery, links, notebooks
from tools.pages.contents import GALLERY, ROOT, parts
from tools.pages.gallery import CommandFailed
from tools.pages.stage import BrokenLinkError, stage

HERE = Path(__file__).parent


def build(output: Path) -> list[str]:
    """Write the site to `output`, which is replaced; what is wrong with it, a line each."""
    output.parent.mkdir(parents=True, exist_ok=True)
    # Beside the output, because the gallery measures the disk it lies on.
    with tempfile.TemporaryDirectory(prefix="site-", dir=output.parent) as name:
        source, written = Path(name) / "source", Path(name) / "site"
        stage(source, parts())
        notebooks.write(source, parts(), Path(name) / "notebooks")
        shown = gallery.make(Path(name) / "gallery")
        (source / GALLERY).parent.mkdir()
        (source / GALLERY).write_text(gallery.page(shown), encoding="utf-8")
        sphinx = [sys.executable, "-m", "sphinx", "-b", "html", "-c", str(HERE), "-q", "-W", "--keep-going", "-j", "2"]
        done = subprocess.run([*sphinx, "-d", f"{name}/doctrees", str(source), str(written)], check=False)
        if done.returncode != 0:
            return ["Sphinx found what is named above"]
        for each in shown:
            for file in each.files:
                shutil.copyfile(file, (written / GALLERY).parent / file.name)
        found = list(links.problems(written))
        shutil.rmtree(output, ignore_errors=True)
        written.rename(output)
    return found


def main() -> int:
    """Build, and say where it is or what is wrong; the exit code."""
    parser = argparse.ArgumentParser(description="builds the site")
    parser.add_argument("--output", type=Path, default=ROOT / "target" / "site", help="a folder, which is replaced")
    output = parser.parse_args().output.resolve()
    try:
        found = build(output)
    except (BrokenLinkError, CommandFailed, notebooks.CellExecutionError) as error:
        found = [str(error)]
    print("\n".join(found) or f"site: {output / 'index.html'}", file=sys.stderr if found else sys.stdout)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
