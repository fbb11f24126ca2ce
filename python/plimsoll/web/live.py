"""Running sessions as streams of events: the store is asked once a second for each, however many watch it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool

from plimsoll.errors import PlimsollError
from plimsoll.store.store import Store
from plimsoll.web import progress
from plimsoll.web.faults import Refused

POLL_S = 1.0
BEAT_S = 15.0
"""A line without content so often: it finds out who has gone, and who may no longer read."""

LONGEST_S = 3600.0
"""A stream ends after this; browsers begin another."""

MOST_STREAMS = 200
OF_ONE = 12
"""Streams of one client; a browser has six for each server."""

UNKNOWN = "unknown"
"""How a session is that cannot be asked about any more; pages then stay as they are."""

MOST_FAILURES = 30
"""Polls in a row that may fail before a stream ends: a store can be away for a moment."""


@dataclass
class _Watched:
    """One session that somebody watches."""

    task: asyncio.Task[None] | None = None
    version: int = 0
    event: str = ""
    """The newest event, as it is sent."""
    ended: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)
    watchers: int = 0

    def tell(self, name: str, content: str) -> None:
        """A new event to all who watch."""
        self.event = f"event: {name}\ndata: {json.dumps(content)}\n\n"
        self.version += 1
        self.wake()

    def wake(self) -> None:
        """Wake all who wait for news; who waits from now on waits for the next."""
        self.news.set()
        self.news = asyncio.Event()


class Live:
    """Everybody who watches a running session. Only the event loop uses it."""

    def __init__(self, store: Store, *, poll_s: float = POLL_S, most: int = MOST_STREAMS, of_one: int = OF_ONE) -> None:
        self._store, self._poll_s, self._most, self._of_one = store, poll_s, most, of_one
        self._sessions: dict[str, _Watched] = {}
        self._streams: Counter[str] = Counter()
        self._closing = asyncio.Event()
        self.polls = 0
        """How often the store was asked."""

    @property
    def streams(self) -> int:
        """How many are open."""
        return self._streams.total()

    def close(self) -> None:
        """End all streams: the server stops."""
        self._closing.set()
        for watched in self._sessions.values():
            watched.wake()

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """One stream of this client. Raises Refused where there are too many."""
        if self.streams >= self._most:
            raise Refused(503, "too many people are watching; reload the page to see more", {"retry-after": "30"})
        if self._streams[client] >= self._of_one:
            raise Refused(429, "you are watching too many sessions at once; close one", {"retry-after": "30"})
        self._streams[client] += 1
        try:
            yield
        finally:
            self._streams[client] -= 1
            if not self._streams[client]:
                del self._streams[client]

    async def events(self, session_id: str, may_go_on: Callable[[], Awaitable[bool]]) -> AsyncIterator[str]:
        """What a stream of this session sends, from how it is now to its end."""
        loop = asyncio.get_running_loop()
        over_s, seen = loop.time() + LONGEST_S, 0
        watched = self._watch(session_id)
        try:
            yield "retry: 3000\n\n"
            while not self._closing.is_set() and loop.time() < over_s:
                if await self._news(watched, seen):
                    seen = watched.version
                    yield watched.event
                    if watched.ended:
                        return
                elif not await may_go_on():
                    return
                else:
                    yield ": still here\n\n"
        finally:
            self._leave(session_id, watched)

    async def _news(self, watched: _Watched, seen: int) -> bool:
        """Whether there is something that was not sent, after a while at most."""
        if watched.version == seen:
            try:
                async with asyncio.timeout(BEAT_S):
                    await watched.news.wait()
            except TimeoutError:
                return False
        return watched.version != seen

    def _watch(self, session_id: str) -> _Watched:
        watched = self._sessions.setdefault(session_id, _Watched())
        watched.watchers += 1
        if watched.task is None:
            watched.task = asyncio.create_task(self._poll(session_id, watched))
            watched.task.add_done_callback(lambda task: _give_up(watched, task))
        return watched

    def _leave(self, session_id: str, watched: _Watched) -> None:
        watched.watchers -= 1
        if not watched.watchers and watched.task is not None:
            watched.task.cancel()
            if self._sessions.get(session_id) is watched:
                del self._sessions[session_id]

    async def _poll(self, session_id: str, watched: _Watched) -> None:
        """Look once a second, and tell all who watch where something is new."""
        before: progress.State | None = None
        failures = 0
        while not watched.ended and not self._closing.is_set():
            self.polls += 1
            try:
                state = await run_in_threadpool(progress.state_of, self._store, session_id)
                if state is None or not state.running:
                    watched.ended = True
                    watched.tell("ended", "gone" if state is None else state.state.value)
                elif state != before:
                    shown = await run_in_threadpool(progress.fragment, self._store, session_id, state)
                    watched.tell("progress", shown)
                    before = state
                failures = 0
            except PlimsollError:
                failures += 1
                if failures > MOST_FAILURES:
                    watched.ended = True
                    watched.tell("ended", UNKNOWN)
            await self._pause()
        if self._sessions.get(session_id) is watched:
            del self._sessions[session_id]

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(self._poll_s):
                await self._closing.wait()
        except TimeoutError:
            return


def _give_up(watched: _Watched, task: asyncio.Task[None]) -> None:
    """After an error that nobody foresaw nobody waits for ever; asyncio logs it."""
    if not task.cancelled() and task.exception() is not None:
        watched.ended = True
        watched.tell("ended", UNKNOWN)
        logging.getLogger("uvicorn.error").error("a running session cannot be watched", exc_info=task.exception())
