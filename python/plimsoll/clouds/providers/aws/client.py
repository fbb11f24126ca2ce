"""Every call to AWS: credentials by its own chain, repeated where that is safe, and errors mapped once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from plimsoll.clouds.providers.aws import errors

ATTEMPTS = 8
"""Of a call that is throttled or gets no answer; each that creates has a token, or a name of its own."""
CONNECT_S, ANSWER_S = 10, 60


def call(region: str, service: str, operation: str, **arguments: Any) -> Mapping[str, Any]:
    """One call, such as `call("us-east-1", "ec2", "run_instances", …)`. Raises CloudError."""
    with errors.mapped(service, operation, region):
        answer: Mapping[str, Any] = getattr(_client(service, region), operation)(**arguments)
        return answer


def pages(region: str, service: str, operation: str, of: str, **arguments: Any) -> Iterator[Mapping[str, Any]]:
    """What a listing has under the name `of`, over all its pages. Raises CloudError."""
    with errors.mapped(service, operation, region):
        for page in _client(service, region).get_paginator(operation).paginate(**arguments):
            yield from page[of]


def _client(service: str, region: str) -> Any:
    return _made(service, region, frozenset(item for item in os.environ.items() if item[0].startswith("AWS_")))


# A program may call as somebody else, or elsewhere, from one call to the next: what says so is part of the key.
@lru_cache(maxsize=64)
def _made(service: str, region: str, environment: frozenset[tuple[str, str]]) -> Any:
    from botocore.config import Config

    retries = {"mode": "standard", "max_attempts": ATTEMPTS}
    config = Config(retries=retries, connect_timeout=CONNECT_S, read_timeout=ANSWER_S, user_agent_extra="plimsoll")
    return _session(environment).client(service, region_name=region, config=config)


@lru_cache(maxsize=4)
def _session(_environment: frozenset[tuple[str, str]]) -> Any:
    """It has read what the services are, which takes longer than most calls."""
    import boto3

    return boto3.session.Session()
