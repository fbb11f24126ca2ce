"""A folder that pip, pipx and uv install from, made of what is installed here: nothing is fetched."""

from __future__ import annotations

import base64
import hashlib
import shutil
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NOT_KEPT = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
"""Of an installation, and no part of a wheel."""


def local_index(folder: Path, wheel: Path) -> Path:
    """The wheel, and everything that it needs."""
    folder.mkdir()
    shutil.copy(wheel, folder)
    for each in needed("plimsoll"):
        _packed(each, folder)
    return folder


def needed(name: str) -> list[Distribution]:
    """What a package needs here, and what that needs, without itself."""
    found: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        for each in map(Requirement, distribution(waiting.pop()).requires or ()):
            key = canonicalize_name(each.name)
            if key not in found and (each.marker is None or each.marker.evaluate({"extra": ""})):
                found[key] = distribution(each.name)
                waiting.append(each.name)
    return list(found.values())


def _packed(found: Distribution, folder: Path) -> None:
    """An installed package as a wheel again."""
    lines = (found.read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag: ").split("-") for line in lines if line.startswith("Tag: ")]
    tag = "-".join(".".join(dict.fromkeys(parts)) for parts in zip(*tags, strict=True))
    name = canonicalize_name(found.name).replace("-", "_")
    record = []
    with zipfile.ZipFile(folder / f"{name}-{found.version}-{tag}.whl", "w") as file:
        for path, content in _files(found):
            file.writestr(path, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}")
        # Others may be inside, such as those that setuptools brings.
        (home,) = {path.split("/")[0] for path in file.namelist() if path.split("/")[0].endswith(".dist-info")}
        file.writestr(f"{home}/RECORD", "\n".join([*record, f"{home}/RECORD,,", ""]))


def _files(found: Distribution) -> Iterator[tuple[str, bytes]]:
    for each in found.files or ():
        outside = each.parts[0] == ".." or "__pycache__" in each.parts
        if not outside and not (each.parts[0].endswith(".dist-info") and each.name in NOT_KEPT):
            yield each.as_posix(), Path(str(each.locate())).read_bytes()
