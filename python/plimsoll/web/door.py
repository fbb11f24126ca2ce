"""Who may stay connected: bounds on time and number before anybody has shown a token.

uvicorn bounds neither: it has no time limit for the head of a request, none for a client that does not take its
answer, and one number for the connections of everybody together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from ipaddress import ip_network
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from plimsoll.units import KIB, MIB
from plimsoll.web.limits import network_of

HEAD_S = 10.0
"""Within so long from connecting, or from the last answer, the head of a request has arrived."""

GRACE_S = 20.0
LEAST_BYTES_PER_S = 4 * KIB
"""What is sent or taken, after a grace, goes at least as fast as this; a bad mobile network manages twice as much."""

CONNECTIONS = 4000
OF_ONE = 4
"""A client may have one in so many of all connections: an office behind one address has six for each browser at work.

Most of what is held without use so runs into a time limit, not into a neighbour that has to go for it.
"""

UNTAKEN_BYTES = 64 * MIB
"""Answers that one client has not taken yet; four times as many for all together."""


class Door:
    """Everybody who is connected. Only the event loop uses it.

    Where there are too many of one client, or of all together, whoever has been waited for longest makes room: of this
    client, or of the one that has most. Nobody goes whose answer is being made.
    """

    def __init__(
        self,
        most: int = CONNECTIONS,
        proxies: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._of_one, self.clock = most, max(1, most // OF_ONE), clock
        self._proxies = [ip_network(each, strict=False) for each in proxies]
        self._guests: dict[str, dict[Guest, None]] = {}
        self._count = 0

    def enter(self, guest: Guest) -> None:
        """Let somebody in; another one goes where there is no place, or the new one where everybody is busy."""
        mates = self._guests.setdefault(guest.network, {})
        mates[guest] = None
        self._count += 1
        if len(mates) > self._of_one and not self._stands_for_many(guest.network):
            self._make_room(mates, guest)
        elif self._count > self._most:
            self._make_room(max(self._guests.values(), key=len), guest)

    def leave(self, guest: Guest) -> None:
        """Forget somebody; once or more often."""
        mates = self._guests.get(guest.network, {})
        if guest in mates:
            del mates[guest]
            self._count -= 1
        if not mates:
            self._guests.pop(guest.network, None)

    def begin_again(self, guest: Guest) -> None:
        """Wait for somebody from now on. They are kept in this order, so that the first is found without a search."""
        mates = self._guests.get(guest.network, {})
        if guest in mates:
            del mates[guest]
            mates[guest] = None

    def look_round(self) -> None:
        """Send those away whose time is over."""
        now = self.clock()
        guests = [list(mates) for mates in self._guests.values()]
        for guest in [each for mates in guests for each in mates]:
            guest.look_at_clock(now)
        for mates in guests:
            _bound(mates, UNTAKEN_BYTES)
        _bound([each for mates in guests for each in mates], 4 * UNTAKEN_BYTES)

    def _make_room(self, mates: dict[Guest, None], new: Guest) -> None:
        owing = (each for each in mates if each is not new and each.waited_for and not each.idle)
        # Who owes nothing and only keeps the connection goes last, and of its own accord after a few seconds.
        longest = next(owing, None) or next((each for each in mates if each.idle), new)
        self.leave(longest)
        longest.send_away(503 if longest is new else 408)

    def _stands_for_many(self, network: str) -> bool:
        try:
            own = ip_network(network)
        except ValueError:
            return False
        return any(own.version == each.version and own.overlaps(each) for each in self._proxies)


def _bound(guests: Sequence[Guest], most_bytes: int) -> None:
    """Answers that are not taken lie in memory: where they are too many, the oldest go."""
    slow = sorted((each for each in guests if each.untaken), key=lambda each: each.since)
    left = sum(each.untaken for each in slow)
    for guest in slow:
        if left <= most_bytes:
            return
        left -= guest.untaken
        guest.send_away(408)


class Guest(H11Protocol):
    """One connection. `since` is when its client's turn to say something began."""

    door: ClassVar[Door]
    network: str = ""
    since: float = 0.0
    _taken_until: float | None = None
    _postponed: bool = False

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the head of a request."""
        super().connection_made(transport)
        self.network = network_of(self.client[0] if self.client else "unknown")
        self.since = self.door.clock()
        self.door.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed: it counts no more."""
        self.door.leave(self)
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request; whoever has not taken one answer gets no other one made."""
        self.since = self.door.clock()
        self.door.begin_again(self)
        if self.flow.write_paused and not self.transport.is_closing():
            self._postponed = True
        else:
            super().on_response_complete()

    def resume_writing(self) -> None:
        """The client has taken most of what was written."""
        self._taken_until = None
        super().resume_writing()
        if self._postponed:
            self._postponed = False
            super().on_response_complete()

    @property
    def answered(self) -> bool:
        """Whether no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def untaken(self) -> int:
        """Bytes of answers that wait for the client."""
        return self.transport.get_write_buffer_size()

    @property
    def idle(self) -> bool:
        """Whether it got all of an answer and has not asked again."""
        return self.cycle is not None and self.answered and not self.untaken

    @property
    def waited_for(self) -> bool:
        """Whether nothing goes on until the client sends or takes something."""
        return self.answered or self.cycle.more_body or self.untaken > 0

    def look_at_clock(self, now: float) -> None:
        """Go if what the client owes is overdue. A request has a limit of its own, in `security`."""
        untaken = self.untaken
        if not untaken:
            self._taken_until = None
            if self.answered and now - self.since > HEAD_S:
                self.send_away(408)
        elif self._taken_until is None:
            self._taken_until = now + GRACE_S + untaken / LEAST_BYTES_PER_S
        elif now > self._taken_until:
            self.send_away(408)

    def send_away(self, status: int) -> None:
        """End the connection at once; where nothing was answered yet, with a word about it."""
        if self.transport.is_closing() and not self.untaken:
            return
        if self.cycle is None:
            words = {408: b"Request Timeout", 503: b"Service Unavailable"}[status]
            self.transport.write(b"HTTP/1.1 %d %s\r\nconnection: close\r\ncontent-length: 0\r\n\r\n" % (status, words))
            self.transport.close()
        else:
            # What the client does not take would keep the connection open for ever.
            self.transport.abort()


def guests_of(door: Door) -> type[Guest]:
    """The kind of connection that goes through `door`; uvicorn makes one for each."""
    return type("Guest", (Guest,), {"door": door})
