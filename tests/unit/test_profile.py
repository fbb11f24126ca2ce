"""Profiles and suites: every file is read, and overrides win in the documented order."""

import pytest

from plimsoll import metrics
from plimsoll.errors import UnknownName, UsageError
from plimsoll.parameters import WORKLOADS, kind_of
from plimsoll.profile import Entry, Profile, cases, profiles, suites


@pytest.mark.parametrize("profile", profiles().values(), ids=lambda profile: profile.name)
def test_every_profile_is_complete(profile: Profile) -> None:
    (case,) = cases([Entry(profile.name, {})], {}, "test")
    plan = case.plan({}, "target")
    assert plan.metrics
    # Those of file-system tests are the originals' own.
    assert kind_of(profile.workload) == "files" or all(metrics.metric(name) for name in plan.metrics)
    assert profile.question.endswith("?")
    assert profile.definition
    assert profile.reading
    assert profile.quick_sizes or kind_of(profile.workload) == "db", "a trial needs small sizes"
    assert all(mode.meaning and mode.parameters for mode in profile.modes.values())


def test_no_suite_is_called_like_a_test() -> None:
    assert not profiles().keys() & suites().keys()


@pytest.mark.parametrize("name", suites())
def test_every_suite_makes_cases(name: str) -> None:
    found = cases([Entry(name, {})], {}, "test")
    assert len(found) == len(suites()[name].entries)
    for case in found:
        for parameter in suites()[name].defaults:
            known = {each.name for each in WORKLOADS[case.profile.workload]}
            if parameter in known - case.profile.parameters.keys():
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
    assert by_label["log-commit"].parameters["size"] == 64 * 2**20
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


def test_a_mode_changes_what_it_names_and_the_line_stands_above_it() -> None:
    (plain,) = cases([Entry("tiotest", {})], {}, "test")
    (classic,) = cases([Entry("tiotest:classic", {})], {}, "test")
    (durable,) = cases([Entry("tiotest:durable", {})], {}, "test")
    (overridden,) = cases([Entry("tiotest:durable", {"open_sync": False})], {}, "test")
    assert plain == classic
    assert (durable.label, durable.parameters["open_sync"]) == ("tiotest:durable", True)
    assert overridden.parameters == plain.parameters
    with pytest.raises(UnknownName, match=r"no mode named 'durabel'.*did you mean 'durable'"):
        cases([Entry("tiotest:durabel", {})], {}, "test")


def test_a_suite_in_a_mode_has_the_tests_that_have_it() -> None:
    found = cases([Entry("phoronix-2013:direct", {})], {}, "test")
    assert {case.profile.name for case in found} >= {"aio-stress", "iozone", "tiotest"}
    assert all(case.parameters["direct"] for case in found)
    with pytest.raises(UnknownName, match="no mode named"):
        cases([Entry("quick:durable", {})], {}, "test")


def test_quick_sizes_replace_those_of_lines_but_not_those_of_the_user() -> None:
    entry = Entry("fs-mark", {"files": 4000})
    (full,) = cases([entry], {}, "test")
    (quick,) = cases([entry], {}, "test", quick_sizes=True)
    (own,) = cases([entry], {"files": "7"}, "test", quick_sizes=True)
    small = profiles()["fs-mark"].quick_sizes["files"]
    assert [case.parameters["files"] for case in (full, quick, own)] == [4000, small, 7]


@pytest.mark.parametrize(
    ("shared", "quick", "label"),
    [
        ({}, False, "postmark transactions=250000"),
        ({}, True, "postmark transactions=2000"),
        ({"transactions": "7"}, True, "postmark transactions=7"),
    ],
)
def test_a_label_tells_the_values_that_are_carried_out(shared: dict[str, str], quick: bool, label: str) -> None:
    (case,) = cases([Entry("postmark", {"transactions": 250000})], shared, "test", quick_sizes=quick)
    assert case.label == label
    assert case.parameters["transactions"] == int(label.rpartition("=")[2])


@pytest.mark.parametrize("name", suites())
def test_lines_that_small_sizes_make_equal_are_one_case(name: str) -> None:
    found = cases([Entry(name, {})], {}, "test", quick_sizes=True)
    assert len({case.label for case in found}) == len(found)
    assert {case.profile.name for case in found} == {line.name for line in suites()[name].entries}


def test_lines_that_the_user_makes_equal_are_one_case() -> None:
    lines = [Entry("randread", {"depth": depth}) for depth in (1, 8)]
    (case,) = cases(lines, {"depth": "4"}, "test")
    assert (case.label, case.parameters["depth"]) == ("randread depth=4", 4)


def test_what_is_set_for_all_counts_where_it_exists() -> None:
    entries = [Entry("fs-mark", {}), Entry("ping", {})]
    files, ping = cases(entries, {"runtime": "3s"}, "test")
    assert ping.parameters["runtime"] == 3 * 10**9
    assert "runtime" not in files.parameters
    with pytest.raises(UnknownName, match="no parameter named 'runtme'"):
        cases(entries, {"runtme": "3s"}, "test")
    with pytest.raises(UnknownName, match="no parameter named 'runtime'"):
        cases(entries[:1], {"runtime": "3s"}, "test")
