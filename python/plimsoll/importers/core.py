"""The readers of `crates/logs`: the only way into the compiled module for importers.

Bytes go in as they come from the file, in pieces; what comes back is described in `crates/logs/src/answer.rs`.
"""

from __future__ import annotations

import base64
import codecs
import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from plimsoll import _core
from plimsoll.errors import ResultFileError
from plimsoll.importers.numbers import UnreadableNumber
from plimsoll.importers.source import Source

LogFormat = Literal["fio", "fio_bins", "pgbench", "hdr"]
Column = npt.NDArray[np.int64]


def read_log(kind: LogFormat, file: Source) -> dict[str, Any]:
    """What one log file holds, of any size. Raises ResultFileError that names the line which cannot be read."""
    reader = _core.LogReader(kind)
    try:
        for chunk in _plain(file.chunks()):
            reader.feed(chunk)
        answer: dict[str, Any] = json.loads(reader.finish())
    except ValueError as error:
        refusal = json.loads(str(error))
        told = UnreadableNumber(refusal["text"], refusal["why"])
        raise ResultFileError(f"{file.name}: line {refusal['line']}: {told}") from None
    return answer


def column(encoded: str) -> Column:
    """A long column of an answer."""
    return np.frombuffer(base64.b64decode(encoded), dtype="<i8").astype(np.int64)


def _plain(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """UTF-8 without a mark, whatever an editor or a shell made of the file."""
    decoder: codecs.IncrementalDecoder | None = None
    for index, chunk in enumerate(chunks):
        if index == 0 and chunk[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
        elif index == 0:
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
        yield decoder.decode(chunk).encode("utf-8", "replace") if decoder is not None else chunk
