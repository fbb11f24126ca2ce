"""XML of strangers as a tree: no document types, no entities, no outside references, bounded size and depth."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import XMLParser

from plimsoll.errors import ResultFileError
from plimsoll.importers.source import as_text

MAX_ELEMENTS = 500_000
MAX_DEPTH = 50


class _TooLarge(Exception):
    """More elements or levels than a result file has."""


class _Bounded(TreeBuilder):
    """Stops while it builds: a small file can hold millions of empty elements, each of a hundred bytes in memory."""

    depth = count = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        self.depth, self.count = self.depth + 1, self.count + 1
        if self.depth > MAX_DEPTH or self.count > MAX_ELEMENTS:
            raise _TooLarge
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        self.depth -= 1
        return super().end(tag)


def parse(content: bytes, name: str) -> Element:
    """The root element. Raises ResultFileError for damage and for anything that could expand or reach outside."""
    encoding = None
    if content[:2] in (BOM_UTF16_LE, BOM_UTF16_BE):
        # A shell of Windows wrote it, whatever its first line still says.
        content, encoding = as_text(content).encode("utf-8", "replace"), "utf-8"
    try:
        return _parse(content, name, encoding)
    except ResultFileError:
        # People write `--` inside comments, which XML forbids; what is in a comment is no result.
        plain = _without_comments(content)
        if plain == content:
            raise
        return _parse(plain, name, encoding)


def _without_comments(content: bytes) -> bytes:
    kept, position = [], 0
    while (begin := content.find(b"<!--", position)) >= 0 and (end := content.find(b"-->", begin + 4)) >= 0:
        kept.append(content[position:begin])
        position = end + 3
    return b"".join([*kept, content[position:]])


def _parse(content: bytes, name: str, encoding: str | None) -> Element:
    parser = XMLParser(target=_Bounded(), encoding=encoding, forbid_dtd=True)
    try:
        parser.feed(content)
        root: Element = parser.close()
        return root
    except _TooLarge:
        raise ResultFileError(
            f"{name}: more than {MAX_ELEMENTS:,} elements or {MAX_DEPTH} levels; split the file"
        ) from None
    except DefusedXmlException:
        raise ResultFileError(
            f"{name}: a document type or entity is in the XML, which no result file needs; remove it"
        ) from None
    except ParseError as error:
        raise ResultFileError(f"{name}: the XML is damaged or cut short ({error})") from None
    except (ValueError, LookupError, AssertionError) as error:
        raise ResultFileError(f"{name}: the XML cannot be decoded ({error})") from None


def text(element: Element | None, path: str) -> str:
    """Text of a descendant, without blanks around it; empty where there is none."""
    found = element.find(path) if element is not None else None
    return (found.text or "").strip() if found is not None else ""
