"""Vega, Vega-Lite and vega-embed as one script for pages, as the installed vl-convert hands it out.

Making it takes 1.5 s, so it is kept beside this file where that can be written: wheels hold it, `make wheel` makes it.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from plimsoll.drafts import whole_file

FOLDER = Path(__file__).parent
KEPT = "vega-{version}.js"
"""Of vl-convert's version."""


@cache
def library() -> str:
    """The script; it never closes the element that it stands in."""
    import vl_convert

    kept = FOLDER / KEPT.format(version=version("vl-convert-python"))
    if kept.exists():
        return kept.read_text(encoding="utf-8")
    made = str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")).replace("</script", "<\\/script")
    # Whoever may not write here makes it again each time.
    with suppress(OSError), whole_file(kept) as file:
        file.write(made.encode())
    return made


if __name__ == "__main__":
    library()
