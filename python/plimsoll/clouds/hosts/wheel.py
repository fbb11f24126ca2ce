"""The program that runs here, as a wheel again: what measures on a rented machine is exactly this one.

Whether it was installed from a wheel or runs from its source tree, its files are here; none is fetched or compiled.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import plimsoll
from plimsoll.errors import CloudError
from plimsoll.report.charts import bundle

_ABOUT = ("METADATA", "WHEEL", "entry_points.txt")
_DRAWN_HERE = bundle.KEPT.format(version="*")
"""The first report makes it, and charts are drawn here: a machine that has this program has it before and after."""
_MANYLINUX = re.compile(r"manylinux_(\d+)_(\d+)_")


def own_wheel(folder: Path) -> Path:
    """Pack it into a folder, the same program into the same bytes. Raises CloudError where nobody installed it."""
    installed = _installed()
    file = folder / f"plimsoll-{plimsoll.__version__}-{_tag(installed)}.whl"
    about = f"plimsoll-{plimsoll.__version__}.dist-info"
    record = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
        for name, content in (*_program(), *_metadata(installed, about)):
            wheel.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
            hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={hashed},{len(content)}")
        record.append(f"{about}/RECORD,,\n")
        wheel.writestr(zipfile.ZipInfo(f"{about}/RECORD"), "\n".join(record), zipfile.ZIP_DEFLATED)
    return file


def oldest_glibc() -> tuple[int, int]:
    """Of machines that can run it: as its tag says, else the one here, which it was compiled with."""
    if found := _MANYLINUX.search(_tag(_installed())):
        return int(found[1]), int(found[2])
    major, minor = platform.libc_ver()[1].split(".")[:2]
    return int(major), int(minor)


def _installed() -> Distribution:
    try:
        found = distribution("plimsoll")
    except PackageNotFoundError:
        found = None
    if found is None or found.version != plimsoll.__version__ or not found.read_text("WHEEL"):
        raise CloudError(
            "this Plimsoll was not installed by pip or uv, so it cannot be put on rented machines; install its wheel"
        )
    return found


def _tag(installed: Distribution) -> str:
    """Such as cp311-abi3-manylinux_2_28_x86_64."""
    lines = (installed.read_text("WHEEL") or "").splitlines()
    return next(line.partition(":")[2].strip() for line in lines if line.startswith("Tag:"))


def _program() -> Iterator[tuple[str, bytes]]:
    root = Path(plimsoll.__file__).parent
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name != "__pycache__")
        for name in sorted(name for name in files if not fnmatch(name, _DRAWN_HERE)):
            path = Path(folder, name)
            yield f"plimsoll/{path.relative_to(root).as_posix()}", path.read_bytes()


def _metadata(installed: Distribution, about: str) -> Iterator[tuple[str, bytes]]:
    for name in _ABOUT:
        if text := installed.read_text(name):
            yield f"{about}/{name}", text.encode()
