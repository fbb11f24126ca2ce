"""Reports of stored sessions, kept in memory as long as what they were made from stays the same."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from markupsafe import Markup

from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import Session, SessionState
from plimsoll.report import Document, Evidence, build_document
from plimsoll.report.document import Section
from plimsoll.report.renderers import html
from plimsoll.stats.rules import rules
from plimsoll.store import search
from plimsoll.store.liveness import state_now
from plimsoll.store.store import Store
from plimsoll.web.faults import NotHere
from plimsoll.web.lru_cache import LruCache
from plimsoll.web.rendering import cleaned_environment, query

MOST_DOCUMENTS = 8
MOST_PAGE_BYTES = 64 * 2**20
WHOLE_REPORT_RUNS = 160
"""Sessions with more runs show their answers first: the whole report of 100 runs takes 0.15 s, of 800 over one."""


def kept_pages() -> LruCache[Markup]:
    """Parts of pages, which take longer to make than everything around them."""
    return LruCache(MOST_PAGE_BYTES, len)


class Reports:
    """The reports of one store."""

    def __init__(self, store: Store, pages: LruCache[Markup]) -> None:
        self._store, self._pages = store, pages
        self._documents: LruCache[Document] = LruCache(MOST_DOCUMENTS)

    def document(self, found: Session, baseline: str | None = None, *, short: bool = False) -> Document:
        """The report of a session."""
        return self._documents.get(self._key(found, baseline, short), lambda: self._build(found, baseline, short))

    def page(self, found: Session, baseline: str | None = None, *, short: bool = False) -> Markup:
        """The report of a session as part of a page."""

        def make() -> Markup:
            document = self.document(found, baseline, short=short)
            return show(document.sections, f"/sessions/{found.id}/charts", query(baseline=baseline))

        return self._pages.get(self._key(found, baseline, short), make)

    def _key(self, found: Session, baseline: str | None, short: bool) -> Hashable:
        """Runs never change, so their number tells whether there are new ones."""
        runs = sum(place.runs for place in search.places(self._store, [found.id]))
        return found.id, found.title, found.tags, found.note, found.state, found.ended_ns, runs, baseline, short

    def _build(self, found: Session, baseline: str | None, short: bool) -> Document:
        chosen = rules(found, baseline)
        return build_document(
            Evidence([found], self._store.runs([found.id]), chosen.baseline, chosen.band), short=short
        )


def show(sections: Sequence[Section], pictures: str = "", query: str = "") -> Markup:
    """Sections with their contents list, as part of a page; `pictures` is where each chart can be fetched."""
    template = cleaned_environment().get_template("report.html")
    return Markup(template.render(sections=html.laid_out(sections), pictures=pictures, query=query))


def session_of(store: Store, text: str) -> Session:
    """The session with this full or short id or title. Raises NotHere, or UsageError where several fit."""
    found = search.get_session(store, text)
    try:
        return _as_it_is(store, found or store.find_session(text))
    except UsageError as error:
        # What a stranger asks for is no reason to list what there is.
        raise NotHere("session", text) if isinstance(error, UnknownName) else error from None


def _as_it_is(store: Store, found: Session) -> Session:
    """The session with the state that it really has: its process may have died without a word."""
    if found.state is not SessionState.RUNNING:
        return found
    return found.model_copy(update={"state": state_now(found, search.heard_ns(store, found.id))})
