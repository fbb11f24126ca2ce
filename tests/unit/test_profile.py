"""Profiles and suites: every file is read, and overrides win in the documented order."""

import pytest

from plimsoll.errors import UnknownName, UsageError
from plimsoll.profile import Entry, Profile, cases, profiles, suites
from plimsoll.run.scores import metric_kind


@pytest.mark.parametrize("profile", profiles().values(), ids=lambda profile: profile.name)
def test_every_profile_is_complete(profile: Profile) -> None:
    (case,) = cases([Entry(profile.name, {})], {}, "test")
    plan = case.plan({}, "target")
    assert plan.metrics
    assert all(metric_kind(metric) for metric in plan.metrics)
    assert profile.question.endswith("?")
    assert profile.definition
    assert profile.reading


@pytest.mark.parametrize("name", suites())
def test_every_suite_makes_cases(name: str) -> None:
    found = cases([Entry(name, {})], {}, "test")
    assert len(found) == len(suites()[name].entries)
    for case in found:
        for parameter in suites()[name].defaults:
            if parameter not in case.profile.parameters:
                assert case.parameters[parameter] is not None


def test_later_values_win() -> None:
    (case,) = cases([Entry("randread", {"depth": 4})], {"depth": "5"}, "test")
    assert case.parameters["depth"] == 5
    assert case.plan({"depth": "6"}, "target").parameters["depth"] == 6
    (plain,) = cases([Entry("randread", {"depth": 4})], {}, "test")
    assert plain.parameters["depth"] == 4
    assert plain.label == "randread depth=4"


def test_what_a_profile_defines_stands_above_a_suites_defaults() -> None:
    by_label = {case.label: case for case in cases([Entry("disk", {})], {}, "test")}
    assert by_label["commit"].parameters["size"] == 64 * 2**20
    assert by_label["ping"].parameters["size"] == 4 * 2**30


def test_hash_is_of_values_not_names() -> None:
    (one,) = cases([Entry("randread", {})], {}, "test")
    (two,) = cases([Entry("randread", {"depth": 32})], {}, "test")
    (three,) = cases([Entry("randread", {"depth": 31})], {}, "test")
    assert one.plan({}, "a").hash == two.plan({}, "b").hash != three.plan({}, "a").hash


def test_wrong_names_and_doubles_are_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'randread'"):
        cases([Entry("randred", {})], {}, "test")
    with pytest.raises(UsageError, match="listed twice"):
        cases([Entry("ping", {}), Entry("quick", {})], {}, "test")
