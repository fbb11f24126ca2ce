"""What a page says, without how it is written."""

from __future__ import annotations

import re
from html import unescape


def words(page: str) -> str:
    """The text of a page: spans keep words in one line and part none, other elements do."""
    return unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?span\b[^>]*>|<wbr>", "", page)))
