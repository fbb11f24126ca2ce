"""XML of strangers as a tree: no document types, no entities, no outside references, bounded size and depth."""

from __future__ import annotations

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from plimsoll.errors import ResultFileError

MAX_ELEMENTS = 500_000
MAX_DEPTH = 50


def parse(content: bytes, name: str) -> Element:
    """The root element. Raises ResultFileError for damage and for anything that could expand or reach outside."""
    try:
        return _parse(content, name)
    except ResultFileError:
        # People write `--` inside comments, which XML forbids; what is in a comment is no result.
        plain = _without_comments(content)
        if plain == content:
            raise
        return _parse(plain, name)


def _without_comments(content: bytes) -> bytes:
    kept, position = [], 0
    while (begin := content.find(b"<!--", position)) >= 0 and (end := content.find(b"-->", begin + 4)) >= 0:
        kept.append(content[position:begin])
        position = end + 3
    return b"".join([*kept, content[position:]])


def _parse(content: bytes, name: str) -> Element:
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    depth = count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > MAX_DEPTH or count > MAX_ELEMENTS:
            raise ResultFileError(f"{name}: more than {MAX_ELEMENTS:,} elements or {MAX_DEPTH} levels; split the file")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def refuse(*_: object) -> int:
        raise ResultFileError(f"{name}: a document type or entity is in the XML, which no result file needs; remove it")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(content, True)
        return builder.close()
    except expat.ExpatError as error:
        raise ResultFileError(f"{name}: the XML is damaged or cut short ({error})") from None
    except (ValueError, LookupError, AssertionError) as error:
        raise ResultFileError(f"{name}: the XML can't be decoded ({error})") from None


def text(element: Element | None, path: str) -> str:
    """Text of a descendant, without blanks around it; empty where there is none."""
    found = element.find(path) if element is not None else None
    return (found.text or "").strip() if found is not None else ""
