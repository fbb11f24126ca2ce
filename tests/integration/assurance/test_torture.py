"""Every kind of fault once, and some system calls of every command: all of both is `make torture` and `make assure`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest
from benches.torture.__main__ import MIXED, Campaign
from benches.torture.every import DEFAULT, failing
from benches.torture.faults import faults
from benches.torture.scenarios import SCENARIOS
from benches.torture.template import Template
from tests.conftest import need, need_program
from tests.integration.store.postgres import find_programs

SEED = int(os.environ.get("PLIMSOLL_TORTURE_SEED", "1"))
SAMPLE = 3


def need_servers() -> None:
    need(find_programs() is not None, "a PostgreSQL server (Debian: postgresql)")
    for program in ("redis-server", "mariadbd"):
        need_program(program)


@pytest.mark.slow
@pytest.mark.parametrize("name", DEFAULT)
def test_a_system_call_that_fails_loses_nothing(place: Path, template: Template, name: str) -> None:
    arguments = argparse.Namespace(sample=SAMPLE, seed=SEED, alike=8, call=None)
    seen = 0
    for call, error, result in failing(place, template, SCENARIOS[name], arguments):
        assert result.laws == (), f"{os.strerror(error)} for {call}"
        seen += bool(result.told)
    assert seen >= SAMPLE


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*sorted(faults()), MIXED])
def test_a_round_of_every_kind(place: Path, template: Template, kind: str) -> None:
    need_servers()
    campaign = Campaign(place, template, SEED, only=kind)
    _, scenario, result = campaign.round(1)
    assert result.laws == (), f"{kind} of {scenario}: {result.told}"


def test_every_fault_says_what_it_is() -> None:
    for name, fault in faults().items():
        assert fault.MEANING
        assert set(fault.SCENARIOS) <= set(SCENARIOS), name
