"""Turns: fair, bounded, and none is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from plimsoll.web import turns
from plimsoll.web.faults import Refused
from plimsoll.web.turns import Turn, Turns


async def _settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def _serve(line: Turns, client: str, order: list[str], go_on: asyncio.Event) -> None:
    await line.take(client)
    order.append(client)
    await go_on.wait()
    line.give_back(client)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


def test_one_who_asks_for_much_does_not_keep_others_waiting() -> None:
    async def work() -> None:
        line, order, go_on = Turns(at_once=2, of_one=2), [], asyncio.Event()
        asked = [asyncio.create_task(_serve(line, "greedy", order, go_on)) for _ in range(50)]
        await _settle()
        asked += [asyncio.create_task(_serve(line, name, order, go_on)) for name in ("a", "b", "c")]
        await _settle()
        assert order == ["greedy"] * 2
        go_on.set()
        await asyncio.gather(*asked)
        # Each of the others waits for one of the greedy one's at most, not for 48.
        assert {"a", "b", "c"} <= set(order[:8])
        assert len(order) == 53

    run(work())


def test_a_part_is_kept_for_others() -> None:
    async def work() -> None:
        line, order, go_on = Turns(at_once=4, of_one=3), [], asyncio.Event()
        asked = [asyncio.create_task(_serve(line, "greedy", order, go_on)) for _ in range(9)]
        await _settle()
        assert order == ["greedy"] * 3
        asked.append(asyncio.create_task(_serve(line, "other", order, go_on)))
        await _settle()
        assert order[-1] == "other"
        go_on.set()
        await asyncio.gather(*asked)

    run(work())


def test_who_goes_while_waiting_takes_no_turn_along() -> None:
    async def work() -> None:
        line, order, go_on = Turns(at_once=1, of_one=1), [], asyncio.Event()
        first = asyncio.create_task(_serve(line, "a", order, go_on))
        await _settle()
        gone = [asyncio.create_task(_serve(line, "b", order, go_on)) for _ in range(3)]
        last = asyncio.create_task(_serve(line, "b", order, go_on))
        await _settle()
        for each in gone:
            each.cancel()
        go_on.set()
        await asyncio.gather(first, last, *gone, return_exceptions=True)
        assert order == ["a", "b"]
        # One whose turn came in the very moment in which it went gives it back.
        line = Turns(at_once=1, of_one=1)
        await line.take("a")
        late = asyncio.create_task(line.take("b"))
        await _settle()
        line.give_back("a")
        late.cancel()
        await _settle()
        await asyncio.wait_for(line.take("c"), 10)

    run(work())


def test_waiting_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        line = Turns(at_once=1, of_one=1, most_waiting=2)
        await line.take("a")
        waiting = [asyncio.create_task(line.take("a")) for _ in range(2)]
        await _settle()
        with pytest.raises(Refused, match="too many of your requests") as refused:
            await line.take("a")
        assert refused.value.status == 429
        for each in waiting:
            each.cancel()
        monkeypatch.setattr(turns, "WAIT_S", 0.01)
        with pytest.raises(Refused, match="busy") as refused:
            await line.take("b")
        assert refused.value.status == 503

    run(work())


def test_a_turn_is_given_back_once() -> None:
    async def work() -> None:
        line = Turns(at_once=1, of_one=1)
        turn = Turn(line, "a")
        await turn.begin()
        # An answer that streams asks once more.
        await asyncio.wait_for(turn.begin(), 10)
        turn.end()
        turn.end()
        await line.take("b")
        blocked = asyncio.create_task(line.take("c"))
        await _settle()
        assert not blocked.done()
        blocked.cancel()
        # One that is over does not begin: its answer was given without it.
        over = Turn(Turns(at_once=0), "a")
        over.end()
        await asyncio.wait_for(over.begin(), 10)

    run(work())
