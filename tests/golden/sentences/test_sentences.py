"""Every sentence that a conclusion can be made of is said of data for which it is true, and not of other data.

The sentences are found in the code (`templates.py`), so a new one needs a situation here: data of known truth in one
of the modules `of_*.py`, with what must be said of them and what must not.
"""

from __future__ import annotations

from functools import cache

import pytest
from tests.golden.sentences import (
    of_advice,
    of_answers,
    of_context,
    of_guards,
    of_models,
    of_monitoring,
    of_products,
    of_profiles,
    of_proofs,
    of_renting,
    of_reports,
    of_scaling,
    of_searches,
    of_slices,
    of_stats,
    of_tests,
    of_traces,
    of_volumes,
)
from tests.golden.sentences.speech import Situation
from tests.golden.sentences.templates import Template, plain, templates

SITUATIONS: list[Situation] = [
    *of_stats.SITUATIONS,
    *of_answers.SITUATIONS,
    *of_guards.SITUATIONS,
    *of_volumes.SITUATIONS,
    *of_reports.SITUATIONS,
    *of_scaling.SITUATIONS,
    *of_searches.SITUATIONS,
    *of_context.SITUATIONS,
    *of_products.SITUATIONS,
    *of_models.SITUATIONS,
    *of_renting.SITUATIONS,
    *of_slices.SITUATIONS,
    *of_tests.SITUATIONS,
    *of_advice.SITUATIONS,
    *of_profiles.SITUATIONS,
    *of_proofs.SITUATIONS,
    *of_traces.SITUATIONS,
    *of_monitoring.SITUATIONS,
]
NO_CONCLUSIONS = {
    "traces/series.py: two samples of a counter": "a part of a refusal",
    "traces/counters/__init__.py: the file has no device": "a part of a refusal",
    "catalog/delivery.py: random reads, twice as many in flight": "the name of a run",
    "report/sections/data.py: Every score of every run": "the caption of a file",
    "traces/advice/sentences.py: Beyond the observed time: the load is taken to repeat these {} for ever.": "all loads",
    "traces/advice/sentences.py: How the program reacts to latency: the answer is for I/Os that come whether others "
    "are done or not": "of every load",
    "traces/advice/sentences.py: Where I/Os went: {}; they are taken to go {}. A stream counts as less on volumes that "
    "merge its I/Os (st1, sc1).": "of every load",
    "report/sections/phases.py: >As the original prints it": "the title of a column",
}
"""Strings of the speakers that say nothing of any data."""


SLOW = {
    "advice: a whole day",
    "advice: sums of a program that waits",
    "advice: sums over five minutes",
    "advice: sums that an instance carries only if they come evenly",
    "advice: sums that may be anything",
    "advice: sums under which what is there carries the even load only",
    "proofs: by replay, one of three runs late",
    "proofs: by simulation",
    "proofs: it fails what takes longer",
}
"""They take seconds."""
NAMED = {f"{each.family}: {each.name}": each for each in SITUATIONS}


def test_what_is_called_slow_is_there() -> None:
    assert NAMED.keys() >= SLOW
    assert len(NAMED) == len(SITUATIONS)


@pytest.mark.parametrize(
    "situation",
    [pytest.param(each, id=name, marks=pytest.mark.slow if name in SLOW else ()) for name, each in NAMED.items()],
)
def test_what_is_said_of_known_data(situation: Situation) -> None:
    for words in situation.says:
        assert plain(words) in situation.text
    for words in situation.never:
        assert plain(words) not in situation.text


@cache
def spoken() -> dict[str, set[int]]:
    """The situations, by place, in which each template is said."""
    # Many situations share lines: each is looked at once, and only at those that can hold it.
    places: dict[str, set[int]] = {}
    for i, situation in enumerate(SITUATIONS):
        for line in situation.lines:
            places.setdefault(line, set()).add(i)
    found: dict[str, set[int]] = {}
    for each in asked():
        core = each.core
        found[each.key] = set().union(*(said for line, said in places.items() if core in line and each.said_in(line)))
    return found


def asked() -> list[Template]:
    return [each for each in templates() if each.key not in NO_CONCLUSIONS]


@pytest.mark.slow
def test_every_sentence_has_data_for_which_it_is_true() -> None:
    assert [key for key, places in spoken().items() if not places] == []


@pytest.mark.slow
def test_every_sentence_has_data_of_the_same_kind_for_which_it_is_not_said() -> None:
    always = []
    for key, places in spoken().items():
        families = {SITUATIONS[i].family for i in places}
        if places and not any(each.family in families and i not in places for i, each in enumerate(SITUATIONS)):
            always.append(key)
    assert always == []


def test_nothing_is_left_out_that_is_not_there() -> None:
    assert set(NO_CONCLUSIONS) <= {each.key for each in templates()}


def test_names_of_situations_are_unique() -> None:
    names = [(each.family, each.name) for each in SITUATIONS]
    assert len(set(names)) == len(names)
