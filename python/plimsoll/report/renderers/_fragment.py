"""A document as part of somebody else's page: what a notebook shows of a result."""

from __future__ import annotations

from plimsoll.report.document import Document


def fragment(document: Document) -> str:
    """Sentences, tables and warnings as HTML that needs no script; every text is escaped."""
    from plimsoll.report.renderers.html import environment

    return environment().get_template("fragment.html").render(document=document)
