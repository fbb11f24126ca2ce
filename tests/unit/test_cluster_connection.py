"""What a coordinator makes of a scheduler that gives no answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.conftest import need_module

from plimsoll.errors import PlimsollError


def present(answers: list[Any]) -> Any:
    """What is found with a scheduler that gives these answers, or raises them."""
    need_module("distributed")
    from plimsoll.cluster.connection import Cluster

    def sync(*_: object, **__: object) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    cluster = object.__new__(Cluster)
    cluster._text = "tcp://scheduler:8786"
    cluster._client = SimpleNamespace(sync=sync, scheduler=SimpleNamespace(identity=None))
    return cluster._present()


def test_a_coordinator_that_slept_asks_again() -> None:
    assert present([TimeoutError(), {"workers": {"tcp://a": {}}}]) == {"tcp://a": {}}


@pytest.mark.parametrize("answers", [[TimeoutError(), TimeoutError()], [OSError()], [TimeoutError(), OSError()]])
def test_a_scheduler_that_stays_silent_is_gone(answers: list[Any]) -> None:
    with pytest.raises(PlimsollError, match=r"scheduler of tcp://scheduler:8786 is gone"):
        present(answers)
    assert answers == []


def test_a_client_that_has_closed_itself_says_that_the_scheduler_is_gone() -> None:
    need_module("distributed")
    from distributed.client import ClosedClientError

    from plimsoll.cluster.connection import Cluster, forget

    def closed(*_: object, **__: object) -> Any:
        raise ClosedClientError("Client is closed. Can't send cancel-keys message.")

    cluster = object.__new__(Cluster)
    cluster._text = "tcp://scheduler:8786"
    cluster._client = SimpleNamespace(submit=closed)
    with pytest.raises(PlimsollError, match=r"scheduler of tcp://scheduler:8786 is gone"):
        cluster.call(SimpleNamespace(address="tcp://a"), len)  # type: ignore[arg-type]
    forget(SimpleNamespace(cancel=closed))
