"""Who is served next: clients take turns, so that one who asks for much waits for itself, not everyone for it."""

from __future__ import annotations

import asyncio
from collections import Counter, deque

from plimsoll.web.faults import Refused

AT_ONCE = 8
"""Pages that are made at the same time. Python makes one after the other anyway; more would only wait for a store."""

OF_ONE = 6
"""Of them for one client; the rest is kept for others."""

MOST_WAITING = 400
"""Requests of one client that may wait. A proxy that names nobody has all readers behind one address."""

WAIT_S = 60.0


class Turns:
    """Fair turns: a free place goes to the client that was served longest ago. Only the event loop uses it."""

    def __init__(self, at_once: int = AT_ONCE, of_one: int = OF_ONE, most_waiting: int = MOST_WAITING) -> None:
        self._free, self._of_one, self._most_waiting = at_once, of_one, most_waiting
        self._served: Counter[str] = Counter()
        # In the order in which they are looked at; whoever was served goes to the end.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self, client: str) -> None:
        """Wait for a turn of `client`; every one is given back. Raises Refused (429, 503)."""
        if self._free and self._served[client] < self._of_one and client not in self._waiting:
            self._begin(client)
            return
        queue = self._waiting.setdefault(client, deque())
        if len(queue) >= self._most_waiting:
            raise Refused(429, "too many of your requests are waiting; try again in 5 s", {"retry-after": "5"})
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            async with asyncio.timeout(WAIT_S):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                self.give_back(client)
            elif turn in queue:
                queue.remove(turn)
                if not queue and self._waiting.get(client) is queue:
                    del self._waiting[client]
            if isinstance(error, TimeoutError):
                raise Refused(503, "the server is busy; try again in 30 s", {"retry-after": "30"}) from None
            raise

    def give_back(self, client: str) -> None:
        """End a turn; the next one begins."""
        self._free += 1
        self._served[client] -= 1
        if not self._served[client]:
            del self._served[client]
        for waiting in list(self._waiting):
            if self._free and self._served[waiting] < self._of_one:
                self._call(waiting)

    def _call(self, client: str) -> None:
        queue = self._waiting.pop(client)
        while queue:
            turn = queue.popleft()
            if not turn.done():
                self._begin(client)
                turn.set_result(None)
                break
        if queue:
            self._waiting[client] = queue

    def _begin(self, client: str) -> None:
        self._free -= 1
        self._served[client] += 1


class Turn:
    """One turn of one client; it may begin once, and end as often as somebody says so."""

    def __init__(self, turns: Turns, client: str) -> None:
        self._turns, self._client = turns, client
        self._under_way = self._over = False

    async def begin(self) -> None:
        """Wait for it, the first time: who listens whether a client is still there asks again. Raises Refused."""
        if not (self._over or self._under_way):
            await self._turns.take(self._client)
            self._under_way = True

    def end(self) -> None:
        """Give it back."""
        self._over = True
        if self._under_way:
            self._under_way = False
            self._turns.give_back(self._client)
