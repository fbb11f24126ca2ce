"""The useful line of a server's log: why it ended or was away, not the noise around that."""

from __future__ import annotations

import re

LONGEST = 300

_WANT = re.compile(
    r"no space left|\bis full\b|disk full|\b(?:errcode|errno|error):? 28\b|out of memory|cannot allocate|\boom\b"
    r"|input/output error|corrupt",
    re.IGNORECASE,
)
_CRASH = re.compile(r"\bPANIC\b|crashed by signal|got signal|terminated by signal|assertion|\bexiting\b", re.IGNORECASE)
_TROUBLE = re.compile(
    r"\bFATAL\b|\[ERROR\]|\bemerg\b|\bcan't\b|\bcould not\b|\bcannot\b|\bfailed\b|\bfailure\b", re.IGNORECASE
)
_END = re.compile(r"\bshut(?:ting)? ?down\b|SIGTERM|SIGINT", re.IGNORECASE)
_OF_A_CLIENT = re.compile(
    r"terminating connection|connection to client|the database system is|aborted connection"
    r"|\bERROR:  (?!.*no space left)|\bSTATEMENT:  |\bDETAIL:  |\bHINT:  ",
    re.IGNORECASE,
)
"""What a server also says when nothing is wrong with itself."""


def useful_line(log: str, prefix: str) -> str:
    """The first line that names a cause; else of a crash, of trouble, of an end by request; or nothing.

    `prefix` is a pattern of the time and process that the server's lines begin with; they are left out.
    """
    lines = [line.strip() for line in log.splitlines()]
    own = [line for line in lines if line and not _OF_A_CLIENT.search(line)]
    for wanted in (_WANT, _CRASH, _TROUBLE, _END):
        found = next((line for line in own if wanted.search(line)), None)
        if found is not None:
            return re.sub(f"^(?:{prefix})", "", found, count=1)[:LONGEST]
    return ""
